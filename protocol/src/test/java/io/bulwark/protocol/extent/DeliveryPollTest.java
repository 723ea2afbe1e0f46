package io.bulwark.protocol.extent;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.extent.ExtentMessage.Answer;
import io.bulwark.protocol.extent.ExtentMessage.Holds;
import io.bulwark.protocol.extent.ExtentMessage.NotFound;
import io.bulwark.protocol.extent.ExtentMessage.ReadPinned;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** AVID-FP (thesis figure 2.3.2) by asking: f = 1, m = 2, n = 6. Slot 0 asks. */
@NullMarked
class DeliveryPollTest {
    private static final int N = 6;
    private static final ProtectionPolicy POLICY = ProtectionPolicy.archive(1, 2, N, 1 << 20);
    private static final BlockId BLOCK = LocalNode.block(1);
    private static final Bytes PIN = Bytes.of(new byte[32]);
    private static final Volume VOLUME = new Volume(
            LocalNode.VOLUME,
            "v",
            VolumeKind.OBJECT,
            POLICY,
            0,
            List.of(new PlacementGroup(1, IntStream.range(0, N).boxed().toList())));

    private static DeliveryPoll poll(int own, Delivery before) {
        DeliveryPoll poll = new DeliveryPoll(VOLUME, BLOCK, PIN, own, before, ExtentTiming.standard());
        // Slots 0 to 3f are witnesses.
        int expected = own > 3 ? 4 : before == Delivery.STORED ? N - 1 : 3;
        assertThat(poll.start(0))
                .as("only the pin is sent")
                .hasSize(expected)
                .allSatisfy(effect -> assertThat(((Effect.Send) effect).message())
                        .isInstanceOfSatisfying(
                                ReadPinned.class,
                                asked -> assertThat(asked.wantFragment()).isFalse()));
        return poll;
    }

    private static DeliveryPoll answered(Delivery before, Answer... answers) {
        DeliveryPoll poll = poll(0, before);
        for (int i = 0; i < answers.length; i++) {
            poll.onMessage(1, PrincipalId.node(i + 1), answers[i]);
        }
        poll.onTick(1_000);
        return poll;
    }

    private static Holds holds(Delivery stage) {
        return new Holds(BLOCK, 1, stage);
    }

    private static final Answer LACKS = new NotFound(BLOCK, 1, ReadRefusal.NONE);

    @Test
    void mPlusFEchoesMakeReadyLine701() {
        assertThat(answered(Delivery.STORED, holds(Delivery.STORED), LACKS).outcome())
                .contains(Delivery.STORED);
        assertThat(answered(Delivery.STORED, holds(Delivery.STORED), holds(Delivery.STORED))
                        .outcome())
                .contains(Delivery.READY);
    }

    @Test
    void fPlusOneReadiesMakeReadyLine801() {
        assertThat(answered(Delivery.STORED, holds(Delivery.READY)).outcome()).contains(Delivery.STORED);
        assertThat(answered(Delivery.STORED, holds(Delivery.READY), holds(Delivery.READY))
                        .outcome())
                .as("with its own ready these are 2f + 1")
                .contains(Delivery.DELIVERED);
    }

    @Test
    void twoFPlusOneReadiesDeliverLine804() {
        assertThat(answered(Delivery.READY, holds(Delivery.READY), holds(Delivery.STORED))
                        .outcome())
                .contains(Delivery.READY);
        DeliveryPoll poll = poll(0, Delivery.READY);
        poll.onMessage(1, PrincipalId.node(1), holds(Delivery.READY));
        poll.onMessage(1, PrincipalId.node(1), holds(Delivery.READY));
        assertThat(poll.isFinished()).as("one slot counts once").isFalse();
        poll.onMessage(1, PrincipalId.node(2), holds(Delivery.DELIVERED));
        assertThat(poll.outcome()).as("at once").contains(Delivery.DELIVERED);
    }

    /** Else holders that were ready and then found the writer's lie would keep the others from delivering for ever. */
    @Test
    void aSlotThatFoundTheSegmentToBeALieCountsAsReady() {
        NotFound poisonous = new NotFound(BLOCK, 1, ReadRefusal.POISONOUS);
        assertThat(answered(Delivery.READY, holds(Delivery.READY), poisonous, LACKS)
                        .outcome())
                .contains(Delivery.DELIVERED);
        assertThat(answered(Delivery.STORED, poisonous, LACKS).outcome())
                .as("one may lie")
                .contains(Delivery.STORED);
    }

