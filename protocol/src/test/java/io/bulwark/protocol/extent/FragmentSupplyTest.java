package io.bulwark.protocol.extent;

import static io.bulwark.protocol.extent.LocalNode.OWNER;
import static io.bulwark.protocol.extent.LocalNode.POLICY;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.extent.ExtentMessage.Acknowledged;
import io.bulwark.protocol.extent.ExtentMessage.Holds;
import io.bulwark.protocol.extent.ExtentMessage.NotFound;
import io.bulwark.protocol.extent.ExtentMessage.NotStored;
import io.bulwark.protocol.extent.ExtentMessage.ReadPinned;
import io.bulwark.protocol.extent.ExtentMessage.Store;
import io.bulwark.protocol.extent.ExtentMessage.Supply;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests how a node treats a fragment that a reader hands to it (docs/protocols/extents.md, completion). */
@NullMarked
class FragmentSupplyTest {
    private static final BlockId BLOCK = LocalNode.block(1);
    private static final PrincipalId READER = PrincipalId.client(2);
    private static final BlockCode CODE = BlockCode.ofAll(POLICY.m(), POLICY.n());
    private static final BlockCode.Encoded ONE = CODE.encode(bytes(100));
    private static final BlockCode.Encoded OTHER = CODE.encode(bytes(90));

    private final LocalNode node = new LocalNode();

