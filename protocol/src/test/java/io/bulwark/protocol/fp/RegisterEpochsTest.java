package io.bulwark.protocol.fp;

import static io.bulwark.protocol.fp.LocalNodes.CLIENT;
import static io.bulwark.protocol.fp.LocalNodes.SESSION;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.epoch.EpochSealer;
import io.bulwark.protocol.epoch.Seals;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.ScrubMessage;
import io.bulwark.protocol.kernel.Target;
import io.bulwark.protocol.mutation.PlantedBug;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * Tests the duties of a holder of registers when an epoch opens: docs/decisions/0016, registers. Here n = 4, m + f = 3.
 */
@NullMarked
class RegisterEpochsTest {
    private final LocalNodes nodes = new LocalNodes(1, 2);

    /** Epoch 2, in which nobody has confirmed. */
    private static PlacementGroup opened(List<Integer> fresh) {
        return new PlacementGroup(2, List.of(0, 1, 2, 3), fresh, List.of(0, 1, 2, 3), null);
    }

    private void opensWithTheSameHolders() {
        nodes.place(opened(List.of()));
    }

    /** One has heard of it, and the replicas that others ask have not. */
    private void placeAt(int node, PlacementGroup placement) {
        nodes.tell(node, new Fact.OfVolume(LocalNodes.VOLUME, Optional.of(nodes.volume(placement))));
    }

    private void opensWithNewSlot(int slot) {
        nodes.place(opened(List.of(slot)));
    }

    @PlantedBug(
            in = RegisterSettlement.class,
            rule = "an epoch is confirmed only after its registers are repaired",
            replace = "then.settled(true, nowMillis); } else { hold(nowMillis);",
            with = "then.settled(true, nowMillis); } else { then.settled(true, nowMillis);")
    @Test
    void whatOneNodeAloneHasCommittedIsHeldAndClaimedByAllButF() {
        Timestamp version = nodes.write(5, 1, 0);
        opensWithTheSameHolders();
        assertThat(nodes.settle(0, 2)).isTrue();
        assertThat(IntStream.range(0, 4).filter(slot -> nodes.latestNow(slot).equals(version)))
                .hasSizeGreaterThanOrEqualTo(3);
    }

    @Test
    void whatAllButFHoldIsClaimedByThemBeforeItIsSeenTo() {
        Timestamp version = nodes.write(5, 1, 0);
        opensWithTheSameHolders();
        nodes.holdStores = true;
        nodes.beginSettling(0, 2);
        for (int i = 0; i < 200 && nodes.settled().isEmpty(); i++) {
            nodes.releaseOneStore();
            nodes.pass(50);
        }
        assertThat(nodes.settled()).containsExactly(true);
        assertThat(nodes.committedOnDisk(version)).isGreaterThanOrEqualTo(3);
    }

    /** A node that commits a version without having prepared it claims the version, and has no fragment of it. */
    @Test
    void whatIsClaimedByAllButFIsHeldByThemToo() {
        Timestamp version = writtenWithSlotTwoBehind();
        opensWithNewSlot(3);
        nodes.cutOff.clear();
        assertThat(nodes.settle(0, 2)).isTrue();
        assertThat(held(version)).isGreaterThanOrEqualTo(3);
    }

    @Test
    void whatWasHeldInAnEarlierEpochIsNotForThatReasonHeldInThisOne() {
        Timestamp version = writtenWithSlotTwoBehind();
        opensWithTheSameHolders();
        nodes.cutOff.clear();
        nodes.cutOff.add(2);
        assertThat(nodes.settle(0, 2)).isTrue();
        nodes.cutOff.clear();
        nodes.place(new PlacementGroup(3, List.of(0, 1, 2, 3), List.of(3), List.of(0, 1, 2, 3), null));
        assertThat(nodes.settle(0, 3)).isTrue();
        assertThat(held(version)).isGreaterThanOrEqualTo(3);
    }

