package io.bulwark.protocol.extent;

import static io.bulwark.protocol.extent.LocalNode.OWNER;
import static io.bulwark.protocol.extent.LocalNode.POLICY;
import static io.bulwark.protocol.extent.LocalNode.VOLUME;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.extent.ExtentMessage.Acknowledged;
import io.bulwark.protocol.extent.ExtentMessage.CheckDepth;
import io.bulwark.protocol.extent.ExtentMessage.Complete;
import io.bulwark.protocol.extent.ExtentMessage.Completed;
import io.bulwark.protocol.extent.ExtentMessage.Found;
import io.bulwark.protocol.extent.ExtentMessage.Holds;
import io.bulwark.protocol.extent.ExtentMessage.NotFound;
import io.bulwark.protocol.extent.ExtentMessage.NotStored;
import io.bulwark.protocol.extent.ExtentMessage.ReadPinned;
import io.bulwark.protocol.extent.ExtentMessage.Store;
import io.bulwark.protocol.extent.ExtentMessage.Suspect;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * Tests docs/protocols/extents.md at one node: referenced extents are completed and charged no longer; doubted ones are
 * compared.
 */
@NullMarked
class ExtentCompletionTest {
    private static final PrincipalId SELF = PrincipalId.node(0);
    private static final BlockId BLOCK = LocalNode.block(1);
    private static final BlockCode CODE = BlockCode.ofAll(POLICY.m(), POLICY.n());

    private final LocalNode node = new LocalNode();

    private static BlockCode.Encoded content(int seed) {
        byte[] bytes = new byte[100];
        new Random(seed).nextBytes(bytes);
        return CODE.encode(Bytes.of(bytes));
    }

    private static Bytes pin(int seed) {
        return content(seed).fpcc().pin();
    }

    private static Store store(BlockId block, int seed) {
        BlockCode.Encoded encoded = content(seed);
        return new Store(block, 1, 0, encoded.fragments().getFirst(), encoded.fpcc());
    }

    private static Bytes fragment(int seed) {
        return content(seed).fragments().getFirst();
    }

    private static RepairOutcome rebuilt(int seed) {
        return new RepairOutcome.Rebuilt(content(seed).fpcc(), fragment(seed));
    }

    private static BlockRange range(long first, long count) {
        return new BlockRange(VOLUME, OWNER, 1, first, count);
    }

    private void stored(long counter, int seed) {
        BlockId block = LocalNode.block(counter);
        assertThat(node.ask(OWNER, store(block, seed))).containsExactly(new Acknowledged(block, 1));
    }

    private void refused(long counter, int seed, StoreRefusal reason) {
        BlockId block = LocalNode.block(counter);
        assertThat(node.ask(OWNER, store(block, seed))).containsExactly(new NotStored(block, 1, reason));
    }

    private List<ExtentMessage.Answer> complete(int seed, boolean verify) {
        return node.ask(SELF, new Complete(BLOCK, 1, 0, pin(seed), verify ? CheckDepth.FRAGMENT : CheckDepth.RECORD));
    }

    private static Completed completed(CompletionResult result) {
        return new Completed(BLOCK, 1, result);
    }

    private void reads(int seed) {
        assertThat(node.ask(OWNER, new ReadPinned(BLOCK, 1, 0, pin(seed), true)))
                .containsExactly(new Found(BLOCK, 1, content(seed).fpcc(), fragment(seed), true));
        assertThat(node.ask(OWNER, new ReadPinned(BLOCK, 1, 0, pin(seed), false)))
                .containsExactly(new Holds(BLOCK, 1));
    }

    private void readsNot(int seed, ReadRefusal reason) {
        assertThat(node.ask(OWNER, new ReadPinned(BLOCK, 1, 0, pin(seed), true)))
                .containsExactly(new NotFound(BLOCK, 1, reason));
    }

    private void reported(int times) {
        assertThat(node.evidence).hasSize(times).allSatisfy(seen -> {
            assertThat(seen.about()).isEqualTo(SELF);
            assertThat(seen.verdict()).isEqualTo(Verdict.DAMAGED);
        });
    }

    @Test
    void whatIsReferencedIsChargedNoLongerAlsoAfterARestart() {
        stored(1, 1);
        stored(2, 2);
        long each = node.unreferencedBytes() / 2;
        assertThat(each).isGreaterThan(content(1).fpcc().length());
        assertThat(complete(1, false)).containsExactly(completed(CompletionResult.HELD));
        assertThat(complete(1, true)).containsExactly(completed(CompletionResult.HELD));
        assertThat(node.runs).isEmpty();
        assertThat(node.unreferencedBytes()).isEqualTo(each);
        node.restart();
        node.pass(50);
        assertThat(node.unreferencedBytes()).isEqualTo(each);
        reads(1);
        reported(0);
    }

    @Test
    void whatIsMissingIsMadeAndNotCharged() {
        assertThat(complete(1, false)).isEmpty();
        readsNot(1, ReadRefusal.NONE);
        node.complete(node.runs.getFirst(), rebuilt(1));
        assertThat(node.answers).contains(completed(CompletionResult.COMPLETED));
        reads(1);
        assertThat(node.unreferencedBytes()).isZero();
        reported(0);
    }

