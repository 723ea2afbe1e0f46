package io.bulwark.protocol.extent;

import static io.bulwark.protocol.extent.LocalNode.OWNER;
import static io.bulwark.protocol.extent.LocalNode.POLICY;
import static io.bulwark.protocol.extent.LocalNode.VOLUME;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.extent.ExtentMessage.Acknowledged;
import io.bulwark.protocol.extent.ExtentMessage.CheckDepth;
import io.bulwark.protocol.extent.ExtentMessage.Complete;
import io.bulwark.protocol.extent.ExtentMessage.Completed;
import io.bulwark.protocol.extent.ExtentMessage.NotFound;
import io.bulwark.protocol.extent.ExtentMessage.NotStored;
import io.bulwark.protocol.extent.ExtentMessage.ReadPinned;
import io.bulwark.protocol.extent.ExtentMessage.Store;
import io.bulwark.protocol.extent.ExtentMessage.Suspect;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Rules of docs/protocols/extents.md at one node, most of them about what happens between a store and its end. */
@NullMarked
class ExtentNodeTest {
    private static final BlockId BLOCK = LocalNode.block(1);
    private static final BlockRange RANGE = new BlockRange(VOLUME, OWNER, 1, 1, 1);
    private static final BlockCode CODE = BlockCode.ofAll(POLICY.m(), POLICY.n());

    private final LocalNode node = new LocalNode();

    private static BlockCode.Encoded content(int seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return CODE.encode(Bytes.of(bytes));
    }

    private static Store store(BlockId block, int slot, int seed) {
        BlockCode.Encoded encoded = content(seed, 100);
        return new Store(block, 1, slot, encoded.fragments().get(slot), encoded.fpcc());
    }

    private static Bytes pin(int seed) {
        return content(seed, 100).fpcc().pin();
    }

    private void stored(BlockId block, int seed) {
        assertThat(node.ask(OWNER, store(block, 0, seed))).containsExactly(new Acknowledged(block, 1));
    }

    private void refused(Store store, StoreRefusal reason) {
        assertThat(node.ask(OWNER, store)).containsExactly(new NotStored(store.block(), 1, reason));
    }

    @PlantedBug(
            in = ExtentBlocks.class,
            rule = "an id takes one content",
            replace = "return same ? null : StoreRefusal.OTHER_CONTENT;",
            with = "return null;")
    @Test
    void anIdTakesOneContentEver() {
        stored(BLOCK, 1);
        refused(store(BLOCK, 0, 2), StoreRefusal.OTHER_CONTENT);
        stored(BLOCK, 1);
        node.restart();
        refused(store(BLOCK, 0, 2), StoreRefusal.OTHER_CONTENT);
        stored(BLOCK, 1);
    }

    @PlantedBug(
            in = ExtentBlocks.class,
            rule = "a node stores the version of the pin only",
            replace = "if (pin != null && !pin.equals(checksum.pin())) {",
            with = "if (false) {")
    @Test
    void onceAPinIsKnownOnlyThatVersionIsStored() {
        node.tell(new Fact.OfPin(BLOCK, pin(1)));
        refused(store(BLOCK, 0, 2), StoreRefusal.OTHER_CONTENT);
        stored(BLOCK, 1);
    }

    @Test
    void onlyTheNodeItselfTellsWhatIsReferenced() {
        assertThat(node.ask(OWNER, new Complete(BLOCK, 1, 0, pin(1), CheckDepth.RECORD)))
                .containsExactly(new Completed(BLOCK, 1, CompletionResult.REFUSED));
        stored(BLOCK, 2);
    }

    @PlantedBug(
            in = StoreProposal.class,
            rule = "an extent server checks the length of a fragment",
            replace = "return checksum.length() >= 1 && checksum.length() <= "
                    + "policy.fragmentBytes(policy.blockBytes());",
            with = "return true;")
    @Test
    void aFragmentBeyondTheBlockSizeIsRefused() {
        BlockCode.Encoded huge = content(1, 2 * POLICY.blockBytes());
        refused(new Store(BLOCK, 1, 0, huge.fragments().getFirst(), huge.fpcc()), StoreRefusal.INCONSISTENT);
    }

    @PlantedBug(
            in = ExtentServer.class,
            rule = "a request for another slot is refused",
            replace = "if (group.slotOf(node) != request.slot()) {",
            with = "if (false) {")
    @Test
    void aRequestForAnotherSlotIsRefused() {
        refused(store(BLOCK, 1, 1), StoreRefusal.NOT_HOLDER);
    }