    /**
     * Returns a version prepared at 0, 1 and 3, and committed everywhere; slot 2 hears nobody, so it has no fragment.
     */
    private Timestamp writtenWithSlotTwoBehind() {
        List<FpMessage.Prepared> prepares = new ArrayList<>();
        for (FpMessage.Request request :
                List.of(nodes.fragment(0, 5, 1), nodes.fragment(1, 5, 1), nodes.wholeBlock(3, 5, 1))) {
            prepares.add((FpMessage.Prepared) nodes.one(CLIENT, request));
        }
        for (int slot : List.of(0, 1, 3)) {
            assertThat(nodes.one(CLIENT, nodes.commit(slot, 1, prepares))).isInstanceOf(FpMessage.Committed.class);
        }
        nodes.cutOff.addAll(List.of(0, 1, 3));
        assertThat(nodes.one(CLIENT, nodes.commit(2, 1, prepares))).isInstanceOf(FpMessage.Committed.class);
        nodes.pass(10_000);
        return new Timestamp(5, nodes.encode(1).fpcc());
    }

    private long held(Timestamp version) {
        return IntStream.range(0, 4)
                .mapToObj(slot ->
                        nodes.one(CLIENT, new FpMessage.Read(nodes.groupNow().target(slot), version.version())))
                .map(answer -> ((FpMessage.ReadAnswer) answer).holding())
                .filter(holding -> holding != null && holding.fragment() != null)
                .count();
    }

    @PlantedBug(
            in = FpAccess.class,
            rule = "a register server does not serve an epoch that it promised to refuse",
            replace = "&& seals.serves(volume.id(), volume.groupIndex(block), epoch);",
            with = ";")
    @Test
    void anAnnouncedChangeEndsTheEpochForThisNode() {
        FpMessage.FindTimestamp find = new FpMessage.FindTimestamp(nodes.group.target(0), false);
        assertThat(nodes.one(CLIENT, find)).isInstanceOf(FpMessage.FoundTimestamp.class);
        nodes.place(nodes.group.placement().announced(3, 9));
        assertThat(nodes.one(CLIENT, find)).isInstanceOf(FpMessage.Refused.class);
        nodes.restart(0);
        nodes.epoch(1);
        assertThat(nodes.one(CLIENT, find))
                .as("whatever replicas that are behind say")
                .isInstanceOf(FpMessage.Refused.class);
    }

    @PlantedBug(
            in = EpochSealer.class,
            rule = "the promise to refuse an epoch is durable before it is told",
            replace = "if (fresh.isEmpty()) {",
            with = "seals.stored(fresh); if (true) {")
    @Test
    void anEpochIsServedOnceThoseBeforeItAreRefusedForGood() {
        nodes.latest(0);
        nodes.holdStores = true;
        opensWithTheSameHolders();
        FpMessage.FindTimestamp find =
                new FpMessage.FindTimestamp(nodes.groupNow().target(0), false);
        assertThat(nodes.ask(CLIENT, find)).noneMatch(FpMessage.FoundTimestamp.class::isInstance);
        nodes.releaseStores();
        assertThat(nodes.latestNow(0)).isEqualTo(Timestamp.NONE);
    }

    @Test
    void withoutTheOthersNothingIsSeenTo() {
        nodes.write(5, 1, 0);
        opensWithTheSameHolders();
        nodes.cutOff.addAll(List.of(2, 3));
        assertThat(nodes.settle(0, 2)).isFalse();
        nodes.cutOff.remove(3);
        assertThat(nodes.settle(0, 2)).isTrue();
    }

    @Test
    void whoHasNothingHasNothingToSeeTo() {
        opensWithTheSameHolders();
        nodes.cutOff.addAll(List.of(1, 2, 3));
        assertThat(nodes.settle(0, 2)).isTrue();
    }