    @Test
    void aPinThatIsToldBeforeItsVolumeIsCompletedWhenThatIsKnown() {
        node.tell(new Fact.OfPin(BLOCK, pin(1)));
        assertThat(node.runs).as("the volume was asked for").hasSize(1);
    }

    @Test
    void whatIsDamagedIsMadeAgain() {
        stored(1, 1);
        node.corrupt(BLOCK);
        assertThat(complete(1, false)).as("by its record").containsExactly(completed(CompletionResult.HELD));
        assertThat(complete(1, true)).isEmpty();
        reported(1);
        node.complete(node.runs.getFirst(), rebuilt(1));
        assertThat(node.answers).containsExactly(completed(CompletionResult.REPAIRED));
        assertThat(node.unreferencedBytes()).isZero();
        reads(1);
    }

    @Test
    void aLostRecordIsReportedAndMadeAgain() {
        stored(1, 1);
        node.lose(BLOCK);
        node.restart();
        assertThat(complete(1, false)).isEmpty();
        reported(1);
        node.complete(node.runs.getFirst(), rebuilt(1));
        assertThat(node.answers).containsExactly(completed(CompletionResult.REPAIRED));
        reads(1);
    }

    /** The other version is removed at once, and never returns. It is no evidence against anybody. */
    @Test
    void anotherVersionThanTheReferencedOneIsDiscarded() {
        stored(1, 2);
        assertThat(complete(1, false)).isEmpty();
        assertThat(node.unreferencedBytes()).isZero();
        readsNot(2, ReadRefusal.OTHER_VERSION);
        readsNot(1, ReadRefusal.NONE);
        refused(1, 2, StoreRefusal.OTHER_CONTENT);
        reported(0);
        node.answers.clear();
        node.complete(node.runs.getFirst(), rebuilt(1));
        assertThat(node.answers).containsExactly(completed(CompletionResult.REPAIRED));
        reads(1);
    }

    @Test
    void afterTheDiscardTheWriterMayStoreTheReferencedVersion() {
        stored(1, 2);
        complete(1, false);
        node.restart();
        refused(1, 2, StoreRefusal.OTHER_CONTENT);
        stored(1, 1);
        assertThat(node.unreferencedBytes()).isZero();
        reads(1);
    }

    @Test
    void whatBecameOfARepairIsTold() {
        Map<RepairOutcome, CompletionResult> results = Map.of(
                new RepairOutcome.Incomplete(), CompletionResult.INCOMPLETE,
                new RepairOutcome.Freed(), CompletionResult.FREED,
                new RepairOutcome.Unavailable(Map.of()), CompletionResult.UNAVAILABLE);
        results.forEach((outcome, result) -> {
            node.runs.clear();
            assertThat(complete(1, false)).isEmpty();
            assertThat(complete(1, false)).as("both wait for one repair").isEmpty();
            assertThat(node.runs).hasSize(1);
            node.complete(node.runs.getFirst(), outcome);
            assertThat(node.answers).containsExactly(completed(result), completed(result));
        });
    }

    @Test
    void aRepairOfWhatIsFreedMeanwhileKeepsNothing() {
        complete(1, false);
        node.tell(new Fact.Freed(range(1, 1)));
        node.complete(node.runs.getFirst(), rebuilt(1));
        assertThat(node.answers).containsExactly(completed(CompletionResult.FREED));
        assertThat(node.has(BLOCK)).isFalse();
        assertThat(complete(1, false)).containsExactly(completed(CompletionResult.FREED));
    }

    @Test
    void aRepairedVersionThatIsNotTheReferencedOneAnyMoreIsNotKept() {
        complete(1, false);
        complete(2, false);
        node.complete(node.runs.getFirst(), rebuilt(1));
        assertThat(node.answers).isNotEmpty().allMatch(completed(CompletionResult.REFUSED)::equals);
        assertThat(node.has(BLOCK)).isFalse();
    }

    @Test
    void withoutSpaceNothingIsPromisedNorCharged() {
        node.nextStore = Stored.NO_SPACE;
        refused(1, 1, StoreRefusal.NO_SPACE);
        complete(1, false);
        node.complete(node.runs.getFirst(), rebuilt(1));
        assertThat(node.answers).containsExactly(completed(CompletionResult.NO_SPACE));
        readsNot(1, ReadRefusal.NONE);
        node.nextStore = Stored.FAILED;
        refused(2, 1, StoreRefusal.DEVICE_FAILED);
        assertThat(node.unreferencedBytes()).isZero();
        node.nextStore = Stored.DURABLE;
        stored(1, 1);
        stored(2, 1);
    }