    @PlantedBug(
            in = FpCoding.class,
            rule = "an extent server checks fragments against fpcc",
            replace = "return isFragmentOf(checksum, slot, fragment) ? "
                    + "Optional.of(new Accepted(fragment, true)) : Optional.empty();",
            with = "return Optional.of(new Accepted(fragment, true));")
    @Test
    void whoSendsNonsenseIsKeptOutForAWhile() {
        BlockCode.Encoded right = content(1, 100);
        refused(new Store(BLOCK, 1, 0, right.fragments().get(1), right.fpcc()), StoreRefusal.INCONSISTENT);
        refused(store(LocalNode.block(2), 0, 2), StoreRefusal.LIMIT);
        node.pass(500);
        stored(LocalNode.block(2), 2);
    }

    @PlantedBug(
            in = ExtentServer.class,
            rule = "an unknown session stores nothing",
            replace = "if (session.state != SessionState.OPEN) {",
            with = "if (false) {")
    @Test
    void anUnknownSessionStoresNothing() {
        node.session = SessionState.UNKNOWN;
        assertThat(node.ask(OWNER, store(BLOCK, 0, 1))).isEmpty();
        node.pass(3_000);
        assertThat(node.answers).containsExactly(new NotStored(BLOCK, 1, StoreRefusal.NO_SESSION));
        assertThat(node.has(BLOCK)).isFalse();
    }

    @PlantedBug(
            in = ExtentSessions.class,
            rule = "a closed session stays closed",
            replace = "if (session != null && session.state != SessionState.CLOSED) {",
            with = "if (session != null) {")
    @Test
    void aClosedSessionStaysClosed() {
        stored(BLOCK, 1);
        node.tell(new Fact.OfSession(VOLUME, OWNER, 1, SessionState.CLOSED));
        node.tell(new Fact.OfSession(VOLUME, OWNER, 1, SessionState.OPEN));
        refused(store(LocalNode.block(2), 0, 2), StoreRefusal.SESSION_CLOSED);
    }

    @PlantedBug(
            in = ExtentBlocks.class,
            rule = "a store that ends after its session was closed is not answered OK",
            replace = "end.run(next, refusal(block, session, Optional.of(fresh), proposal));",
            with = "end.run(next, null);")
    @Test
    void whatIsClosedWhileItIsStoredIsNotAcknowledged() {
        stored(LocalNode.block(2), 2);
        node.holdStores = true;
        assertThat(node.ask(OWNER, store(BLOCK, 0, 1))).isEmpty();
        node.tell(new Fact.OfSession(VOLUME, OWNER, 1, SessionState.CLOSED));
        node.release(0);
        assertThat(node.answers).containsExactly(new NotStored(BLOCK, 1, StoreRefusal.SESSION_CLOSED));
    }

    /** A freed extent is deleted while its store is still in flight: it must be deleted again when that ends. */
    @PlantedBug(
            in = ExtentBlocks.class,
            rule = "an extent that is freed during its store is removed",
            replace = "if (session.isFreed(block)) { delete(next, session, block, "
                    + "Optional.of(fresh), after -> end.run(after, StoreRefusal.FREED));",
            with = "if (false) { delete(next, session, block, Optional.of(fresh), after -> "
                    + "end.run(after, StoreRefusal.FREED));")
    @Test
    void whatIsFreedWhileItIsStoredIsGone() {
        stored(LocalNode.block(2), 2);
        node.holdStores = true;
        assertThat(node.ask(OWNER, store(BLOCK, 0, 1))).isEmpty();
        node.tell(new Fact.Freed(RANGE));
        assertThat(node.held).hasSize(2);
        node.release(1);
        node.holdStores = false;
        while (!node.held.isEmpty()) {
            node.release(0);
        }
        assertThat(node.answers).containsExactly(new NotStored(BLOCK, 1, StoreRefusal.FREED));
        assertThat(node.has(BLOCK)).isFalse();
    }

    @PlantedBug(
            in = ExtentSessions.class,
            rule = "freed ranges outlive a restart",
            replace = "session.toSweep.add(new long[] {range.first(), range.first() + "
                    + "range.count() - 1}); save(next, session);",
            with = "session.toSweep.add(new long[] {range.first(), range.first() + "
                    + "range.count() - 1}); sweepNext(next, session);")
    @Test
    void whatIsFreedIsRememberedBeforeItIsDeleted() {
        stored(BLOCK, 1);
        node.holdStores = true;
        node.tell(new Fact.Freed(RANGE));
        node.release(0);
        node.restart();
        refused(store(BLOCK, 0, 1), StoreRefusal.FREED);
    }

