package io.bulwark.protocol.extent;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.extent.ExtentMessage.Acknowledged;
import io.bulwark.protocol.extent.ExtentMessage.Answer;
import io.bulwark.protocol.extent.ExtentMessage.CheckDepth;
import io.bulwark.protocol.extent.ExtentMessage.Complete;
import io.bulwark.protocol.extent.ExtentMessage.Completed;
import io.bulwark.protocol.extent.ExtentMessage.Found;
import io.bulwark.protocol.extent.ExtentMessage.NotFound;
import io.bulwark.protocol.extent.ExtentMessage.NotStored;
import io.bulwark.protocol.extent.ExtentMessage.ReadPinned;
import io.bulwark.protocol.extent.ExtentMessage.Store;
import io.bulwark.protocol.extent.ExtentMessage.StoreBlock;
import io.bulwark.protocol.fingerprint.CrossChecksum;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Extents under PASIS: b = 1, any 2 of 5. */
@NullMarked
class PasisExtentTest {
    private static final List<Integer> HOLDERS = List.of(0, 1, 2, 3, 4);
    private static final BlockId BLOCK = LocalNode.block(1);
    private static final Bytes CONTENT = Bytes.of("Bulwark!".getBytes(StandardCharsets.US_ASCII));
    private static final Volume LAZY = volume(Verification.LAZY, HOLDERS);
    private static final ExtentCoding CODING = ExtentCoding.of(LAZY.policy());
    private static final ExtentCoding.Encoded GOOD = CODING.encode(CONTENT);
    private static final ExtentCoding.Encoded POISON = poison();
    private static final PrincipalId SELF = PrincipalId.node(0);
    private static final Fact FREED =
            new Fact.Freed(new BlockRange(LocalNode.VOLUME, LocalNode.OWNER, BLOCK.session(), BLOCK.counter(), 1));

    private static Volume volume(Verification verification, List<Integer> holders) {
        ProtectionPolicy policy = ProtectionPolicy.pasis(1, 2, 5, 4096, verification);
        return new Volume(LocalNode.VOLUME, "v", VolumeKind.OBJECT, policy, 0, List.of(new PlacementGroup(1, holders)));
    }

    private static ExtentCoding.Encoded poison() {
        List<Bytes> mixed = new ArrayList<>(GOOD.fragments());
        mixed.set(1, CODING.encode(Bytes.of(new byte[8])).fragments().get(1));
        return new ExtentCoding.Encoded(CrossChecksum.of(mixed), mixed);
    }

    private static List<Effect> found(ExtentRead read, ExtentCoding.Encoded of, int slot, boolean verified) {
        Bytes fragment = of.fragments().get(slot);
        return answer(read, slot, new Found(BLOCK, 1, of.checksum(), fragment, verified));
    }

    private static List<Effect> answer(ExtentRead read, int slot, Answer answer) {
        return read.onMessage(1, PrincipalId.node(slot), answer);
    }

    private static ExtentRead read(ExtentCoding.Encoded of) {
        ExtentRead read = new ExtentRead(LAZY, BLOCK, of.checksum().pin(), Set.of(), ExtentTiming.standard());
        read.start(0);
        return read;
    }

    @Test
    void aWriteGoesToAllAndIsDoneAtAllButB() {
        ExtentWrite write = new ExtentWrite(LAZY, BLOCK, CONTENT, ExtentTiming.standard());
        assertThat(write.start(0)).hasSize(5).allMatch(effect -> ((Effect.Send) effect).message() instanceof Store);
        for (int slot = 0; slot < 4; slot++) {
            assertThat(write.outcome()).isEmpty();
            write.onMessage(1, PrincipalId.node(slot), new Acknowledged(BLOCK, 1));
        }
        assertThat(write.outcome())
                .contains(new WriteOutcome.Complete(GOOD.checksum().pin(), 1));
        assertThat(write.isFinished()).as("goes on with the slow one").isFalse();
    }

    @Test
    void underWriteTimeEachNodeGetsTheBlock() {
        Volume volume = volume(Verification.WRITE_TIME, HOLDERS);
        ExtentWrite write = new ExtentWrite(volume, BLOCK, CONTENT, ExtentTiming.standard());
        assertThat(write.start(0))
                .hasSize(5)
                .allMatch(effect -> ((Effect.Send) effect).message() instanceof StoreBlock);
    }

