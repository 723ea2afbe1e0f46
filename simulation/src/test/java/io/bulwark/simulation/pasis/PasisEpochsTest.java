package io.bulwark.simulation.pasis;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.ScrubMessage;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.pasis.PasisGroup;
import io.bulwark.protocol.pasis.PasisLimits;
import io.bulwark.protocol.pasis.PasisMessage;
import io.bulwark.protocol.pasis.PasisReadOutcome;
import io.bulwark.protocol.pasis.PasisRefusal;
import io.bulwark.protocol.pasis.ValidatingTimestamp;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests how a holder of registers under PASIS handles a new epoch: docs/decisions/0016. Here b = 1, m = 2, N = 5. */
@NullMarked
class PasisEpochsTest {
    private static final int FAULTY = 20;
    private static final List<Integer> HOLDERS = List.of(0, 1, 2, 3, 4);
    private static final int[] ALL = {0, 1, 2, 3, 4};

    private static final PasisLimits SLOW =
            new PasisLimits(8, 64, 1 << 20, 1 << 22, true, 1, 2, 64, 256, 10_000, 200, 4_000);

    private PasisCluster cluster = new PasisCluster(1, 2, 5, Verification.LAZY, PasisCluster.LIMITS);

    /** An epoch in which nobody has confirmed. */
    private void opens(long epoch, Integer... fresh) {
        cluster.place(new PlacementGroup(epoch, HOLDERS, List.of(fresh), HOLDERS, null));
    }

    private void crash(int... nodes) {
        for (int node : nodes) {
            cluster.simulation.crash(PrincipalId.node(node));
        }
    }

    private void restart(int node) {
        cluster.simulation.restart(PrincipalId.node(node));
        cluster.simulation.runFor(500);
    }

    private ValidatingTimestamp send(long time, int... slots) {
        List<Bytes> fragments = cluster.fragments(0);
        ValidatingTimestamp version = ValidatingTimestamp.of(time, PrincipalId.client(FAULTY), fragments);
        cluster.send(FAULTY, 0, version, fragments, slots);
        return version;
    }

    private ValidatingTimestamp read() {
        return cluster.read(0) instanceof PasisReadOutcome.Value value ? value.timestamp() : ValidatingTimestamp.NONE;
    }

    /** Returns a node's answer to a reader's first question, in the group as it was. */
    private PasisMessage asked(PasisGroup group, int slot) {
        cluster.sent.clear();
        PasisMessage.Read question = new PasisMessage.Read(group.target(slot), ValidatingTimestamp.NONE, false, null);
        cluster.simulation.send(PrincipalId.client(9), group.node(slot), 1L << 40, question);
        cluster.simulation.runFor(500);
        return cluster.sent.getLast();
    }

    @Test
    void whatCanBeCompleteIsCompleteOnceItIsSeenTo() {
        ValidatingTimestamp version = send(5, 0, 1, 2);
        opens(2);
        assertThat(cluster.settle(0, 0, 2)).isTrue();
        assertThat(cluster.holding(0, version)).isGreaterThanOrEqualTo(4);
    }

    /** b + 1 nodes have verified the version: a READ returns it, though two slots have lost it, one after the other. */
    @Test
    void whatIsKnownToBeCompleteIsCompleteInEachEpoch() {
        ValidatingTimestamp version = send(5, ALL);
        cluster.verify(0, ALL);
        for (int slot = 4; slot >= 2; slot--) {
            opens(6 - slot, slot);
            assertThat(cluster.settle(0, 0, 6 - slot)).isTrue();
            assertThat(cluster.holding(0, version)).isGreaterThanOrEqualTo(4);
        }
        crash(0);
        assertThat(read()).isEqualTo(version);
    }

    /** The fragments of a version that only one holds make no block, and those of before are at all. */
    @Test
    void whatCannotBeCompleteKeepsNobodyFromConfirming() {
        ValidatingTimestamp before = cluster.write(1, 0);
        send(9, 0);
        opens(2);
        assertThat(cluster.settle(0, 0, 2)).isTrue();
        assertThat(read()).isEqualTo(before);
        List<Bytes> mixed = cluster.mixed(1);
        ValidatingTimestamp poisonous = ValidatingTimestamp.of(1, PrincipalId.client(FAULTY), mixed);
        cluster.send(FAULTY, 1, poisonous, mixed, ALL);
        assertThat(cluster.settle(0, 1, 2)).isTrue();
        assertThat(cluster.held(0, 1)).isZero();
    }