    @Test
    void whereWitnessesAreSilentTheOthersAreAskedToo() {
        DeliveryPoll poll = poll(5, Delivery.STORED);
        poll.onMessage(1, PrincipalId.node(0), holds(Delivery.READY));
        assertThat(poll.onTick(400)).isEmpty();
        assertThat(poll.onTick(500)).hasSize(1);
        poll.onMessage(501, PrincipalId.node(4), holds(Delivery.READY));
        assertThat(poll.outcome()).contains(Delivery.DELIVERED);
    }

    @Test
    void readyStaysAndAnswersOfOtherEpochsDoNotCount() {
        assertThat(answered(Delivery.READY).outcome()).contains(Delivery.READY);
        assertThat(answered(Delivery.STORED, new Holds(BLOCK, 2, Delivery.READY), new Holds(BLOCK, 2, Delivery.READY))
                        .outcome())
                .contains(Delivery.STORED);
    }

    /**
     * Agreement: in random runs with a liar that tells each slot something else, and a writer that stored at any slots. If one correct
     * slot delivers, all correct ones do, once they hold their fragments; and never before m correct slots hold theirs.
     */
    @Test
    void onceOneCorrectSlotDeliversAllDo() {
        long seed = Long.getLong("bulwark.seed", new Random().nextLong());
        Random random = new Random(seed);
        int runs = 2_000;
        int delivered = 0;
        for (int run = 0; run < runs; run++) {
            delivered += new Run(new Random(random.nextLong()), "seed " + seed + ", run " + run).isDelivered() ? 1 : 0;
        }
        assertThat(delivered).as("both ends, seed %d", seed).isBetween(runs / 10, runs - runs / 10);
    }

    private static final class Run {
        private static final int LIAR = 3;

        private final Random random;
        private final String name;
        private final Map<Integer, Delivery> stages = new HashMap<>();

        Run(Random random, String name) {
            this.random = random;
            this.name = name;
            for (int slot = 0; slot < N; slot++) {
                if (slot != LIAR && random.nextBoolean()) {
                    stages.put(slot, Delivery.STORED);
                }
            }
        }

        boolean isDelivered() {
            for (int step = 0; step < 10; step++) {
                ask(random.nextInt(N));
                if (random.nextInt(4) == 0) {
                    disseminate(random.nextInt(N));
                }
            }
            boolean one = stages.containsValue(Delivery.DELIVERED);
            if (one) {
                for (int slot = 0; slot < N; slot++) {
                    disseminate(slot);
                }
                for (int round = 0; round < 2; round++) {
                    for (int slot = 0; slot < N; slot++) {
                        ask(slot);
                    }
                }
                assertThat(stages)
                        .as(name)
                        .hasSize(N - 1)
                        .allSatisfy((_, stage) -> assertThat(stage).isEqualTo(Delivery.DELIVERED));
            }
            return one;
        }

        private void disseminate(int slot) {
            if (slot != LIAR && stages.size() >= POLICY.m()) {
                stages.putIfAbsent(slot, Delivery.STORED);
            }
        }

        private void ask(int slot) {
            Delivery before = stages.get(slot);
            if (before == null) {
                return;
            }
            DeliveryPoll poll = poll(slot, before);
            for (int other = 0; other < N && !poll.isFinished(); other++) {
                Delivery stage = other == LIAR ? Delivery.values()[random.nextInt(3)] : stages.get(other);
                if (other != slot && (other != LIAR || random.nextBoolean())) {
                    poll.onMessage(1, PrincipalId.node(other), stage == null ? LACKS : holds(stage));
                }
            }
            poll.onTick(1_000);
            Delivery after = poll.outcome().orElseThrow();
            assertThat(after).as("%s: never back", name).isGreaterThanOrEqualTo(before);
            if (after != Delivery.STORED) {
                assertThat(stages.size())
                        .as("%s: m correct slots hold it", name)
                        .isGreaterThanOrEqualTo(POLICY.m());
            }
            stages.put(slot, after);
        }
    }
}
