package io.bulwark.protocol.extent;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.extent.ExtentMessage.Answer;
import io.bulwark.protocol.extent.ExtentMessage.Found;
import io.bulwark.protocol.extent.ExtentMessage.Holds;
import io.bulwark.protocol.extent.ExtentMessage.ReadPinned;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Latency of reads from loaded slots in virtual time (e-SAFE figure 18): each answer waits between 0 and delta. 240 KB at
 * stretch 2 in 16 blocks, and at stretch 4 in 64, of a delivered extent. {@code -Dbulwark.reads} reads of each kind.
 */
@NullMarked
class LoadedSlotsTest {
    private static final int BYTES = 240_000;
    private static final int READS = Integer.getInteger("bulwark.reads", 100);
    private static final long TICK_MILLIS = 5;
    private static final BlockId BLOCK = LocalNode.block(1);
    private static final Kind TWO = new Kind(8, 16);
    private static final Kind FOUR = new Kind(16, 64);

    private final long seed = Long.getLong("bulwark.seed", new Random().nextLong());
    private final Random random = new Random(seed);

    private record Arrival(long millis, int slot, Answer answer) {}

    private static final class Kind {
        private final Volume volume;
        private final ExtentCoding.Encoded encoded;
        private final VerifiedPins verified = new VerifiedPins(4);

        Kind(int m, int n) {
            ProtectionPolicy policy = ProtectionPolicy.archive(1, m, n, 1 << 18);
            PlacementGroup group =
                    new PlacementGroup(1, IntStream.range(0, n).boxed().toList());
            volume = new Volume(LocalNode.VOLUME, "v", VolumeKind.OBJECT, policy, 0, List.of(group));
            encoded = ExtentCoding.of(policy).encode(Bytes.of(new byte[policy.paddedBytes(BYTES)]));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {10, 100, 1_000, 10_000})
    void moreSpareSlotsMakeReadsOfLoadedSlotsFaster(long delta) {
        long[] two = latencies(TWO, delta);
        long[] four = latencies(FOUR, delta);
        System.out.printf(
                Locale.ROOT,
                "| %d | %d, %d | %d, %d | %.1f |%n",
                delta,
                two[READS / 2],
                two[READS * 99 / 100],
                four[READS / 2],
                four[READS * 99 / 100],
                (double) two[READS / 2] / Math.max(1, four[READS / 2]));
        long samplingError = delta / 5;
        assertThat(four[READS / 2])
                .as("seed %d", seed)
                .isLessThanOrEqualTo(two[READS / 2] + TICK_MILLIS + samplingError);
    }

    private long[] latencies(Kind kind, long delta) {
        long[] latencies = new long[READS];
        for (int i = 0; i < READS; i++) {
            latencies[i] = latency(kind, delta);
        }
        Arrays.sort(latencies);
        return latencies;
    }

    private long latency(Kind kind, long delta) {
        ExtentRead read = new ExtentRead(
                        kind.volume, BLOCK, kind.encoded.checksum().pin(), Set.of(), ExtentTiming.standard())
                .withVerified(kind.verified);
        PriorityQueue<Arrival> arrivals = new PriorityQueue<>((a, b) -> Long.compare(a.millis, b.millis));
        send(kind, delta, 0, read.start(0), arrivals);
        long now = 0;
        while (read.outcome().isEmpty()) {
            long tick = (now / TICK_MILLIS + 1) * TICK_MILLIS;
            if (!arrivals.isEmpty() && arrivals.peek().millis <= tick) {
                Arrival next = arrivals.remove();
                now = next.millis;
                send(kind, delta, now, read.onMessage(now, PrincipalId.node(next.slot), next.answer), arrivals);
            } else {
                now = tick;
                send(kind, delta, now, read.onTick(now), arrivals);
            }
        }
        assertThat(read.outcome()).get().as("seed %d", seed).isInstanceOf(ReadOutcome.Whole.class);
        return now;
    }

    private void send(Kind kind, long delta, long now, List<Effect> effects, PriorityQueue<Arrival> arrivals) {
        for (Effect effect : effects) {
            if (effect instanceof Effect.Send send && send.message() instanceof ReadPinned asked) {
                Answer answer = asked.wantFragment()
                        ? new Found(
                                BLOCK,
                                1,
                                kind.encoded.checksum(),
                                kind.encoded.fragments().get(asked.slot()),
                                true,
                                Delivery.DELIVERED)
                        : new Holds(BLOCK, 1, Delivery.DELIVERED);
                arrivals.add(new Arrival(now + random.nextLong(delta + 1), asked.slot(), answer));
            }
        }
    }
}
