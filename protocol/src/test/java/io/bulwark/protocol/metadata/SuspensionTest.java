package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.MetadataFixture.ALICE;
import static io.bulwark.protocol.metadata.MetadataFixture.READER;
import static io.bulwark.protocol.metadata.MetadataFixture.STRANGER;
import static io.bulwark.protocol.metadata.MetadataFixture.assertFailed;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.locking.Subtree;
import io.bulwark.protocol.metadata.MetadataFixture.User;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Writers of poisonous versions: b = 1, groups of five nodes of six. */
@NullMarked
class SuspensionTest {
    private static final ProtectionPolicy LAZY = ProtectionPolicy.pasis(1, 2, 5, 4096, Verification.LAZY);
    private static final PrincipalId WRITER = PrincipalId.client(7);

    private final MetadataFixture rig = rig();
    private final User alice = rig.user(ALICE, 0);
    private final Volume registers = volume("registers", VolumeKind.REGISTER);
    private final Volume objects = volume("objects", VolumeKind.OBJECT);
    private final User[] nodes = {node(0), node(1), node(2), node(3), node(4), node(5)};
    private User writer = writer();

    private static MetadataFixture rig() {
        MetadataFixture rig = new MetadataFixture();
        rig.machine = new MetadataStateMachine(MetadataFixture.genesis(6));
        rig.user(ALICE, 0).done(new Command.AddPrincipal(WRITER, Samples.KEY));
        return rig;
    }

