package io.bulwark.protocol.extent;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.AvailabilityTarget;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.PolicyAdvice;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.extent.ExtentMessage.Acknowledged;
import io.bulwark.protocol.extent.ExtentMessage.Answer;
import io.bulwark.protocol.extent.ExtentMessage.Found;
import io.bulwark.protocol.extent.ExtentMessage.Holds;
import io.bulwark.protocol.extent.ExtentMessage.NotFound;
import io.bulwark.protocol.extent.ExtentMessage.ReadPinned;
import io.bulwark.protocol.extent.ExtentMessage.Supply;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Availability that reads of the archive class have, against the predicted one (e-SAFE 3.2): 40 nodes, of which 4 are silent
 * liars, and each other one is up with a probability. m is such that about half of the reads fail. {@code -Dbulwark.reads} reads of each kind.
 */
@NullMarked
@Tag("long")
class ArchiveAvailabilityTest {
    private static final int NODES = 40;
    private static final int FAULTS = 4;
    private static final int READS = Integer.getInteger("bulwark.reads", 1_000);
    private static final BlockId BLOCK = LocalNode.block(1);
    private static final ExtentTiming TIMING = new ExtentTiming(500, 1_000, 2_500, 0);
    /** Standard deviations that a measured share may be away from the expected one. */
    private static final double SIGMAS = 4.5;

    private final long seed = Long.getLong("bulwark.seed", new Random().nextLong());
    private final Random random = new Random(seed);
    private final VerifiedPins verified = new VerifiedPins(4);

    private record Extent(Volume volume, ExtentCoding.Encoded encoded) {
        static Extent of(ProtectionPolicy policy) {
            PlacementGroup group =
                    new PlacementGroup(1, IntStream.range(0, NODES).boxed().toList());
            return new Extent(
                    new Volume(LocalNode.VOLUME, "v", VolumeKind.OBJECT, policy, 0, List.of(group)),
                    ExtentCoding.of(policy).encode(Bytes.of(new byte[policy.paddedBytes(1_000)])));
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.5, 0.6, 0.7, 0.8, 0.9, 0.95})
    void readsFailAsOftenAsPredicted(double availability) {
        int others = NODES - FAULTS;
        ProtectionPolicy policy =
                ProtectionPolicy.archive(FAULTS, (int) Math.round(others * availability) - FAULTS, NODES, 1 << 20);
        AvailabilityTarget target = new AvailabilityTarget(availability, 1e-6);
        PolicyAdvice advice = PolicyAdvice.of(policy, target);
        Extent extent = Extent.of(policy);
        Set<Integer> all = new HashSet<>(IntStream.range(0, NODES).boxed().toList());
        double complete = failing(extent, availability, () -> all, Delivery.STORED);
        double delivered = failing(extent, availability, () -> all, Delivery.DELIVERED);
        double written = failing(extent, availability, () -> written(policy), Delivery.STORED);
        double fromM = target.shortfall(others, policy.m());
        System.out.printf(
                Locale.ROOT,
                "| %.2f | %d | %.4f, %.4f | %.4f, %.4f | %.4f, %.4f |%n",
                availability,
                policy.m(),
                written,
                advice.afterWrite(),
                complete,
                advice.whenComplete(),
                delivered,
                fromM);
        assertThat(complete)
                .as("complete, seed %d", seed)
                .isBetween(low(advice.whenComplete()), high(advice.whenComplete()));
        assertThat(delivered).as("delivered, seed %d", seed).isBetween(low(fromM), high(fromM));
        assertThat(written).as("a bound for any nodes, seed %d", seed).isLessThan(high(advice.afterWrite()));
    }

    private static double low(double expected) {
        return expected - SIGMAS * deviation(expected);
    }

    private static double high(double expected) {
        return expected + SIGMAS * deviation(expected);
    }

    private static double deviation(double expected) {
        return Math.sqrt(Math.max(expected * (1 - expected), 1.0 / READS) / READS);
    }

    /** The liars acknowledge a write, so that the fewest others hold it: any of them. */
    private Set<Integer> written(ProtectionPolicy policy) {
        Set<Integer> holders = new HashSet<>();
        while (holders.size() < policy.writeQuorum() - FAULTS) {
            holders.add(FAULTS + random.nextInt(NODES - FAULTS));
        }
        return holders;
    }

    private interface Holders {
        Set<Integer> next();
    }

    private double failing(Extent extent, double availability, Holders holders, Delivery stage) {
        int failed = 0;
        for (int i = 0; i < READS; i++) {
            Set<Integer> up = new HashSet<>();
            for (int slot = FAULTS; slot < NODES; slot++) {
                if (random.nextDouble() < availability) {
                    up.add(slot);
                }
            }
            failed += canRead(extent, up, new HashSet<>(holders.next()), stage) ? 0 : 1;
        }
        return (double) failed / READS;
    }

    private boolean canRead(Extent extent, Set<Integer> up, Set<Integer> holding, Delivery stage) {
        ExtentRead read = new ExtentRead(
                        extent.volume(), BLOCK, extent.encoded().checksum().pin(), Set.of(), TIMING)
                .withVerified(verified);
        Deque<Effect> effects = new ArrayDeque<>(read.start(0));
        for (long now = 0; read.outcome().isEmpty(); now += 500) {
            while (!effects.isEmpty()) {
                if (effects.removeFirst() instanceof Effect.Send send) {
                    int slot = Math.toIntExact(send.to().number());
                    Answer answer = up.contains(slot) ? answer(extent, send, slot, holding, stage) : null;
                    if (answer != null) {
                        effects.addAll(read.onMessage(now, PrincipalId.node(slot), answer));
                    }
                }
            }
            effects.addAll(read.onTick(now));
        }
        return read.outcome().orElseThrow() instanceof ReadOutcome.Whole;
    }

    private static @Nullable Answer answer(
            Extent extent, Effect.Send send, int slot, Set<Integer> holding, Delivery stage) {
        return switch (send.message()) {
            case ReadPinned _ when !holding.contains(slot) -> new NotFound(BLOCK, 1, ReadRefusal.NONE);
            case ReadPinned asked
            when asked.wantFragment() ->
                new Found(
                        BLOCK,
                        1,
                        extent.encoded().checksum(),
                        extent.encoded().fragments().get(slot),
                        true,
                        stage);
            case ReadPinned _ -> new Holds(BLOCK, 1, stage);
            case Supply _ -> {
                holding.add(slot);
                yield new Acknowledged(BLOCK, 1);
            }
            default -> null;
        };
    }
}