    @Test
    void anInterruptedDeletionIsResumed() {
        stored(BLOCK, 1);
        node.holdStores = true;
        node.tell(new Fact.Freed(RANGE));
        node.release(0);
        assertThat(node.has(BLOCK)).as("the deletion itself is held").isTrue();
        node.restart();
        node.pass(200);
        assertThat(node.has(BLOCK)).isFalse();
    }

    @Test
    void aFragmentThatTheStoreFindsDamagedIsNotServed() {
        stored(BLOCK, 1);
        node.damage(BLOCK);
        assertThat(node.ask(OWNER, new ReadPinned(BLOCK, 1, 0, pin(1), true)))
                .containsExactly(new NotFound(BLOCK, 1, ReadRefusal.DAMAGED));
        assertThat(node.runs).as("repairs").hasSize(1);
    }

    /** A freed extent is deleted while the repair's store is still in flight. */
    @Test
    void whatIsFreedWhileItIsRepairedIsGone() {
        node.ask(OWNER, new ReadPinned(BLOCK, 1, 0, pin(1), true));
        node.tell(new Fact.OfPin(BLOCK, pin(1)));
        BlockCode.Encoded encoded = content(1, 100);
        Bytes fragment = encoded.fragments().getFirst();
        node.holdStores = true;
        node.complete(node.runs.getFirst(), new RepairOutcome.Rebuilt(encoded.fpcc(), fragment));
        node.tell(new Fact.Freed(RANGE));
        assertThat(node.held).hasSize(2);
        node.release(1);
        node.holdStores = false;
        while (!node.held.isEmpty()) {
            node.release(0);
        }
        assertThat(node.has(BLOCK)).isFalse();
    }

    /** A node that lost its record may have stored this version: it is not one of those that never did. */
    @PlantedBug(
            in = Repairs.class,
            rule = "a lost record is no proof that an extent was never stored",
            replace = "pin, !lost,",
            with = "pin, true,")
    @Test
    void whoLostItsRecordDoesNotSayNeverStored() {
        stored(BLOCK, 1);
        node.lose(BLOCK);
        node.restart();
        node.ask(OWNER, new ReadPinned(BLOCK, 1, 0, pin(1), false));
        node.tell(new Fact.OfPin(BLOCK, pin(1)));
        ClientOperation<?> repair = node.runs.getLast().operation();
        repair.start(node.now);
        for (int peer = 1; peer <= 2; peer++) {
            repair.onMessage(node.now, PrincipalId.node(peer), new NotFound(BLOCK, 1, ReadRefusal.NONE));
        }
        assertThat(repair.outcome()).isEmpty();
    }

    @Test
    void hintsOfOneAskerAreRationed() {
        stored(BLOCK, 1);
        for (int hint = 0; hint < 5; hint++) {
            node.ask(PrincipalId.client(2), new Suspect(BLOCK, 1, 0, pin(1), 2));
        }
        assertThat(node.runs).hasSize(ExtentLimits.standard().suspicionsPerTick());
    }

    /** A holder that was given another slot makes the fragment of that slot again. */
    @Test
    void aFragmentCutForAnotherSlotIsNotServed() {
        stored(BLOCK, 1);
        node.use(LocalNode.volume(2, List.of(1, 0, 2, 3)));
        assertThat(node.ask(OWNER, new ReadPinned(BLOCK, 2, 1, pin(1), true)))
                .containsExactly(new NotFound(BLOCK, 2, ReadRefusal.NONE));
    }

    @PlantedBug(
            in = ExtentServer.class,
            rule = "an extent server refuses an older epoch",
            replace =
                    "if (request.epoch() != group.epoch() || !seals.serves(volume.id(), index, " + "group.epoch())) {",
            with = "if (request.epoch() > group.epoch()) {")
    @Test
    void aMapOfAnOlderEpochIsNotTaken() {
        stored(BLOCK, 1);
        node.use(LocalNode.volume(2, List.of(0, 1, 2, 3)));
        ReadPinned read = new ReadPinned(BLOCK, 2, 0, pin(1), true);
        assertThat(node.ask(PrincipalId.client(2), read)).singleElement().isInstanceOf(ExtentMessage.Found.class);
        // ReplicaFacts that are behind.
        node.use(LocalNode.volume(1, List.of(0, 1, 2, 3)));
        node.tell(new Fact.OfVolume(VOLUME, Optional.of(LocalNode.volume(1, List.of(0, 1, 2, 3)))));
        assertThat(node.ask(PrincipalId.client(2), read)).singleElement().isInstanceOf(ExtentMessage.Found.class);
        assertThat(node.ask(PrincipalId.client(2), new ReadPinned(BLOCK, 1, 0, pin(1), true)))
                .containsExactly(new NotFound(BLOCK, 2, ReadRefusal.WRONG_EPOCH));
    }
}