    /** Two extents fit; the third only when one of them is referenced, freed, or registered by a pending upload. */
    @Test
    void anOwnersUnreferencedBytesAreLimited() {
        stored(1, 1);
        node.limits = node.limits.withUnreferencedBytesMax(2 * node.unreferencedBytes());
        node.restart();
        stored(1, 1);
        stored(2, 2);
        node.pass(50);
        refused(3, 3, StoreRefusal.LIMIT);
        node.restart();
        stored(1, 1);
        node.pass(50);
        refused(3, 3, StoreRefusal.LIMIT);
        complete(1, false);
        stored(3, 3);
        refused(4, 4, StoreRefusal.LIMIT);
        node.tell(new Fact.Freed(range(2, 1)));
        stored(4, 4);
        refused(5, 5, StoreRefusal.LIMIT);
        node.tell(new Fact.Pending(range(3, 4)));
        stored(5, 5);
        stored(6, 6);
        assertThat(node.unreferencedBytes()).isZero();
        stored(7, 7);
        stored(8, 8);
        refused(9, 9, StoreRefusal.LIMIT);
    }

    @Test
    void allPagesAreCountedAfterARestart() {
        stored(1, 1);
        long each = node.unreferencedBytes();
        for (int counter = 2; counter <= 1_030; counter++) {
            stored(counter, 1);
        }
        node.restart();
        node.pass(50);
        assertThat(node.unreferencedBytes()).isEqualTo(1_030 * each);
    }

    @Test
    void aClosedSessionKeepsWhatIsReferenced() {
        stored(1, 1);
        stored(2, 2);
        node.tell(new Fact.ClosedWith(VOLUME, OWNER, 1, List.of(range(1, 1))));
        assertThat(node.has(LocalNode.block(1))).isTrue();
        assertThat(node.has(LocalNode.block(2))).isFalse();
        reads(1);
        refused(2, 2, StoreRefusal.FREED);
    }

    @Test
    void whatTheDiskFailedToDeleteIsDeletedAtALaterTick() {
        stored(1, 1);
        node.holdStores = true;
        node.tell(new Fact.Freed(range(1, 1)));
        node.release(0);
        node.nextStore = Stored.FAILED;
        node.release(0);
        node.nextStore = Stored.DURABLE;
        node.holdStores = false;
        while (!node.held.isEmpty()) {
            node.release(0);
        }
        assertThat(node.has(BLOCK)).isTrue();
        node.pass(100);
        assertThat(node.has(BLOCK)).isFalse();
    }

    /** A disk that was swapped: right in itself, and not what the other slots give. */
    @Test
    void aSuspectedNodeComparesItsOwnFragment() {
        stored(1, 1);
        Suspect hint = new Suspect(BLOCK, 1, 0, pin(1), 0);
        node.ask(OWNER, hint);
        node.complete(node.runs.getFirst(), rebuilt(1));
        reported(0);
        node.pass(50);
        node.ask(OWNER, hint);
        Bytes other = Bytes.of(new byte[fragment(1).length()]);
        node.complete(node.runs.getLast(), new RepairOutcome.Rebuilt(content(1).fpcc(), other));
        reported(1);
        assertThat(node.unreferencedBytes()).as("no reference is known").isPositive();
    }

    @Test
    void aSuspectedNodeThatFindsPoisonDropsItsFragment() {
        stored(1, 1);
        node.ask(OWNER, new Suspect(BLOCK, 1, 0, pin(1), 0));
        node.complete(node.runs.getFirst(), new RepairOutcome.Poisonous());
        readsNot(1, ReadRefusal.POISONOUS);
        assertThat(node.unreferencedBytes()).isZero();
    }

    @Test
    void aSuspectedNodeMakesADamagedFragmentAgainAndJudgesOthers() {
        stored(1, 1);
        node.corrupt(BLOCK);
        node.ask(OWNER, new Suspect(BLOCK, 1, 0, pin(1), 0));
        reported(1);
        assertThat(node.runs.getLast().operation()).isInstanceOf(ExtentRepair.class);
        node.ask(PrincipalId.client(2), new Suspect(BLOCK, 1, 0, pin(1), 3));
        assertThat(node.runs.getLast().operation()).isInstanceOf(ExtentRead.class);
        node.ask(PrincipalId.client(3), new Suspect(BLOCK, 1, 0, pin(1), POLICY.n()));
        node.ask(PrincipalId.client(4), new Suspect(BLOCK, 1, 0, pin(2), 0));
        assertThat(node.runs).hasSize(2);
    }

    @Test
    void soManyRepairsRunAndSoManyWait() {
        int most = node.limits.repairsMax();
        for (int counter = 1; counter <= most + 1_024; counter++) {
            assertThat(node.ask(SELF, new Complete(LocalNode.block(counter), 1, 0, pin(1), CheckDepth.RECORD)))
                    .isEmpty();
        }
        assertThat(node.runs).hasSize(most);
        BlockId next = LocalNode.block(2_000);
        assertThat(node.ask(SELF, new Complete(next, 1, 0, pin(1), CheckDepth.RECORD)))
                .containsExactly(new Completed(next, 1, CompletionResult.UNAVAILABLE));
        Effect.Run first = node.runs.getFirst();
        node.complete(first, rebuilt(1));
        assertThat(node.runs).hasSize(most + 1);
    }
}