    private static Bytes bytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return Bytes.of(bytes);
    }

    private static Supply supply(BlockCode.Encoded of) {
        return new Supply(BLOCK, 1, 0, of.fragments().getFirst(), of.fpcc());
    }

    private static ExtentMessage.Answer stored() {
        return new Acknowledged(BLOCK, 1);
    }

    private static ExtentMessage.Answer refused(StoreRefusal reason) {
        return new NotStored(BLOCK, 1, reason);
    }

    private void finish(boolean held) {
        Effect.Run poll = node.runs.removeLast();
        assertThat(poll.operation()).isInstanceOf(HoldersPoll.class);
        node.answers.clear();
        node.complete(poll, held);
    }

    @Test
    void aFragmentOfTheReferencedVersionIsKept() {
        node.tell(new Fact.OfPin(BLOCK, ONE.fpcc().pin()));
        assertThat(node.ask(READER, supply(OTHER))).containsExactly(refused(StoreRefusal.OTHER_CONTENT));
        assertThat(node.ask(READER, supply(ONE))).containsExactly(stored());
        assertThat(node.has(BLOCK)).isTrue();
        assertThat(node.unreferencedBytes()).isZero();
        assertThat(node.runs).as("its own repair, no poll").hasSize(1);
    }

    @Test
    void whereNoReferenceIsKnownTheOtherSlotsAreAsked() {
        assertThat(node.ask(READER, supply(ONE))).isEmpty();
        finish(false);
        assertThat(node.answers).containsExactly(refused(StoreRefusal.UNREFERENCED));
        assertThat(node.has(BLOCK)).isFalse();
        node.ask(READER, supply(ONE));
        finish(true);
        assertThat(node.answers).containsExactly(stored());
        assertThat(node.has(BLOCK)).isTrue();
        assertThat(node.unreferencedBytes()).as("charged to its owner").isPositive();
    }

    @Test
    void whoMayNotReadSuppliesNothing() {
        node.mayRead = false;
        node.tell(new Fact.OfPin(BLOCK, ONE.fpcc().pin()));
        assertThat(node.ask(READER, supply(ONE))).containsExactly(refused(StoreRefusal.NOT_OWNER));
        assertThat(node.ask(PrincipalId.node(2), supply(ONE))).containsExactly(stored());
    }

    @Test
    void whatItsOwnerStoredIsNotReplaced() {
        node.ask(OWNER, new Store(BLOCK, 1, 0, OTHER.fragments().getFirst(), OTHER.fpcc()));
        assertThat(node.ask(READER, supply(ONE))).containsExactly(refused(StoreRefusal.OTHER_CONTENT));
        assertThat(node.ask(READER, supply(OTHER))).containsExactly(stored());
        assertThat(node.runs).isEmpty();
    }

    @Test
    void aWrongFragmentKeepsItsSenderOutAndNotTheOwner() {
        node.tell(new Fact.OfPin(BLOCK, ONE.fpcc().pin()));
        Supply wrong = new Supply(BLOCK, 1, 0, ONE.fragments().get(1), ONE.fpcc());
        assertThat(node.ask(READER, wrong)).containsExactly(refused(StoreRefusal.INCONSISTENT));
        assertThat(node.ask(READER, supply(ONE))).containsExactly(refused(StoreRefusal.LIMIT));
        assertThat(node.ask(OWNER, new Store(BLOCK, 1, 0, ONE.fragments().getFirst(), ONE.fpcc())))
                .containsExactly(stored());
    }

    @Test
    void aClosedSessionIsNoReasonAgainstIt() {
        node.tell(new Fact.ClosedWith(
                LocalNode.VOLUME, OWNER, 1, List.of(new BlockRange(LocalNode.VOLUME, OWNER, 1, 1, 1))));
        node.ask(READER, supply(ONE));
        finish(true);
        assertThat(node.answers).containsExactly(stored());
        assertThat(node.unreferencedBytes()).isZero();
        BlockId freed = LocalNode.block(2);
        assertThat(node.ask(READER, new Supply(freed, 1, 0, ONE.fragments().getFirst(), ONE.fpcc())))
                .containsExactly(new NotStored(freed, 1, StoreRefusal.FREED));
    }

    @PlantedBug(
            inClass = "io.bulwark.protocol.extent.ExtentSessions",
            rule = "sessions that collapsed stay closed for those who come later",
            replace = "new Session(key, collapsed.covers(key.owner(), key.session()))",
            with = "new Session(key, false)")
    @Test
    void whatWasFreedWithACollapsedSessionDoesNotComeBack() {
        node.tell(new Fact.Collapsed(OWNER, 1, 3));
        assertThat(node.ask(READER, supply(ONE))).containsExactly(refused(StoreRefusal.FREED));
        assertThat(node.ask(READER, new ReadPinned(BLOCK, 1, 0, ONE.fpcc().pin(), false)))
                .containsExactly(new NotFound(BLOCK, 1, ReadRefusal.FREED));
        assertThat(node.runs).isEmpty();
    }

    @Test
    void whereWhatWasFreedIsForgottenAReferenceIsNeeded() {
        node.loseSession();
        node.ask(READER, supply(ONE));
        finish(true);
        assertThat(node.answers).containsExactly(refused(StoreRefusal.UNREFERENCED));
        assertThat(node.has(BLOCK)).isFalse();
        node.tell(new Fact.OfPin(BLOCK, ONE.fpcc().pin()));
        assertThat(node.ask(READER, supply(ONE))).containsExactly(stored());
    }

    @PlantedBug(
            inClass = "io.bulwark.protocol.extent.ExtentBlocks",
            rule = "what was let in before its epoch ended is not stored after",
            replace = "StoreRefusal refusal = epochs.serves(block, epoch)",
            with = "StoreRefusal refusal = true")
    @Test
    void aPollThatOutlastsItsEpochStoresNothing() {
        node.ask(READER, supply(ONE));
        PlacementGroup first = new PlacementGroup(1, List.of(0, 1, 2, 3));
        node.use(LocalNode.volume(first.announced(3, 4)));
        finish(true);
        assertThat(node.answers).containsExactly(refused(StoreRefusal.WRONG_EPOCH));
        assertThat(node.has(BLOCK)).isFalse();
    }

    @PlantedBug(
            inClass = "io.bulwark.protocol.extent.ExtentBlocks",
            rule = "what repair made in an epoch that is over is not kept",
            replace = "} else if (!epochs.serves(block, repaired.epoch())) {",
            with = "} else if (false) {")
    @Test
    void aRepairThatOutlastsItsEpochStoresNothing() {
        node.tell(new Fact.OfPin(BLOCK, ONE.fpcc().pin()));
        Effect.Run repair = node.runs.removeLast();
        node.use(LocalNode.volume(2, List.of(4, 0, 2, 3)));
        node.complete(
                repair, new RepairOutcome.Rebuilt(ONE.fpcc(), ONE.fragments().getFirst()));
        assertThat(node.has(BLOCK)).isFalse();
    }

    @PlantedBug(
            inClass = "io.bulwark.protocol.extent.SuppliedFragments",
            rule = "one sender takes a few of the polls",
            replace = "polling.getOrDefault(sender, 0) >= POLLS_OF_ONE_SENDER_MAX",
            with = "false")
    @Test
    void soManyPollsForUnknownVersionsAreUnderWay() {
        List<PrincipalId> senders = List.of(READER, PrincipalId.client(3), PrincipalId.client(4));
        int counter = 0;
        for (PrincipalId sender : senders) {
            for (int own = 1; own <= 3; own++) {
                BlockId block = LocalNode.block(++counter);
                List<ExtentMessage.Answer> answers =
                        node.ask(sender, new Supply(block, 1, 0, ONE.fragments().getFirst(), ONE.fpcc()));
                boolean waits = own <= SuppliedFragments.POLLS_OF_ONE_SENDER_MAX && !sender.equals(senders.getLast());
                assertThat(answers)
                        .as("supply %d of %s", own, sender)
                        .isEqualTo(waits ? List.of() : List.of(new NotStored(block, 1, StoreRefusal.LIMIT)));
            }
        }
        finish(false);
        node.ask(senders.getLast(), supply(ONE));
        assertThat(node.answers).as("one poll is over").isEmpty();
    }

    @PlantedBug(
            inClass = "io.bulwark.protocol.extent.SuppliedFragments",
            rule = "one sender has a few supplies under way",
            replace = "inFlight.getOrDefault(sender, 0) >= OF_ONE_SENDER_MAX",
            with = "false")
    @Test
    void soManySuppliesOfOneSenderAreUnderWay() {
        for (int counter = 1; counter <= SuppliedFragments.OF_ONE_SENDER_MAX + 1; counter++) {
            node.tell(new Fact.OfPin(LocalNode.block(counter), ONE.fpcc().pin()));
        }
        node.holdStores = true;
        for (int counter = 1; counter <= SuppliedFragments.OF_ONE_SENDER_MAX; counter++) {
            assertThat(node.ask(READER, known(counter))).isEmpty();
        }
        BlockId last = LocalNode.block(SuppliedFragments.OF_ONE_SENDER_MAX + 1);
        assertThat(node.ask(READER, known(last.counter()))).containsExactly(new NotStored(last, 1, StoreRefusal.LIMIT));
        assertThat(node.ask(PrincipalId.client(3), known(last.counter()))).isEmpty();
        node.release(0);
        assertThat(node.answers).containsExactly(new Acknowledged(LocalNode.block(1), 1));
        assertThat(node.ask(READER, known(last.counter()))).isEmpty();
    }

    private static Supply known(long counter) {
        return new Supply(LocalNode.block(counter), 1, 0, ONE.fragments().getFirst(), ONE.fpcc());
    }

    @Test
    void aPollNeedsOneCorrectHolder() {
        HoldersPoll poll = new HoldersPoll(node.volume, BLOCK, ONE.fpcc().pin(), 0, ExtentTiming.standard());
        assertThat(poll.start(0)).hasSize(3);
        poll.onMessage(1, PrincipalId.node(1), new Holds(BLOCK, 1));
        poll.onMessage(1, PrincipalId.node(1), new Holds(BLOCK, 1));
        poll.onMessage(1, PrincipalId.node(2), new Holds(BLOCK, 2));
        poll.onMessage(1, PrincipalId.node(0), new Holds(BLOCK, 1));
        assertThat(poll.outcome()).isEmpty();
        poll.onMessage(1, PrincipalId.node(3), new Holds(BLOCK, 1));
        assertThat(poll.outcome()).contains(true);
        HoldersPoll none = new HoldersPoll(node.volume, BLOCK, ONE.fpcc().pin(), 0, ExtentTiming.standard());
        none.start(0);
        none.onMessage(1, PrincipalId.node(1), new NotFound(BLOCK, 1, ReadRefusal.NONE));
        assertThat(none.outcome()).isEmpty();
        none.onMessage(1, PrincipalId.node(2), new NotFound(BLOCK, 1, ReadRefusal.NONE));
        assertThat(none.outcome()).contains(false);
    }
}