    @PlantedBug(
            in = ExtentRead.class,
            rule = "b + 1 verified flags are needed for an extent",
            replace = "return excluded.isEmpty() && verified > policy.f();",
            with = "return excluded.isEmpty() && verified >= policy.f();")
    @Test
    void bVerifiedFlagsSpareNoValidation() {
        ExtentRead read = read(POISON);
        found(read, POISON, 0, true);
        List<Effect> effects = found(read, POISON, 1, false);
        assertThat(read.outcome()).contains(new ReadOutcome.Poisonous());
        assertThat(effects)
                .filteredOn(Effect.Evidence.class::isInstance)
                .singleElement()
                .isInstanceOfSatisfying(Effect.Evidence.class, evidence -> {
                    assertThat(evidence.about()).isEqualTo(LocalNode.OWNER);
                    assertThat(evidence.verdict()).isEqualTo(Verdict.POISONOUS);
                    assertThat(evidence.session()).as("a reader reports nobody").isZero();
                });
    }

    @Test
    void oneFlagOfACorrectNodeIsEnough() {
        // It needs two liars beside a faulty writer; that this is read shows that nothing is encoded again.
        ExtentRead read = read(POISON);
        found(read, POISON, 0, true);
        found(read, POISON, 1, true);
        assertThat(read.outcome()).containsInstanceOf(ReadOutcome.Whole.class);
    }

    @Test
    void aNodeThatMakesAFragmentBelievesNobody() {
        ExtentRead read = ExtentRead.forJudgement(
                LAZY, BLOCK, POISON.checksum().pin(), Set.of(), Set.of(0), ExtentTiming.standard());
        read.start(0);
        found(read, POISON, 1, true);
        found(read, POISON, 2, true);
        assertThat(read.outcome()).contains(new ReadOutcome.Poisonous());
    }

    @PlantedBug(
            in = ExtentRead.class,
            rule = "b + 1 nodes must call an extent poisonous",
            replace = "} else if (count(ReadRefusal.POISONOUS) > f) {",
            with = "} else if (count(ReadRefusal.POISONOUS) >= f) {")
    @Test
    void bNodesThatCallItPoisonousConvinceNobody() {
        ExtentRead read = read(GOOD);
        answer(read, 0, new NotFound(BLOCK, 1, ReadRefusal.POISONOUS));
        assertThat(read.outcome()).isEmpty();
        found(read, GOOD, 1, false);
        found(read, GOOD, 2, false);
        assertThat(read.outcome()).contains(new ReadOutcome.Whole(CONTENT));
        assertThat(read.verdicts()).isEqualTo(Map.of(0, Verdict.MISBEHAVED));

        ExtentRead told = read(POISON);
        answer(told, 0, new NotFound(BLOCK, 1, ReadRefusal.POISONOUS));
        answer(told, 1, new NotFound(BLOCK, 1, ReadRefusal.POISONOUS));
        assertThat(told.outcome()).contains(new ReadOutcome.Poisonous());
    }

    private static LocalNode node(List<Integer> holders) {
        LocalNode node = new LocalNode();
        node.volume = volume(Verification.LAZY, holders);
        return node;
    }

    private static void store(LocalNode node, ExtentCoding.Encoded of, int slot) {
        assertThat(node.ask(
                        LocalNode.OWNER,
                        new Store(BLOCK, 1, slot, of.fragments().get(slot), of.checksum())))
                .containsExactly(new Acknowledged(BLOCK, 1));
    }

    private static List<Answer> complete(LocalNode node, ExtentCoding.Encoded of, int slot, CheckDepth look) {
        return node.ask(SELF, new Complete(BLOCK, 1, slot, of.checksum().pin(), look));
    }

    private static List<Answer> pinned(LocalNode node, ExtentCoding.Encoded of) {
        return node.ask(
                PrincipalId.client(7), new ReadPinned(BLOCK, 1, 0, of.checksum().pin(), true));
    }

    private static Completed completed(CompletionResult result) {
        return new Completed(BLOCK, 1, result);
    }

    private static Found held(boolean verified) {
        return new Found(BLOCK, 1, GOOD.checksum(), GOOD.fragments().getFirst(), verified);
    }

    @Test
    void whatWasVerifiedIsSaidToReadersAndNotVerifiedAgain() {
        LocalNode node = node(HOLDERS);
        store(node, GOOD, 0);
        assertThat(pinned(node, GOOD)).containsExactly(held(false));
        assertThat(complete(node, GOOD, 0, CheckDepth.FRAGMENT)).containsExactly(completed(CompletionResult.HELD));
        assertThat(node.runs).isEmpty();
        assertThat(complete(node, GOOD, 0, CheckDepth.OTHERS)).isEmpty();
        Bytes own = GOOD.fragments().getFirst();
        node.complete(node.runs.getLast(), new RepairOutcome.Rebuilt(GOOD.checksum(), own));
        assertThat(node.answers).containsExactly(completed(CompletionResult.VERIFIED));
        node.restart();
        assertThat(pinned(node, GOOD)).containsExactly(held(true));
        assertThat(complete(node, GOOD, 0, CheckDepth.OTHERS)).containsExactly(completed(CompletionResult.HELD));
        assertThat(node.runs).isEmpty();
    }