    @Test
    void withoutTheOthersNothingIsSeenTo() {
        ValidatingTimestamp version = send(5, 0, 1, 4);
        opens(2);
        crash(2, 3);
        assertThat(cluster.settle(0, 0, 2)).isFalse();
        restart(3);
        assertThat(cluster.settle(0, 0, 2)).isTrue();
        assertThat(cluster.holding(0, version)).isEqualTo(4);
    }

    @Test
    void whoHasNothingHasNothingToSeeTo() {
        opens(2);
        crash(1, 2, 3, 4);
        assertThat(cluster.settle(0, 0, 2)).isTrue();
    }

    /** A new holder makes up missing fragments when they are read, or scrubbed. */
    @Test
    void aNewHolderHasNothingToSeeTo() {
        ValidatingTimestamp version = send(5, ALL);
        opens(2, 3);
        crash(0, 1, 2, 4);
        assertThat(cluster.settle(3, 0, 2)).isTrue();
        for (int node : new int[] {0, 1, 2, 4}) {
            restart(node);
        }
        assertThat(cluster.look(3, 0)).isEqualTo(ScrubMessage.ScrubOutcome.COMPLETED);
        assertThat(cluster.holding(0, version)).isEqualTo(5);
    }

    @Test
    void anEpochThatIsOverIsNotSeenTo() {
        send(5, 0, 1);
        opens(3);
        assertThat(cluster.settle(0, 0, 2)).isFalse();
    }

    /** It asks the others for what makes its fragment once in a second here. */
    @Test
    void whoHasABadFragmentOfWhatIsCompleteMakesItAgainFirst() {
        cluster = new PasisCluster(1, 2, 5, Verification.LAZY, SLOW);
        ValidatingTimestamp version = send(5, ALL);
        cluster.verify(0, ALL);
        opens(2);
        RecordKey key = cluster.versions(0, 0).getFirst();
        cluster.simulation.records(PrincipalId.node(0)).damage(key);
        cluster.settle(0, 0, 2);
        cluster.simulation.runFor(100);
        cluster.simulation.records(PrincipalId.node(0)).damage(key);
        assertThat(cluster.settle(0, 0, 2)).isFalse();
        for (int i = 0; i < 5 && !cluster.settle(0, 0, 2); i++) {
            cluster.simulation.runFor(1_000);
        }
        assertThat(cluster.settle(0, 0, 2)).isTrue();
        assertThat(cluster.simulation.records(PrincipalId.node(0)).load(key)).isInstanceOf(Loaded.Found.class);
        assertThat(read()).isEqualTo(version);
    }

    @PlantedBug(
            inClass = "io.bulwark.protocol.pasis.PasisAccess",
            rule = "a PASIS node does not serve an epoch that it promised to refuse",
            replace = "&& seals.serves(volume.id(), volume.groupIndex(block), epoch);",
            with = ";")
    @Test
    void anAnnouncedChangeEndsTheEpochForThisNode() {
        PasisGroup first = cluster.group(0);
        assertThat(asked(first, 0)).isInstanceOf(PasisMessage.History.class);
        cluster.place(first.placement().announced(3, 9));
        assertThat(asked(first, 0)).isInstanceOf(PasisMessage.Refused.class);
        crash(0);
        cluster.place(first.placement());
        restart(0);
        assertThat(asked(first, 0))
                .as("whatever replicas that are behind say")
                .isInstanceOf(PasisMessage.Refused.class);
        assertThat(cluster.sent).noneMatch(PasisMessage.History.class::isInstance);
    }

    @Test
    void anEpochIsServedOnceThoseBeforeItAreRefusedForGood() {
        cluster.read(0);
        cluster.holdStores = true;
        opens(2);
        asked(cluster.group(0), 0);
        assertThat(cluster.sent).noneMatch(PasisMessage.History.class::isInstance);
        assertThat(cluster.promised).doesNotContainKey(0);
        cluster.releaseStores();
        assertThat(asked(cluster.group(0), 0)).isInstanceOf(PasisMessage.History.class);
        assertThat(cluster.promised).containsEntry(0, 2L);
    }

    /** A scan of the node's records, begun after it refuses the earlier epoch, finds the version. */
    @Test
    void whatIsBeingStoredWhenItsEpochEndsIsStoredBeforeThatIsPromised() {
        cluster.read(0);
        cluster.holdStores = true;
        ValidatingTimestamp version = send(5, 0);
        cluster.holdStores = false;
        cluster.placeAt(0, cluster.group(0).placement().announced(3, 9));
        cluster.simulation.runFor(500);
        assertThat(cluster.promised).as("the seal is durable").isEmpty();
        cluster.releaseStores();
        assertThat(cluster.promised).containsEntry(0, 2L);
        assertThat(cluster.holding(0, version)).isEqualTo(1);
    }

