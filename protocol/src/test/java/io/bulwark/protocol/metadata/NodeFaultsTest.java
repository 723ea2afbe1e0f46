package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.MetadataFixture.ALICE;
import static io.bulwark.protocol.metadata.MetadataFixture.READER;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.MetadataFixture.User;
import io.bulwark.protocol.metadata.NodeFault.Stage;
import io.bulwark.protocol.mutation.PlantedBug;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Nodes are named, and removed, by what f+1 holders of a group say (docs/protocols/access.md, suspicions). */
@NullMarked
class NodeFaultsTest {
    private static final int NODES = 6;
    private static final int LIAR = 2;
    private static final long WINDOW_MILLIS = FaultPolicy.DEFAULT.windowSeconds() * 1_000L;

    /** Windows after which a node that never answers is over the line. */
    private static final int WINDOWS = 5;

    private final MetadataFixture rig = new MetadataFixture();
    private final Map<Integer, User> users = new HashMap<>();
    private User alice;

    NodeFaultsTest() {
        rig.machine = new MetadataStateMachine(MetadataFixture.genesis(NODES));
        alice = rig.user(ALICE, 0);
    }

    /** Two groups: of the nodes 0 to 3, and 1 to 4. Node 5 is spare. */
    @BeforeEach
    void makeVolume() {
        rig.volume = ((Reply.VolumeCreated)
                        alice.run(new Command.CreateVolume("main", VolumeKind.OBJECT, MetadataFixture.POLICY, 0, 2, 0)))
                .volume();
        assertThat(group(0).holders()).containsExactly(0, 1, 2, 3);
        assertThat(group(1).holders()).containsExactly(1, 2, 3, 4);
        for (int node = 0; node < NODES; node++) {
            var _ = node(node);
        }
    }

    private User node(int node) {
        return users.computeIfAbsent(node, number -> rig.user(PrincipalId.node(number), 0));
    }

    private Volume volume() {
        return rig.mainVolume();
    }

    private PlacementGroup group(int index) {
        return volume().groups().get(index);
    }

    private Reply.NodeFaultList list() {
        return (Reply.NodeFaultList) rig.ask(READER, new Query.ListNodeFaults());
    }

    private static Command silent(int node, int group) {
        return seen(node, FaultKind.SILENT, group, 8, 8);
    }

    private static Command seen(int node, FaultKind kind, int group, int asked, int bad) {
        return new Command.ReportPeers(List.of(new PeerObservation(node, kind, 1, group, asked, bad)));
    }

    /** Has nodes report the same, a window apart. */
    private void report(int windows, Command command, int... reporters) {
        for (int window = 0; window < windows; window++) {
            for (int reporter : reporters) {
                node(reporter).done(command);
            }
            rig.nowMillis += WINDOW_MILLIS;
        }
    }

    private void proveLiar() {
        long number = 0;
        BlockId block = new BlockId(rig.volume, ALICE, 1, number);
        while (volume().groupIndex(block) != 0) {
            block = new BlockId(rig.volume, ALICE, 1, ++number);
        }
        for (int reporter : new int[] {0, 1}) {
            node(reporter).done(new Command.ReportEvidence(LIAR, block, Verdict.CORRUPT, "slot 2"));
        }
    }

    /** Has all holders seal and confirm what is announced. */
    private void settle() {
        for (int index = 0; index < 2; index++) {
            if (group(index).change().isPresent()) {
                long epoch = group(index).epoch();
                for (int holder : group(index).holders()) {
                    if (holder != LIAR) {
                        node(holder).done(new Command.SealEpoch(rig.volume, index, epoch));
                    }
                }
                for (int holder : group(index).holders()) {
                    node(holder).done(new Command.ConfirmEpoch(rig.volume, index, epoch + 1));
                }
            }
        }
    }

    private void tick() {
        rig.nowMillis += 1_000;
        alice.done(new Command.RenewSession());
    }

    @PlantedBug(
            in = NodeFaults.class,
            rule = "f + 1 holders must suspect a node",
            replace = "ofGroup.size() > volume.policyOf(index).f()",
            with = "ofGroup.size() >= volume.policyOf(index).f()")
    @Test
    void oneHolderNamesNobodyAndTwoDo() {
        report(3 * WINDOWS, silent(LIAR, 0), 0);
        assertThat(list().faults()).isEmpty();
        assertThat(list().suspicions()).singleElement().satisfies(each -> {
            assertThat(each.reporter()).isZero();
            assertThat(each.score()).isEqualTo(FaultKind.SCORE_MAX);
            assertThat(each.bad()).isEqualTo(8L * each.windows());
        });
        report(WINDOWS - 1, silent(LIAR, 0), 1);
        assertThat(list().faults()).isEmpty();
        report(1, silent(LIAR, 0), 1);
        assertThat(list().faults()).singleElement().satisfies(fault -> {
            assertThat(fault.node()).isEqualTo(LIAR);
            assertThat(fault.kind()).isEqualTo(FaultKind.SILENT);
            assertThat(fault.suspicions()).extracting(Suspicion::reporter).containsExactly(0, 1);
            assertThat(fault.stage()).isEqualTo(Stage.NAMED);
        });
    }

