package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.MetadataFixture.ALICE;
import static io.bulwark.protocol.metadata.MetadataFixture.BOB;
import static io.bulwark.protocol.metadata.MetadataFixture.READER;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.NodeAddress;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.PlacementGroup.Change;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Command.AbortChange;
import io.bulwark.protocol.metadata.Command.ChangeHolder;
import io.bulwark.protocol.metadata.Command.ConfirmEpoch;
import io.bulwark.protocol.metadata.Command.SealEpoch;
import io.bulwark.protocol.metadata.MetadataFixture.User;
import io.bulwark.protocol.mutation.PlantedBug;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** PlacementChanges of placement groups change: docs/epochs.md. */
@NullMarked
class EpochTest {
    private static final long SEED = Long.getLong("bulwark.seed", 20261122L);

    private final MetadataFixture rig = MetadataFixture.ready();
    private final User alice = rig.user(ALICE, 0);
    private final Map<Integer, User> nodes = new TreeMap<>();
    /** Holds no slot of group 0. */
    private final int spare = spare();

    private User node(int number) {
        return nodes.computeIfAbsent(number, _ -> rig.user(PrincipalId.node(number), 0));
    }

    private PlacementGroup group() {
        return rig.mainVolume().groups().getFirst();
    }

    private int holder(int slot) {
        return group().holders().get(slot);
    }

    private int spare() {
        for (int node = 0; ; node++) {
            if (group().slotOf(node) < 0) {
                return node;
            }
        }
    }

    private ChangeHolder change(int slot, int to) {
        return new ChangeHolder("main", 0, group().epoch(), holder(slot), to);
    }

    private void seal(int slot) {
        node(holder(slot)).done(new SealEpoch(rig.volume, 0, group().epoch()));
    }

    private void confirm(int slot) {
        node(holder(slot)).done(new ConfirmEpoch(rig.volume, 0, group().epoch()));
    }

    @PlantedBug(
            in = PlacementChanges.class,
            rule = "the next epoch opens only when enough holders have sealed",
            replace = ">= policy.writeQuorum())",
            with = ">= policy.writeQuorum() - 1)")
    @Test
    void theNextEpochOpensWhenAllButFHoldersHaveSealed() {
        List<Integer> before = group().holders();
        alice.done(change(2, spare));
        assertThat(group())
                .isEqualTo(new PlacementGroup(1, before, List.of(), List.of(), new Change(2, spare, List.of())));
        seal(3);
        seal(1);
        seal(1);
        assertThat(group().epoch()).isEqualTo(1);
        assertThat(group().change().orElseThrow().sealed()).containsExactly(1, 3);
        seal(0);
        List<Integer> after = new ArrayList<>(before);
        after.set(2, spare);
        assertThat(group()).isEqualTo(new PlacementGroup(2, after, List.of(2), List.of(0, 1, 2, 3), null));
        assertThat(rig.mainVolume().groups().get(1).epoch()).isEqualTo(1);
    }

    @Test
    void aSlotIsWholeOnceItsHolderHasConfirmed() {
        open(2, spare);
        confirm(0);
        confirm(3);
        assertThat(group().unconfirmed()).containsExactly(1, 2);
        confirm(2);
        confirm(2);
        assertThat(group().fresh()).isEmpty();
        confirm(1);
        assertThat(group()).isEqualTo(new PlacementGroup(2, group().holders()));
    }

    private void open(int slot, int to) {
        alice.done(change(slot, to));
        long epoch = group().epoch();
        for (int sealing = 0; group().epoch() == epoch; sealing++) {
            seal(sealing);
        }
    }

    @PlantedBug(
            in = PlacementChanges.class,
            rule = "a seal is for the epoch that is open",
            replace = "epoch == group.epoch(),",
            with = "epoch >= 0,")
    @Test
    void ofTwoOperatorsOneIsTold() {
        User bob = rig.user(BOB, 0);
        ChangeHolder first = change(2, spare);
        ChangeHolder second = change(1, spare);
        alice.done(first);
        bob.refused(MetadataError.CHANGE_PENDING, second);
        bob.refused(MetadataError.CHANGE_PENDING, first);
        seal(0);
        seal(1);
        seal(2);
        bob.refused(MetadataError.STALE_EPOCH, second);
        bob.refused(MetadataError.STALE_EPOCH, new AbortChange("main", 0, 1));
    }