    /** Others may have counted this node among those that do not hold it. */
    @Test
    void whatIsMadeAgainWhenItsEpochHasEndedIsNotKept() {
        ValidatingTimestamp version = send(5, 0, 1, 3, 4);
        PasisGroup first = cluster.group(0);
        cluster.holdStores = true;
        cluster.simulation.send(
                PrincipalId.client(9), first.node(2), 1L << 40, new PasisMessage.Repair(first.target(2), version));
        for (int i = 0; i < 500 && cluster.sent.stream().noneMatch(PasisMessage.ReadFragment.class::isInstance); i++) {
            cluster.simulation.runFor(1);
        }
        cluster.placeAt(2, first.placement().announced(3, 9));
        cluster.releaseStores();
        cluster.simulation.runFor(2_000);
        assertThat(cluster.holding(0, version)).isEqualTo(4);
        assertThat(cluster.sent)
                .filteredOn(PasisMessage.Refused.class::isInstance)
                .extracting(message -> ((PasisMessage.Refused) message).refusal())
                .contains(PasisRefusal.OTHER_EPOCH);
        assertThat(cluster.sent).noneMatch(PasisMessage.Repaired.class::isInstance);
    }

    /** Its fragments may be of another slot. */
    @Test
    void whatIsFromBeforeTheSlotWasTakenIsDropped() {
        cluster.write(1, 0);
        cluster.verify(0, ALL);
        send(9, 0);
        assertThat(cluster.held(0, 0)).isEqualTo(2);
        assertThat(cluster.charged(0, 0)).isEqualTo(1);
        opens(2, 0);
        cluster.simulation.runFor(500);
        assertThat(cluster.held(0, 0)).isZero();
        assertThat(cluster.charged(0, 0)).isZero();
        assertThat(cluster.counters(0).possibleVersions()).isZero();
        assertThat(asked(cluster.group(0), 0)).isInstanceOfSatisfying(PasisMessage.History.class, history -> {
            assertThat(history.versions()).isEmpty();
            assertThat(history.collected()).isEqualTo(ValidatingTimestamp.NONE);
        });
    }

    /** Nobody had asked for the block before the restart, so it was not loaded. */
    @Test
    void aRestartRemembersThatTheSlotWasTaken() {
        cluster.write(1, 0);
        crash(0);
        restart(0);
        opens(2, 0);
        crash(0);
        restart(0);
        cluster.place(new PlacementGroup(2, HOLDERS));
        assertThat(cluster.look(0, 1)).isEqualTo(ScrubMessage.ScrubOutcome.ABSENT);
        assertThat(cluster.held(0, 0)).isEqualTo(1);
        asked(cluster.group(0), 0);
        cluster.simulation.runFor(500);
        assertThat(cluster.held(0, 0)).isZero();
    }

    @Test
    void whatWasStoredSinceTheSlotWasTakenStays() {
        opens(2, 0);
        send(5, 0);
        crash(0);
        restart(0);
        cluster.place(new PlacementGroup(2, HOLDERS));
        assertThat(asked(cluster.group(0), 0))
                .isInstanceOfSatisfying(
                        PasisMessage.History.class,
                        history -> assertThat(history.versions()).hasSize(1));
        opens(4, 0);
        cluster.simulation.runFor(500);
        assertThat(cluster.held(0, 0))
                .as("what a new holder had, and another epoch was opened for it")
                .isZero();
    }

    @Test
    void whatIsCollectedOfBeforeTheSlotWasTakenIsForgotten() {
        ValidatingTimestamp version = send(7, 1, 2, 3, 4);
        cluster.notify(1, 0, 0, version, false);
        cluster.notify(2, 0, 0, version, false);
        RecordKey floor =
                RecordKey.of(RecordKind.PASIS_VERSION, cluster.group(0).block());
        assertThat(cluster.simulation.records(PrincipalId.node(0)).keys()).contains(floor);
        cluster.place(new PlacementGroup(2, List.of(9, 1, 2, 3, 4)));
        cluster.simulation.runFor(500);
        assertThat(cluster.simulation.records(PrincipalId.node(0)).keys())
                .noneMatch(key -> key.block().equals(cluster.group(0).block()));
        assertThat(cluster.held(1, 0)).isPositive();
    }

