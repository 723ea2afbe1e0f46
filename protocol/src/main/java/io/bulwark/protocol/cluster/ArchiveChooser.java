package io.bulwark.protocol.cluster;

import io.bulwark.protocol.fingerprint.Commitment;
import io.bulwark.protocol.fountain.BlockSchedule;
import java.util.Locale;

/**
 * Choice of the parameters of the archive class (e-SAFE 3.2). Of n nodes f may lie, and m is the greatest with which a read right after a write fails
 * with the target's probability at most: more than {@link ProtectionPolicy#awayAfterWrite} of the n - f others would have to be away.
 */
public final class ArchiveChooser {
    /** Greatest share of checksums and paths in what is stored. */
    private static final double OVERHEAD_MAX = 0.02;

    private static final int BLOCK_BYTES_LEAST = 1 << 20;

    private ArchiveChooser() {}

    /**
     * Chooses a policy.
     *
     * @throws IllegalArgumentException with the sum, if no policy reaches the target
     */
    public static ProtectionPolicy choose(AvailabilityTarget target, int f, int n) {
        if (f < 1 || n < 3 * f + 1 || n > 255) {
            throw new IllegalArgumentException(
                    "archive needs f >= 1 and 3f + 1 to 255 nodes for a group; got f=" + f + " and " + n + " nodes");
        }
        int m = n - 2 * f;
        while (m > f && !reaches(target, policy(f, m, n))) {
            m--;
        }
        if (m <= f) {
            ProtectionPolicy widest = policy(f, f + 1, n);
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "archive with f=%d over %d nodes does not reach the target: even with m=%d, the least, more than"
                        + " %d of %d nodes are away with a probability of %.1e (%s); choose more nodes, fewer faults,"
                        + " or another target",
                    f,
                    n,
                    f + 1,
                    widest.awayAfterWrite(),
                    n - f,
                    PolicyAdvice.afterWrite(widest, target),
                    target));
        }
        return policy(f, m, n);
    }

    private static boolean reaches(AvailabilityTarget target, ProtectionPolicy policy) {
        return PolicyAdvice.afterWrite(policy, target) <= target.target();
    }

    private static ProtectionPolicy policy(int f, int m, int n) {
        BlockSchedule schedule = BlockSchedule.of(m, n);
        int meta = Commitment.encodedBytes(schedule) + Commitment.fragmentBytes(schedule, 0);
        int blockBytes = BLOCK_BYTES_LEAST;
        while (blockBytes < ProtectionPolicy.BLOCK_BYTES_MAX
                && meta > OVERHEAD_MAX * schedule.symbolsPerSlot() * schedule.symbolBytes(blockBytes)) {
            blockBytes *= 2;
        }
        return ProtectionPolicy.archive(f, m, n, blockBytes);
    }
}