    /** Node 0 is in the first group, node 4 in the second one: both may be faulty. */
    @PlantedBug(
            in = NodeFaults.class,
            rule = "suspicions count together in one group",
            replace = ".filter(each -> group.slotOf(each.reporter()) >= 0)",
            with = "")
    @Test
    void liarsOfDifferentGroupsDoNotCountTogether() {
        for (int window = 0; window < 2 * WINDOWS; window++) {
            node(0).done(silent(LIAR, 0));
            node(4).done(silent(LIAR, 1));
            rig.nowMillis += WINDOW_MILLIS;
        }
        assertThat(list().faults()).isEmpty();
    }

    @Test
    void reportsOfNodesWithoutASlotThereAndAboutThemselvesArePassedOver() {
        report(1, silent(LIAR, 0), 4, 5);
        report(1, silent(0, 0), 0);
        report(1, silent(5, 0), 0);
        node(0).done(seen(LIAR, FaultKind.SILENT, 9, 8, 8));
        assertThat(list().suspicions()).isEmpty();
        alice.refused(MetadataError.NOT_AUTHORISED, silent(LIAR, 0));
    }

    @PlantedBug(
            in = NodeFaults.class,
            rule = "a reporter does not hurry",
            replace = "now - before.get().agreedMillis() < policy().windowSeconds() * 1_000L / 2",
            with = "false")
    @Test
    void aReporterCountsOncePerWindow() {
        for (int i = 0; i < 20; i++) {
            node(0).done(silent(LIAR, 0));
        }
        assertThat(list().suspicions()).extracting(Suspicion::windows).containsExactly(1);
    }

    @Test
    void aCorrectShareOfBadAnswersIsForgotten() {
        report(50, seen(LIAR, FaultKind.SILENT, 0, 20, 1), 0, 1, 3);
        assertThat(list().suspicions()).isEmpty();
        report(WINDOWS, silent(LIAR, 0), 0, 1);
        assertThat(list().faults()).hasSize(1);
        report(12, seen(LIAR, FaultKind.SILENT, 0, 8, 0), 0, 1);
        assertThat(list().faults()).as("it answers again").isEmpty();
    }

    @PlantedBug(
            in = Suspicion.class,
            rule = "suspicions expire",
            replace = "score >= FaultKind.LINE && isRecent(nowMillis)",
            with = "score >= FaultKind.LINE")
    @Test
    void suspicionsExpire() {
        report(WINDOWS, silent(LIAR, 0), 0);
        rig.pass(alice, Command.REPORT_TTL_MILLIS);
        users.clear();
        report(WINDOWS, silent(LIAR, 0), 1);
        assertThat(list().faults()).isEmpty();
    }

    @PlantedBug(
            in = NodeFaults.class,
            rule = "suspicions end with the slot of their reporter",
            replace = """
                public void withdrawOf(PrincipalId node, Volume volume, int group) {
                        of(node.number()).forEach(this::remove);\
                """,
            with = """
                public void withdrawOf(PrincipalId node, Volume volume, int group) {\
                """)
    @Test
    void suspicionsEndWithTheSlotOfTheReporter() {
        report(WINDOWS, silent(LIAR, 0), 0);
        alice.done(new Command.ChangeHolder("main", 0, 1, 0, 5));
        settle();
        assertThat(list().suspicions()).isEmpty();
    }

    @Test
    void suspicionsEndWithTheRevocationOfEitherNode() {
        report(WINDOWS, silent(LIAR, 0), 0);
        report(WINDOWS, silent(3, 0), LIAR);
        alice.done(new Command.RevokePrincipal(PrincipalId.node(LIAR)));
        assertThat(list().suspicions()).isEmpty();
    }

    @Test
    void aProofNamesAtOnceAndTheSlotsStayUnlessThePolicyAllows() {
        proveLiar();
        assertThat(list().faults()).singleElement().satisfies(fault -> {
            assertThat(fault.kind()).isEqualTo(FaultKind.WRONG);
            assertThat(fault.evidence()).isEqualTo(1);
        });
        tick();
        tick();
        assertThat(volume().groups()).allMatch(group -> group.change().isEmpty());
        assertThat(list().faults()).extracting(NodeFault::stage).containsExactly(Stage.NAMED);
    }