    /** The node repairs missing versions on request, or by scrubbing. */
    @Test
    void aNewHolderHasNothingToSeeTo() {
        Timestamp version = nodes.write(5, 1, 0, 1, 2);
        opensWithNewSlot(3);
        nodes.cutOff.addAll(List.of(0, 1, 2));
        assertThat(nodes.settle(3, 2)).isTrue();
        nodes.cutOff.clear();
        assertThat(nodes.look(3)).isEqualTo(ScrubMessage.ScrubOutcome.COMPLETED);
        assertThat(nodes.latestNow(3)).isEqualTo(version);
    }

    @Test
    void anEpochThatIsOverIsNotSeenTo() {
        nodes.write(5, 1, 0, 1, 2);
        nodes.epoch(3);
        assertThat(nodes.settle(0, 2)).isFalse();
    }

    /** Its fragments may be of another slot, and its latest nobody else's. */
    @Test
    void whatIsFromBeforeTheSlotWasTakenIsDropped() {
        nodes.write(5, 1, 0, 1, 2);
        nodes.one(CLIENT, nodes.fragment(0, 9, 2));
        assertThat(nodes.versionsOnDisk(0)).isEqualTo(2);
        assertThat(nodes.chargesOnDisk(0)).isEqualTo(1);
        opensWithNewSlot(0);
        assertThat(nodes.latestNow(0)).isEqualTo(Timestamp.NONE);
        assertThat(nodes.versionsOnDisk(0)).isZero();
        assertThat(nodes.chargesOnDisk(0)).isZero();
    }

    @Test
    void whatWasStoredWhenTheSlotWasTakenIsDroppedTooWhenItIsLoaded() {
        nodes.write(5, 1, 0, 1, 2);
        nodes.restart(0);
        opensWithNewSlot(0);
        assertThat(nodes.latestNow(0)).isEqualTo(Timestamp.NONE);
        assertThat(nodes.versionsOnDisk(0)).isZero();
    }

    /** No request named the block before the restart, so it was not loaded. */
    @Test
    void aRestartRemembersThatTheSlotWasTaken() {
        nodes.write(5, 1, 0, 1, 2);
        nodes.restart(0);
        opensWithNewSlot(0);
        nodes.restart(0);
        nodes.epoch(2);
        assertThat(nodes.latestNow(0)).isEqualTo(Timestamp.NONE);
        assertThat(nodes.versionsOnDisk(0)).isZero();
    }

    /** It has heard of the change that opened the epoch, so that the refusal was durable before. */
    @PlantedBug(
            in = Seals.class,
            rule = "an epoch is served only after the taking of the slot is durable",
            replace = "return durable >= from && takenDurable >= taken;",
            with = "return durable >= from;")
    @Test
    void anEpochIsServedOnceItIsDurableThatTheSlotWasTaken() {
        opensWithNewSlot(0);
        PlacementGroup ending = nodes.groupNow().placement().announced(3, 9);
        nodes.place(ending);
        nodes.holdStores = true;
        nodes.place(ending.opened());
        FpMessage.FindTimestamp find =
                new FpMessage.FindTimestamp(nodes.groupNow().target(0), false);
        assertThat(nodes.ask(CLIENT, find)).noneMatch(FpMessage.FoundTimestamp.class::isInstance);
        nodes.releaseStores();
        assertThat(nodes.latestNow(0)).isEqualTo(Timestamp.NONE);
    }

    @Test
    void whatWasStoredSinceTheSlotWasTakenStays() {
        opensWithNewSlot(0);
        Timestamp version = new Timestamp(5, nodes.encode(1).fpcc());
        Target target = nodes.groupNow().target(0);
        FpMessage.Request prepare = new FpMessage.PrepareFragment(
                target,
                SESSION,
                5,
                version.written(),
                nodes.encode(1).fragments().getFirst());
        assertThat(nodes.one(CLIENT, prepare)).isInstanceOf(FpMessage.Prepared.class);
        nodes.restart(0);
        nodes.epoch(2);
        assertThat(nodes.one(CLIENT, new FpMessage.Read(target, version.version())))
                .extracting(answer -> ((FpMessage.ReadAnswer) answer).holding())
                .isNotNull();
    }