    @PlantedBug(
            in = ExtentBlocks.class,
            rule = "poison is remembered over a restart",
            replace = ": new Mutation.Put(ExtentRecord.key(block), fresh.encoded(block), Bytes.EMPTY);",
            with = ": new Mutation.Delete(ExtentRecord.key(block));")
    @Test
    void poisonIsDroppedAndRememberedAndNeverRepaired() {
        LocalNode node = node(HOLDERS);
        store(node, POISON, 0);
        assertThat(node.unreferencedBytes()).isPositive();
        complete(node, POISON, 0, CheckDepth.OTHERS);
        node.complete(node.runs.getLast(), new RepairOutcome.Poisonous());
        assertThat(node.answers).containsExactly(completed(CompletionResult.POISONOUS));
        assertThat(node.evidence).singleElement().satisfies(evidence -> {
            assertThat(evidence.about()).isEqualTo(BLOCK.owner());
            assertThat(evidence.verdict()).isEqualTo(Verdict.POISONOUS);
            assertThat(evidence.session()).isEqualTo(BLOCK.session());
        });
        assertThat(node.unreferencedBytes()).isZero();
        node.restart();
        assertThat(pinned(node, POISON)).containsExactly(new NotFound(BLOCK, 1, ReadRefusal.POISONOUS));
        assertThat(pinned(node, GOOD)).containsExactly(new NotFound(BLOCK, 1, ReadRefusal.OTHER_VERSION));
        for (CheckDepth look : CheckDepth.values()) {
            assertThat(complete(node, POISON, 0, look)).containsExactly(completed(CompletionResult.POISONOUS));
        }
        assertThat(node.ask(
                        LocalNode.OWNER,
                        new Store(BLOCK, 1, 0, POISON.fragments().getFirst(), POISON.checksum())))
                .containsExactly(new NotStored(BLOCK, 1, StoreRefusal.OTHER_CONTENT));
        assertThat(node.runs).isEmpty();
    }

    @Test
    void nothingIsNotedOfPoisonThatWasFreedBefore() {
        LocalNode node = node(HOLDERS);
        store(node, POISON, 0);
        complete(node, POISON, 0, CheckDepth.OTHERS);
        node.tell(FREED);
        assertThat(node.has(BLOCK)).isFalse();
        node.holdStores = true;
        node.complete(node.runs.getLast(), new RepairOutcome.Poisonous());
        assertThat(node.held)
                .allSatisfy(store -> assertThat(store.mutations()).allMatch(Mutation.Delete.class::isInstance));
        while (!node.held.isEmpty()) {
            node.release(0);
        }
        assertThat(node.answers).containsExactly(completed(CompletionResult.FREED));
        assertThat(node.has(BLOCK)).isFalse();
    }

    /** The node looks for records of the freed range while none is on the disk yet. */
    @Test
    void poisonThatIsFreedWhileItIsNotedIsForgotten() {
        LocalNode node = node(HOLDERS);
        complete(node, POISON, 0, CheckDepth.RECORD);
        node.holdStores = true;
        node.complete(node.runs.getLast(), new RepairOutcome.Poisonous());
        node.tell(FREED);
        assertThat(node.held).hasSize(2);
        node.release(1);
        node.holdStores = false;
        while (!node.held.isEmpty()) {
            node.release(0);
        }
        assertThat(node.has(BLOCK)).isFalse();
    }

    @Test
    void onlyTheHoldersOfTheFirst2bPlus1SlotsVerify() {
        LocalNode third = node(List.of(1, 2, 0, 3, 4));
        store(third, GOOD, 2);
        assertThat(complete(third, GOOD, 2, CheckDepth.OTHERS)).isEmpty();
        assertThat(third.runs).hasSize(1);
        LocalNode fourth = node(List.of(1, 2, 3, 0, 4));
        store(fourth, GOOD, 3);
        assertThat(complete(fourth, GOOD, 3, CheckDepth.OTHERS)).containsExactly(completed(CompletionResult.HELD));
        assertThat(fourth.runs).isEmpty();
    }
}