    @PlantedBug(
            in = NodeRemovals.class,
            rule = "a suspected node takes no slot",
            replace = "&& !faults.isNamed(each)",
            with = "")
    @Test
    void slotsOfANamedNodeMoveToNodesThatAreNotNamed() {
        alice.done(new Command.SetFaultPolicy(new FaultPolicy(true, 60, 2)));
        proveLiar();
        tick();
        assertThat(group(0).change()).hasValueSatisfying(change -> {
            assertThat(change.slot()).isEqualTo(2);
            assertThat(change.node()).isEqualTo(5);
        });
        assertThat(group(1).change())
                .hasValueSatisfying(change -> assertThat(change.node()).isIn(0, 5));
        settle();
        tick();
        assertThat(list().faults()).singleElement().satisfies(fault -> {
            assertThat(fault.stage()).isEqualTo(Stage.REMOVED);
            assertThat(fault.evidence()).isEqualTo(1);
        });
        assertThat(volume().groups()).noneMatch(group -> group.slotOf(LIAR) >= 0);
        Reply.AuditList log = (Reply.AuditList) rig.ask(ALICE, new Query.ListAudit(0, 100));
        assertThat(log.entries().stream().filter(AuditEntry::isOwn).map(AuditEntry::command))
                .as("the audit log has each slot that the replicas moved")
                .hasSize(2)
                .allMatch(moved -> moved instanceof Command.ChangeHolder change && change.from() == LIAR);
        // The next one finds only the liar outside of its groups, and keeps its slots.
        report(WINDOWS, silent(3, 1), 1, 4);
        tick();
        tick();
        assertThat(volume().groups())
                .allSatisfy(group -> assertThat(group.change().filter(change -> change.node() == LIAR))
                        .isEmpty());
        alice.done(new Command.RemoveNode(LIAR));
        assertThat(list().faults()).extracting(NodeFault::node).containsExactly(3);
    }

    @PlantedBug(
            in = NodeRemovals.class,
            rule = "removals are bounded per day",
            replace = "today >= faults.policy().removalsPerDay()",
            with = "false")
    @Test
    void onlySoManyNodesLeaveADay() {
        alice.done(new Command.SetFaultPolicy(new FaultPolicy(true, 60, 1)));
        proveLiar();
        tick();
        settle();
        tick();
        report(WINDOWS, silent(1, 1), 3, 4);
        tick();
        assertThat(list().faults()).extracting(NodeFault::stage).containsExactly(Stage.NAMED, Stage.REMOVED);
        assertThat(volume().groups()).allMatch(group -> group.slotOf(1) >= 0);
    }

    @PlantedBug(
            in = NodeRemovals.class,
            rule = "a node without a session takes no slot",
            replace = "&& sessions.hasOpen(PrincipalId.node(each))",
            with = "")
    @Test
    void aNodeThatIsAwayTakesNoSlot() {
        node(5).done(new Command.CloseSession());
        alice.done(new Command.SetFaultPolicy(new FaultPolicy(true, 60, 2)));
        proveLiar();
        tick();
        assertThat(group(0).change())
                .hasValueSatisfying(change -> assertThat(change.node()).isEqualTo(4));
    }

    @Test
    void aForgivenNodeKeepsItsSlotsAndIsNamedByNewReportsOnly() {
        alice.done(new Command.SetFaultPolicy(new FaultPolicy(true, 60, 2)));
        proveLiar();
        tick();
        alice.done(new Command.ForgiveNode(LIAR));
        settle();
        tick();
        assertThat(list().faults()).isEmpty();
        assertThat(group(0).holders()).containsExactly(0, 1, 2, 3);
        assertThat(group(0).epoch()).isEqualTo(2);
        alice.refused(MetadataError.BAD_ARGUMENT, new Command.ForgiveNode(LIAR));
        rig.user(READER, 0).refused(MetadataError.NOT_AUTHORISED, new Command.ForgiveNode(LIAR));
        node(0).refused(MetadataError.NOT_AUTHORISED, new Command.SetFaultPolicy(FaultPolicy.DEFAULT));
        Reply.AuditList log = (Reply.AuditList) rig.ask(ALICE, new Query.ListAudit(0, 100));
        assertThat(log.entries().getLast().command()).isEqualTo(new Command.ForgiveNode(LIAR));
    }

    @Test
    void newVolumesDoWithoutFaultyNodesWhereOthersAreEnough() {
        proveLiar();
        alice.run(new Command.CreateVolume("other", VolumeKind.OBJECT, MetadataFixture.POLICY, 0, 2, 0));
        assertThat(rig.map().volume("other").orElseThrow().groups()).allMatch(group -> group.slotOf(LIAR) < 0);
        ProtectionPolicy all = new ProtectionPolicy(1, 4, NODES, MetadataFixture.BLOCK);
        assertThat(alice.run(new Command.CreateVolume("all", VolumeKind.OBJECT, all, 0, 1, 0)))
                .isInstanceOf(Reply.VolumeCreated.class);
    }

    @Test
    void theStateSurvivesItsSnapshot() {
        alice.done(new Command.SetFaultPolicy(new FaultPolicy(true, 30, 2)));
        report(WINDOWS, silent(LIAR, 0), 0, 1);
        Reply.NodeFaultList before = list();
        assertThat(before.faults()).hasSize(1);
        rig.machine = MetadataStateMachine.restore(rig.machine.snapshot());
        assertThat(list()).isEqualTo(before);
    }
}