    @PlantedBug(
            in = PlacementChanges.class,
            rule = "at most f slots of a group are unconfirmed",
            replace = "without.size() <= place.policy().f(),",
            with = "without.size() <= 255,")
    @Test
    void noMoreThanFSlotsAreEverUnconfirmed() {
        int gone = holder(2);
        open(2, spare);
        alice.refused(MetadataError.TOO_MANY_UNCONFIRMED, change(1, gone));
        confirm(0);
        confirm(1);
        confirm(3);
        alice.refused(MetadataError.TOO_MANY_UNCONFIRMED, change(1, gone));
        // The one that has not confirmed may be replaced itself: it died while it made up what it missed.
        alice.done(change(2, gone));
    }

    @Test
    void whoOnceHeldTheSlotComesBackWithNothing() {
        int gone = holder(2);
        open(2, spare);
        for (int slot = 0; slot < 4; slot++) {
            confirm(slot);
        }
        open(2, gone);
        assertThat(group().epoch()).isEqualTo(3);
        assertThat(group().isFresh(gone)).isTrue();
        assertThat(group().isFresh(holder(1))).isFalse();
    }

    @Test
    void anAbandonedChangeOpensTheNextEpochWithTheSameHolders() {
        List<Integer> before = group().holders();
        alice.refused(MetadataError.BAD_ARGUMENT, new AbortChange("main", 0, 1));
        alice.done(change(2, spare));
        seal(3);
        alice.done(new AbortChange("main", 0, 1));
        assertThat(group().change().orElseThrow().sealed()).containsExactly(3);
        seal(0);
        seal(2);
        assertThat(group()).isEqualTo(new PlacementGroup(2, before, List.of(), List.of(0, 1, 2, 3), null));
    }

    @PlantedBug(
            in = PlacementChanges.class,
            rule = "a node that was removed takes no slot",
            replace = "&& !registry.revoked(PrincipalId.node(change.to()))",
            with = "")
    @Test
    void whatMakesNoSenseIsRefused() {
        alice.refused(MetadataError.NO_SUCH_VOLUME, new ChangeHolder("other", 0, 1, holder(0), spare));
        alice.refused(MetadataError.BAD_ARGUMENT, new ChangeHolder("main", 99, 1, holder(0), spare));
        alice.refused(MetadataError.BAD_ARGUMENT, new ChangeHolder("main", 0, 1, spare, spare));
        alice.refused(MetadataError.BAD_ARGUMENT, new ChangeHolder("main", 0, 1, holder(0), holder(1)));
        alice.refused(MetadataError.BAD_ARGUMENT, new ChangeHolder("main", 0, 1, holder(0), 77));
        alice.refused(MetadataError.STALE_EPOCH, new ChangeHolder("main", 0, 2, holder(0), spare));
        alice.run(new Command.CreateVolume("disk", VolumeKind.REGISTER, MetadataFixture.POLICY, 9, 1, 0));
        int first = rig.map()
                .volume("disk")
                .orElseThrow()
                .groups()
                .getFirst()
                .holders()
                .getFirst();
        int other = rig.map().nodes().stream()
                .map(NodeAddress::node)
                .filter(node -> rig.map()
                                .volume("disk")
                                .orElseThrow()
                                .groups()
                                .getFirst()
                                .slotOf(node)
                        < 0)
                .findFirst()
                .orElseThrow();
        alice.done(new ChangeHolder("disk", 0, 1, first, other));
        alice.done(new Command.RevokePrincipal(PrincipalId.node(spare)));
        alice.refused(MetadataError.BAD_ARGUMENT, change(0, spare));
    }