    /**
     * Replicas that are behind may give a restarted node an old map: another node held the slot, or this one held it
     * for the first time.
     */
    @Test
    void aMapOfBeforeTellsNothingOfWhatWasStoredSince() {
        Timestamp version = new Timestamp(5, nodes.encode(1).fpcc());
        List<HeldVersion.SlotNonce> nonces = List.of(new HeldVersion.SlotNonce(0, SampleMessages.filled(32, 1)));
        nodes.putOnDisk(0, new VersionRecord(version, 3, true, null, CLIENT, SESSION, nonces));
        assertThat(nodes.latest(0)).isEqualTo(version);
        nodes.place(new PlacementGroup(2, List.of(9, 1, 2, 3)));
        nodes.pass(1_000);
        assertThat(nodes.versionsOnDisk(0)).isEqualTo(1);
        nodes.place(new PlacementGroup(4, List.of(0, 1, 2, 3), List.of(0), List.of(0, 1, 2, 3), null));
        assertThat(nodes.latestNow(0)).isEqualTo(Timestamp.NONE);
        assertThat(nodes.versionsOnDisk(0)).isZero();
    }

    @Test
    void whoHasLostItsSlotDropsWhatItHas() {
        nodes.write(5, 1, 0, 1, 2);
        nodes.place(new PlacementGroup(2, List.of(9, 1, 2, 3)));
        nodes.pass(1_000);
        assertThat(nodes.versionsOnDisk(0)).isZero();
        assertThat(nodes.versionsOnDisk(1)).isEqualTo(1);
    }

    @Test
    void whatIsStoredWhenItsEpochHasEndedIsNotVouchedForInTheNextOne() {
        nodes.one(CLIENT, nodes.fragment(0, 1, 1));
        nodes.holdStores = true;
        nodes.ask(CLIENT, nodes.fragment(0, 5, 2));
        nodes.epoch(2);
        nodes.answers.clear();
        nodes.releaseStores();
        assertThat(nodes.answers).hasSize(1).first().isInstanceOf(FpMessage.Refused.class);
    }

    /** Fills a node with versions as a liar and a faulty client can: two for each block are the maximum. */
    private void crowd(int node) {
        for (int seed = 50; seed < 50 + LocalNodes.LIMITS.stagedPerBlock(); seed++) {
            Timestamp version = new Timestamp(2, nodes.encode(seed).fpcc());
            nodes.putOnDisk(node, new VersionRecord(version, 1, true, null, PrepareTag.REPAIR, 0, List.of()));
        }
        nodes.restart(node);
    }

    @Test
    void whatIsStagedIsVouchedForAlsoWhereTheRoomForWhatIsProvenIsTaken() {
        crowd(1);
        crowd(2);
        Timestamp version = nodes.write(5, 1, 0);
        opensWithNewSlot(3);
        nodes.cutOff.add(3);
        assertThat(nodes.settle(0, 2)).isTrue();
        assertThat(nodes.latestNow(1)).isEqualTo(version);
        assertThat(nodes.versionsOnDisk(1)).as("what was below").isEqualTo(1);
        assertThat(nodes.chargesOnDisk(1)).isZero();
    }

    /** The room of slot 3 is taken, which has not prepared it, and slot 2 is silent. */
    @Test
    void whatIsNotStagedIsCommittedAtOnceWhereTheRoomForWhatIsProvenIsTaken() {
        crowd(3);
        Timestamp version = nodes.write(5, 1, 0);
        opensWithTheSameHolders();
        nodes.cutOff.add(2);
        assertThat(nodes.settle(0, 2)).isTrue();
        assertThat(nodes.latestNow(3)).isEqualTo(version);
        assertThat(nodes.committedOnDisk(version)).isEqualTo(3);
        assertThat(nodes.versionsOnDisk(3)).as("what was below is dropped").isEqualTo(1);
    }