    @Test
    void aNodeThatLostItsSlotSeesToNothing() {
        cluster.write(1, 0);
        cluster.place(new PlacementGroup(2, List.of(9, 1, 2, 3, 4)));
        assertThat(cluster.settle(0, 0, 2)).isFalse();
    }

    /** Only another epoch ends what peers have said; that one of them has confirmed does not. */
    @Test
    void whatPeersHaveSaidCountsWhileOthersConfirm() {
        opens(2);
        ValidatingTimestamp version = send(5, ALL);
        cluster.notify(0, 2, 0, version, false);
        cluster.place(new PlacementGroup(2, HOLDERS, List.of(), List.of(0, 1, 2, 3), null));
        cluster.notify(1, 2, 0, version, false);
        assertThat(cluster.counters(2).cooperative()).isEqualTo(1);
    }

    /** This holds for notices that arrive before the epoch opens, and for those that arrive after. */
    @Test
    void whatPeersSaidInAnEpochBeforeDoesNotCount() {
        PasisGroup first = cluster.group(0);
        ValidatingTimestamp before = send(5, ALL);
        ValidatingTimestamp version = send(6, ALL);
        cluster.notify(0, 2, 0, version, false);
        opens(2);
        cluster.notify(first, 1, 2, version, false);
        cluster.notify(3, 2, 0, version, false);
        assertThat(cluster.counters(2).cooperative()).isZero();
        assertThat(cluster.holding(0, before)).isEqualTo(5);
        cluster.notify(4, 2, 0, version, false);
        assertThat(cluster.counters(2).cooperative()).isEqualTo(1);
        assertThat(cluster.holding(0, before)).isEqualTo(4);
    }

    /** Its READ waited for another one, and began when the next epoch was open. */
    @Test
    void whatIsReadInALaterEpochCountsForThatOne() {
        send(9, 0);
        opens(2);
        crash(1, 2, 3, 4);
        cluster.verifyLater(0, 0);
        cluster.simulation.runFor(100);
        cluster.settleLater(0, 0, 2);
        cluster.simulation.runFor(100);
        opens(3);
        for (int node = 1; node < 5; node++) {
            restart(node);
        }
        assertThat(cluster.settled(0)).isFalse();
        assertThat(cluster.settle(0, 0, 3)).isTrue();
    }

    /** It asks the others in an epoch that it refuses before they answer. */
    @Test
    void whatIsHeldInAnEpochThatIsOverMeanwhileCountsForNothing() {
        send(5, ALL);
        opens(2);
        PlacementGroup second = cluster.group(0).placement();
        cluster.sent.clear();
        cluster.settleLater(0, 0, 2);
        for (int i = 0; i < 1_000 && cluster.sent.stream().noneMatch(PasisMessage.Repair.class::isInstance); i++) {
            cluster.simulation.runFor(1);
        }
        assertThat(cluster.sent).noneMatch(PasisMessage.Repaired.class::isInstance);
        cluster.placeAt(0, second.announced(3, 9));
        assertThat(cluster.settled(0)).isFalse();
        assertThat(cluster.sent)
                .filteredOn(PasisMessage.Repaired.class::isInstance)
                .hasSizeGreaterThanOrEqualTo(3);
    }

    /** Two peers have verified the version, and no party sends it here. Only the record of the collection names it. */
    @Test
    void whatWasCollectedSinceTheSlotWasTakenStays() {
        opens(2, 0);
        RecordKey floor =
                RecordKey.of(RecordKind.PASIS_VERSION, cluster.group(0).block());
        ValidatingTimestamp version = ValidatingTimestamp.of(7, PrincipalId.client(FAULTY), cluster.fragments(0));
        cluster.notify(1, 0, 0, version, false);
        cluster.notify(2, 0, 0, version, false);
        crash(0);
        restart(0);
        cluster.place(new PlacementGroup(2, HOLDERS));
        assertThat(asked(cluster.group(0), 0))
                .isInstanceOfSatisfying(
                        PasisMessage.History.class,
                        history -> assertThat(history.collected()).isEqualTo(version));
        assertThat(cluster.simulation.records(PrincipalId.node(0)).keys()).contains(floor);
        opens(4, 0);
        cluster.simulation.runFor(500);
        assertThat(cluster.simulation.records(PrincipalId.node(0)).keys())
                .as("of a slot that was lost and taken again")
                .doesNotContain(floor);
        assertThat(asked(cluster.group(0), 0))
                .isInstanceOfSatisfying(
                        PasisMessage.History.class,
                        history -> assertThat(history.collected()).isEqualTo(ValidatingTimestamp.NONE));
    }
}