    @Test
    void registersUnderPasisKeepTheirHoldersOnlyIfNobodyVerifiesThem() {
        MetadataFixture six = new MetadataFixture();
        six.machine = new MetadataStateMachine(MetadataFixture.genesis(6));
        User operator = six.user(ALICE, 0);
        for (Verification verification : Verification.values()) {
            ProtectionPolicy policy = ProtectionPolicy.pasis(1, 2, 5, 512, verification);
            operator.run(new Command.CreateVolume(verification.text(), VolumeKind.REGISTER, policy, 9, 1, 0));
            List<Integer> holders = six.map()
                    .volume(verification.text())
                    .orElseThrow()
                    .groups()
                    .getFirst()
                    .holders();
            int other = 15 - holders.stream().mapToInt(each -> each).sum();
            ChangeHolder change = new ChangeHolder(verification.text(), 0, 1, holders.getFirst(), other);
            if (verification == Verification.NONE) {
                operator.refused(MetadataError.BAD_ARGUMENT, change);
            } else {
                operator.done(change);
            }
        }
    }

    @PlantedBug(
            in = Permissions.class,
            rule = "only the holder of a slot speaks for it",
            replace = "Grants.require(isNode(by), by, \"speak for a slot\");",
            with = "{ }")
    @PlantedBug(
            in = Permissions.class,
            rule = "only an operator changes who holds a slot",
            replace = "Grants.require(mayAdminister(by), by, \"change the holders of slots\");",
            with = "{ }")
    @Test
    void onlyOperatorsChangeAndOnlyHoldersSpeakForSlots() {
        rig.user(READER, 0).refused(MetadataError.NOT_AUTHORISED, change(2, spare));
        rig.user(READER, 0).refused(MetadataError.NOT_AUTHORISED, new AbortChange("main", 0, 1));
        alice.refused(MetadataError.NOT_AUTHORISED, new SealEpoch(rig.volume, 0, 1));
        alice.refused(MetadataError.NOT_AUTHORISED, new ConfirmEpoch(rig.volume, 0, 1));
        node(holder(0)).refused(MetadataError.BAD_ARGUMENT, new SealEpoch(rig.volume, 0, 1));
        alice.done(change(2, spare));
        int gone = holder(2);
        node(spare).refused(MetadataError.BAD_ARGUMENT, new SealEpoch(rig.volume, 0, 1));
        node(holder(0)).refused(MetadataError.STALE_EPOCH, new SealEpoch(rig.volume, 0, 2));
        node(holder(0)).refused(MetadataError.STALE_EPOCH, new ConfirmEpoch(rig.volume, 0, 2));
        seal(0);
        seal(1);
        seal(3);
        node(gone).done(new SealEpoch(rig.volume, 0, 1));
        node(gone).refused(MetadataError.BAD_ARGUMENT, new ConfirmEpoch(rig.volume, 0, 2));
        node(holder(0)).refused(MetadataError.STALE_EPOCH, new ConfirmEpoch(rig.volume, 0, 1));
        assertThat(group().unconfirmed()).hasSize(4);
    }

    @Test
    void aPutNamesTheEpochThatIsOpen() {
        User writer = rig.user(ALICE, rig.volume);
        Command.PutObject before = writer.putOf("films", "a", Condition.NONE, writer.layout(2000));
        alice.done(change(2, spare));
        assertThat(writer.run(before)).isInstanceOf(Reply.ObjectStored.class);
        Command.PutObject late = writer.putOf("films", "b", Condition.NONE, writer.layout(2000));
        seal(0);
        seal(1);
        seal(2);
        writer.refused(MetadataError.STALE_EPOCH, late);
        assertThat(writer.run(writer.putOf("films", "b", Condition.NONE, late.content())))
                .isInstanceOf(Reply.ObjectStored.class);
    }