    @Test
    void whatIsVouchedForInACrowdedBlockStaysOnItsWritersAccount() {
        crowd(1);
        nodes.write(5, 1, 0);
        nodes.useWrongKeys(2);
        nodes.cutOff.add(3);
        Target target = nodes.group.target(1);
        Timestamp version = new Timestamp(5, nodes.encode(1).fpcc());
        nodes.ask(PrincipalId.node(0), new FpMessage.AskRepairMac(target, version));
        nodes.pass(5_000);
        assertThat(nodes.answers).hasAtLeastOneElementOfType(FpMessage.RepairMac.class);
        assertThat(nodes.chargesOnDisk(1)).isEqualTo(1);
        assertThat(nodes.versionsOnDisk(1)).isEqualTo(1 + LocalNodes.LIMITS.stagedPerBlock());
    }

    /** Others rely on it: like a version that is tagged so, it does not end with its session. */
    @Test
    void whatIsVouchedForIsNoLeftover() {
        nodes.one(CLIENT, nodes.fragment(0, 5, 1));
        nodes.one(CLIENT, nodes.fragment(0, 6, 2));
        Timestamp version = new Timestamp(5, nodes.encode(1).fpcc());
        VersionRecord staged = new VersionRecord(version, 1, true, null, CLIENT, SESSION, List.of());
        nodes.putOnDisk(0, staged.provenForItsWriter());
        nodes.restart(0);
        nodes.session(SESSION, SessionState.CLOSED);
        nodes.pass(60_000);
        assertThat(nodes.versionsOnDisk(0)).as("the other one is dropped").isEqualTo(1);
        assertThat(nodes.chargesOnDisk(0)).isEqualTo(1);
    }

    @Test
    void whatIsVouchedForIsNotTheRevokedClientsAlone() {
        nodes.one(CLIENT, nodes.fragment(0, 5, 1));
        Timestamp version = new Timestamp(5, nodes.encode(1).fpcc());
        FpMessage.Request ask = new FpMessage.AskLeftover(nodes.group.target(0), CLIENT, SESSION, version);
        VersionRecord staged = new VersionRecord(version, 1, true, null, CLIENT, SESSION, List.of());
        nodes.putOnDisk(0, staged.provenForItsWriter());
        nodes.restart(0);
        nodes.tell(0, new Fact.Revoked(CLIENT));
        assertThat(nodes.one(PrincipalId.node(1), ask))
                .extracting(answer -> ((FpMessage.Leftover) answer).state())
                .isEqualTo(FpMessage.LeftoverState.PROVEN);
    }

    @Test
    void whatCouldNotBeClearedIsClearedLater() {
        nodes.write(5, 1, 0, 1, 2);
        nodes.restart(0);
        opensWithNewSlot(0);
        nodes.nextStore = Stored.FAILED;
        assertThat(nodes.latestNow(0)).isEqualTo(Timestamp.NONE);
        assertThat(nodes.versionsOnDisk(0)).isEqualTo(1);
        nodes.nextStore = Stored.DURABLE;
        nodes.pass(2 * LocalNodes.LIMITS.repairMillis());
        assertThat(nodes.versionsOnDisk(0)).isZero();
    }

    /** After the node's promise to refuse earlier epochs, a scan of its store must find the version. */
    @PlantedBug(
            in = EpochSealer.class,
            rule = "the promise to refuse an epoch waits for stores under way",
            replace = "left[0]++; block.enqueue(nowMillis, over);",
            with = "")
    @Test
    void whatIsBeingStoredWhenItsEpochEndsIsStoredBeforeThatIsPromised() {
        List<FpMessage.Prepared> prepares = nodes.prepare(3, 5, 1);
        nodes.holdStores = true;
        nodes.ask(CLIENT, nodes.commit(0, 1, prepares));
        nodes.holdStores = false;
        placeAt(0, nodes.group.placement().announced(3, 9));
        assertThat(nodes.promised).as("the seal is durable").isEmpty();
        nodes.releaseStores();
        assertThat(nodes.promised).containsEntry(0, 2L);
        assertThat(nodes.committedOnDisk(new Timestamp(5, nodes.encode(1).fpcc())))
                .isEqualTo(1);
    }
}