    private Volume volume(String name, VolumeKind kind) {
        alice.run(new Command.CreateVolume(name, kind, LAZY, kind == VolumeKind.REGISTER ? 1000 : 0, 6, 0));
        alice.done(new Command.SetGrant(WRITER, new Scope.OfVolume(name), new Rights(true, true, false)));
        return rig.map().volumes().stream()
                .filter(volume -> volume.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private User node(int node) {
        return rig.user(PrincipalId.node(node), 0);
    }

    private User writer() {
        return rig.user(WRITER, registers.id());
    }

    /** The nth block of the group that begins with this node. */
    private BlockId block(int group, int nth) {
        long counter = -1;
        for (int found = -1; found < nth; ) {
            counter++;
            found += registers.groupIndex(BlockId.register(registers.id(), counter)) == group ? 1 : 0;
        }
        return BlockId.register(registers.id(), counter);
    }

    private Command report(int nth) {
        return report(0, nth, writer.session);
    }

    private Command report(int group, int nth, long session) {
        return new Command.ReportPoison(WRITER, block(group, nth), session, "version 1/abcd");
    }

    private List<Reply.SuspensionEntry> list() {
        return ((Reply.SuspensionList) rig.ask(ALICE, new Query.ListSuspensions(PrincipalId.NOBODY, 1000))).entries();
    }

    private Reply opening(int volume) {
        return rig.submit(WRITER, new Submission.OpenSession(MetadataFixture.filled(16, 99), volume));
    }

    private Reply.Granted granted() {
        return (Reply.Granted) rig.ask(PrincipalId.node(0), new Query.GrantOf(registers.id(), WRITER));
    }

    /** Rule 7: entries of a log are judged by the rights that there were when they were acknowledged. */
    @Test
    void theReportThatSuspendsWaitsForTheLogsOfTheClient() {
        alice.done(new Command.CreateBucket("store", "objects", Versioning.KEEP_ALL, 0));
        LockFixture.HeldLog log = new LockFixture(rig).lock(rig.user(WRITER, objects.id()), new Subtree("store", ""));
        log.append(new Command.DeleteObject("store", "a", 0, Condition.NONE, Command.DeleteMode.EVEN_IF_ABSENT));
        nodes[2].done(report(0));
        assertFailed(nodes[4].run(report(1)), MetadataError.LOCKED);
        assertThat(list()).isEmpty();
        log.finish();
        nodes[4].done(report(1));
        assertThat(list()).hasSize(1);
    }

    @PlantedBug(
            in = MetadataStateMachine.class,
            rule = "a suspended client opens no session",
            replace = "suspensions.requireNone(submitter);",
            with = "")
    @Test
    void aClientIsSuspendedOnceBPlusOneNodesHaveReportedIt() {
        assertThat(registers.groups().getFirst().holders()).containsExactly(0, 1, 2, 3, 4);
        nodes[2].done(report(0));
        assertThat(list()).isEmpty();
        writer.done(new Command.RenewSession());
        nodes[4].done(report(1));
        assertThat(list()).singleElement().satisfies(entry -> {
            assertThat(entry.client()).isEqualTo(WRITER);
            assertThat(entry.enforced()).isTrue();
            assertThat(entry.sinceMillis()).isEqualTo(rig.nowMillis);
            assertThat(entry.evidence()).isEqualTo(1);
            assertThat(entry.reports())
                    .containsExactly(
                            new Reply.PoisonReport(PrincipalId.node(2), block(0, 0), writer.session, "version 1/abcd"),
                            new Reply.PoisonReport(PrincipalId.node(4), block(0, 1), writer.session, "version 1/abcd"));
        });
        assertFailed(writer.run(new Command.RenewSession()), MetadataError.SESSION_CLOSED);
        assertThat(rig.ask(PrincipalId.node(0), new Query.SessionOf(registers.id(), WRITER, writer.session)))
                .isEqualTo(new Reply.Session(SessionState.CLOSED));
        for (int volume : new int[] {0, registers.id(), objects.id()}) {
            Reply refused = opening(volume);
            assertFailed(refused, MetadataError.SUSPENDED);
            assertThat(((Reply.Failed) refused).detail()).contains("client-7", "version 1/abcd", "node-2, node-4");
        }
        assertThat(granted()).isEqualTo(new Reply.Granted(true, false));
    }

    @PlantedBug(
            in = Suspensions.class,
            rule = "b + 1 nodes must report a writer",
            replace = "if (said.size() > f) {",
            with = "if (said.size() >= f) {")
    @PlantedBug(
            in = Suspensions.class,
            rule = "a node's reports count once",
            replace = "Poisoner key = new Poisoner(client, volume.id(), number, reporter);",
            with = "PrincipalId as = PrincipalId.node((int) report.block().counter()); Poisoner "
                    + "key = new Poisoner(client, volume.id(), number, as);")
    @Test
    void bNodesSuspendNobodyHoweverOftenTheyReport() {
        for (int nth = 0; nth < 20; nth++) {
            nodes[3].done(report(nth));
        }
        assertThat(list()).isEmpty();
        writer.done(new Command.RenewSession());
    }

    /** b bounds the faulty nodes of each group, so b+1 liars may sit in groups that share few nodes. */
    @PlantedBug(
            in = Suspensions.class,
            rule = "reports of nodes outside the group do not count",
            replace = "&& group.slotOf(reporter.number()) >= 0,",
            with = ",")
    @Test
    void onlyNodesOfTheBlocksGroupCountAndOnlyForThatGroup() {
        assertThat(registers.groups().get(1).holders()).containsExactly(1, 2, 3, 4, 5);
        nodes[5].refused(MetadataError.BAD_ARGUMENT, report(0));
        nodes[1].done(report(0));
        nodes[5].done(report(1, 0, writer.session));
        assertThat(list()).isEmpty();
        nodes[0].refused(MetadataError.BAD_ARGUMENT, report(1, 0, writer.session));
        nodes[2].done(report(1, 1, writer.session));
        assertThat(list()).hasSize(1);
        rig.user(READER, 0).refused(MetadataError.NOT_AUTHORISED, report(0));
    }

    @PlantedBug(
            in = MetadataStateMachine.class,
            rule = "reports of a revoked node do not count",
            replace = "reports.forEach(each -> each.withdrawOf(revoke.principal()));",
            with = "")
    @Test
    void aRevokedNodeCountsNoMore() {
        nodes[0].done(report(0));
        alice.done(new Command.RevokePrincipal(PrincipalId.node(0)));
        nodes[1].done(report(0));
        assertThat(list()).isEmpty();
        nodes[2].done(report(0));
        assertThat(list()).hasSize(1);
    }

    @Test
    void aReportEndsWithTheSlotOfItsReporter() {
        nodes[0].done(report(0));
        move(0, 5);
        nodes[0].refused(MetadataError.BAD_ARGUMENT, report(1));
        nodes[1].done(report(0));
        assertThat(list()).as("node 0 was faulty at another time, perhaps").isEmpty();
        nodes[5].done(report(0));
        assertThat(list())
                .singleElement()
                .satisfies(entry -> assertThat(entry.reports())
                        .extracting(Reply.PoisonReport::reporter)
                        .containsExactly(PrincipalId.node(1), PrincipalId.node(5)));
    }

    @Test
    void aReportDoesNotComeBackWithItsReporter() {
        nodes[2].done(report(0));
        nodes[2].done(report(1, 0, writer.session));
        move(2, 5);
        confirmAll();
        move(5, 2);
        nodes[1].done(report(0));
        assertThat(list()).isEmpty();
        nodes[1].done(report(1, 0, writer.session));
        assertThat(list())
                .as("node 2 holds its slot of the other group all the while")
                .hasSize(1);
    }

    @Test
    void aReportExpires() {
        nodes[0].done(report(0));
        pass(Command.REPORT_TTL_MILLIS);
        node(1).done(report(0));
        assertThat(list()).isEmpty();
        node(2).done(report(0));
        assertThat(list()).hasSize(1);
    }

    /** Served time hardly passes then. */
    @PlantedBug(
            in = NodeReports.class,
            rule = "reports expire by agreed time",
            replace = "long now = tables.totals().agreedMillis",
            with = "long now = tables.totals().servedMillis")
    @Test
    void aReportExpiresWhileFewCommandsCome() {
        nodes[0].done(report(0));
        for (int hour = 0; hour < 24; hour++) {
            rig.nowMillis += 3_600_000;
            alice.done(new Command.RenewSession());
        }
        node(1).done(report(0));
        assertThat(list()).isEmpty();
    }

    @Test
    void aReportThatIsRepeatedCountsOn() {
        nodes[0].done(report(0));
        pass(Command.REPORT_TTL_MILLIS / 2);
        node(0).done(report(1));
        pass(Command.REPORT_TTL_MILLIS / 2);
        node(1).done(report(0));
        assertThat(list())
                .singleElement()
                .satisfies(entry -> assertThat(entry.reports())
                        .extracting(Reply.PoisonReport::block)
                        .containsExactly(block(0, 1), block(0, 0)));
    }

    /** In agreed and served time; the sessions of all others end. */
    private void pass(long millis) {
        rig.pass(alice, millis);
    }

    private PlacementGroup group() {
        return rig.map().volume(registers.id()).orElseThrow().groups().getFirst();
    }

    /** Another node takes a slot of the first group. */
    private void move(int from, int to) {
        long epoch = group().epoch();
        List<Integer> holders = group().holders();
        alice.done(new Command.ChangeHolder("registers", 0, epoch, from, to));
        for (int slot = 0; group().epoch() == epoch; slot++) {
            nodes[holders.get(slot)].done(new Command.SealEpoch(registers.id(), 0, epoch));
        }
    }

    private void confirmAll() {
        for (int holder : group().holders()) {
            nodes[holder].done(new Command.ConfirmEpoch(registers.id(), 0, group().epoch()));
        }
    }

    @Test
    void onlyClientsThatBelongAreReportedAndOnlyInSessionsThatTheyHad() {
        for (PrincipalId nobody : List.of(STRANGER, PrincipalId.node(1), PrincipalId.replica(1))) {
            nodes[0].refused(
                    MetadataError.NO_SUCH_PRINCIPAL, new Command.ReportPoison(nobody, block(0, 0), 1, "version"));
        }
        nodes[0].refused(MetadataError.BAD_ARGUMENT, report(0, 0, 0));
        nodes[0].refused(MetadataError.BAD_ARGUMENT, report(0, 0, writer.session + 1));
        Command create = new Command.CreateVolume("hashed", VolumeKind.REGISTER, MetadataFixture.POLICY, 9, 1, 0);
        int other = ((Reply.VolumeCreated) alice.run(create)).volume();
        nodes[0].refused(
                MetadataError.BAD_ARGUMENT,
                new Command.ReportPoison(WRITER, BlockId.register(other, 1), writer.session, "version"));
    }

    @Test
    void whoAdministersIsNamedAndNotSuspended() {
        alice.done(new Command.SetGrant(WRITER, new Scope.OfVolume("registers"), new Rights(true, true, true)));
        nodes[0].done(report(0));
        nodes[1].done(report(0));
        assertThat(list())
                .singleElement()
                .satisfies(entry -> assertThat(entry.enforced()).isFalse());
        writer.done(new Command.RenewSession());
        assertThat(opening(0)).isInstanceOf(Reply.SessionOpened.class);
        assertThat(granted().mayWrite()).isTrue();
    }

    @Test
    void aLiftForgetsWhatTheClientDidUntilThen() {
        nodes[0].done(report(0));
        nodes[1].done(report(0));
        long before = writer.session;
        rig.user(READER, 0).refused(MetadataError.NOT_AUTHORISED, new Command.LiftSuspension(WRITER));
        assertFailed(rig.ask(READER, new Query.ListSuspensions(PrincipalId.NOBODY, 9)), MetadataError.NOT_AUTHORISED);
        alice.done(new Command.LiftSuspension(WRITER));
        assertThat(list()).isEmpty();
        alice.refused(MetadataError.BAD_ARGUMENT, new Command.LiftSuspension(WRITER));
        writer = writer();
        assertThat(granted().mayWrite()).isTrue();
        for (User node : List.of(nodes[0], nodes[1], nodes[2], nodes[3])) {
            node.done(report(0, 0, before));
            node.done(report(0, 1, before));
        }
        assertThat(list()).as("all of it is from before the lift").isEmpty();
        nodes[0].done(report(0));
        assertThat(list()).isEmpty();
        nodes[3].done(report(0));
        assertThat(list()).hasSize(1);
    }

    @Test
    void aLiftIsInTheAuditLog() {
        nodes[0].done(report(0));
        nodes[1].done(report(0));
        alice.done(new Command.LiftSuspension(WRITER));
        Reply.AuditList log = (Reply.AuditList) rig.ask(ALICE, new Query.ListAudit(0, 1000));
        assertThat(log.entries().getLast().command()).isEqualTo(new Command.LiftSuspension(WRITER));
    }

    @Test
    void aLiarDisplacesOnlyItsOwnReports() {
        alice.run(new Command.CreateVolume("wide", VolumeKind.REGISTER, LAZY, 100_000, 400, 0));
        Volume wide = rig.map().volumes().getLast();
        Map<Integer, BlockId> blocks = new LinkedHashMap<>();
        for (long counter = 0; counter < 20_000; counter++) {
            BlockId block = BlockId.register(wide.id(), counter);
            List<Integer> holders = wide.group(block).holders();
            if (holders.contains(0) && holders.contains(1)) {
                blocks.putIfAbsent(wide.groupIndex(block), block);
            }
        }
        List<Command> reports = new ArrayList<>();
        blocks.values().forEach(block -> reports.add(new Command.ReportPoison(WRITER, block, 1, "version")));
        assertThat(reports).hasSizeGreaterThan(NodeReports.REPORTS_MAX + 2);
        nodes[1].done(reports.getLast());
        for (int i = 0; i <= NodeReports.REPORTS_MAX; i++) {
            nodes[0].done(reports.get(i));
        }
        nodes[1].done(reports.getFirst());
        assertThat(list()).as("displaced").isEmpty();
        nodes[0].done(reports.getLast());
        assertThat(list()).hasSize(1);
    }

    @PlantedBug(
            in = Suspensions.class,
            rule = "a report names extents of the reported client",
            replace = "report.block().owner().equals(client) &&",
            with = "")
    @Test
    void extentsAreReportedOfTheirOwnerAndSession() {
        User putting = rig.user(WRITER, objects.id());
        BlockId extent = new BlockId(objects.id(), WRITER, putting.session, 3);
        List<Integer> holders = objects.group(extent).holders();
        User first = nodes[holders.get(0)];
        User second = nodes[holders.get(1)];
        first.refused(MetadataError.BAD_ARGUMENT, new Command.ReportPoison(WRITER, extent, writer.session, "extent"));
        rig.user(ALICE, 0);
        rig.user(ALICE, 0);
        first.refused(MetadataError.BAD_ARGUMENT, new Command.ReportPoison(ALICE, extent, putting.session, "extent"));
        first.done(new Command.ReportPoison(WRITER, extent, putting.session, "extent"));
        second.done(new Command.ReportPoison(WRITER, extent, putting.session, "extent"));
        assertThat(list()).hasSize(1);
    }

    @Test
    void aSnapshotKeepsAllOfIt() {
        nodes[0].done(report(0));
        restore();
        nodes[1].done(report(0));
        restore();
        assertFailed(opening(0), MetadataError.SUSPENDED);
        alice.done(new Command.LiftSuspension(WRITER));
        restore();
        long before = writer.session;
        writer = writer();
        nodes[0].done(report(0, 0, before));
        nodes[1].done(report(0, 0, before));
        assertThat(list()).isEmpty();
    }

    private void restore() {
        Bytes snapshot = rig.machine.snapshot();
        rig.machine = MetadataStateMachine.restore(snapshot);
        assertThat(rig.machine.snapshot()).isEqualTo(snapshot);
    }

    @Test
    void whoIsRevokedIsForgotten() {
        nodes[0].done(report(0));
        nodes[1].done(report(0));
        alice.done(new Command.RevokePrincipal(WRITER));
        assertThat(list()).isEmpty();
        nodes[2].refused(MetadataError.NO_SUCH_PRINCIPAL, report(0));
    }
}