    @Test
    void underPasisAllButBSeal() {
        ProtectionPolicy policy = ProtectionPolicy.pasis(1, 2, 5, 512, Verification.LAZY);
        MetadataFixture six = new MetadataFixture();
        six.machine = new MetadataStateMachine(MetadataFixture.genesis(6));
        User admin = six.user(ALICE, 0);
        int volume = ((Reply.VolumeCreated)
                        admin.run(new Command.CreateVolume("main", VolumeKind.OBJECT, policy, 0, 1, 0)))
                .volume();
        admin.done(new ChangeHolder("main", 0, 1, 0, 5));
        for (int node = 1; node < 4; node++) {
            six.user(PrincipalId.node(node), 0).done(new SealEpoch(volume, 0, 1));
        }
        assertThat(six.map().volumes().getFirst().groups().getFirst().epoch()).isEqualTo(1);
        six.user(PrincipalId.node(4), 0).done(new SealEpoch(volume, 0, 1));
        assertThat(six.map().volumes().getFirst().groups().getFirst().holders()).containsExactly(5, 1, 2, 3, 4);
    }

    @Test
    void changesAreInTheAuditLog() {
        alice.done(change(2, spare));
        alice.done(new AbortChange("main", 0, 1));
        Reply.AuditList log = (Reply.AuditList) rig.ask(ALICE, new Query.ListAudit(0, 100));
        assertThat(log.entries().getLast().command()).isEqualTo(new AbortChange("main", 0, 1));
        assertThat(log.entries().get(log.entries().size() - 2).command())
                .isEqualTo(new ChangeHolder("main", 0, 1, holder(2), spare));
    }

    /**
     * Any node sends any statement at any time. An epoch that opens was sealed, and no epoch begins with too much
     * missing.
     */
    @Test
    void whateverIsSaidAnEpochOpensSealedAndIsSucceededNearlyWhole() {
        System.out.println("EpochTest bulwark.seed=" + SEED);
        Random random = new Random(SEED);
        TreeSet<Integer> sealed = new TreeSet<>();
        TreeSet<Integer> confirmed = new TreeSet<>(List.of(0, 1, 2, 3));
        int opened = 0;
        for (int step = 0; step < 1500; step++) {
            PlacementGroup before = group();
            int node = random.nextInt(5);
            long epoch = before.epoch() + (random.nextInt(4) == 0 ? random.nextInt(3) - 1 : 0);
            int to = random.nextBoolean() ? spare() : random.nextInt(6);
            switch (random.nextInt(8)) {
                case 0 -> alice.run(new ChangeHolder("main", 0, epoch, node, to));
                case 1 -> {
                    if (random.nextInt(4) == 0) {
                        alice.run(new AbortChange("main", 0, epoch));
                    }
                }
                case 2, 3, 4 -> {
                    boolean done = node(node).run(new SealEpoch(rig.volume, 0, epoch)) instanceof Reply.Done;
                    if (done && epoch == before.epoch()) {
                        sealed.add(before.slotOf(node));
                    }
                }
                default -> {
                    if (node(node).run(new ConfirmEpoch(rig.volume, 0, epoch)) instanceof Reply.Done) {
                        confirmed.add(before.slotOf(node));
                    }
                }
            }
            PlacementGroup after = group();
            if (after.epoch() > before.epoch()) {
                opened++;
                assertThat(after.epoch()).isEqualTo(before.epoch() + 1);
                assertThat(sealed).hasSize(3);
                TreeSet<Integer> missing = new TreeSet<>(List.of(0, 1, 2, 3));
                missing.removeAll(confirmed);
                for (int slot = 0; slot < 4; slot++) {
                    if (!after.holders().get(slot).equals(before.holders().get(slot))) {
                        missing.add(slot);
                        assertThat(missing).hasSizeLessThanOrEqualTo(1);
                    }
                }
                sealed.clear();
                confirmed.clear();
            }
            assertThat(after.unconfirmed().stream().filter(confirmed::contains)).isEmpty();
            if (step % 100 == 0) {
                assertThat(MetadataStateMachine.restore(rig.machine.snapshot()).digest())
                        .isEqualTo(rig.machine.digest());
            }
        }
        assertThat(opened).isGreaterThan(10);
    }
}
