package io.bulwark.protocol.cluster;

import io.bulwark.protocol.fingerprint.FingerprintBound;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Advice for objects over so many nodes: one choice of each class of protection, as the command line and the console show it.
 *
 * @param choices in the order of the classes
 * @param refused sentences with the reasons for which classes are left out
 */
public record ClassAdvice(List<PolicyAdvice> choices, List<String> refused) {
    /** Bound on the nodes that advice is asked for. */
    public static final int NODES_MAX = 100_000;

    private static final int BLOCK_BYTES = 1 << 20;
    private static final int BLOCK_BYTES_LEAST = 4096;
    private static final int FRAGMENTS_MAX = 255;

    public ClassAdvice {
        choices = List.copyOf(choices);
        refused = List.copyOf(refused);
    }

    /**
     * Returns the advice.
     *
     * @param faults of each group, at least 1
     * @throws IllegalArgumentException if there are no nodes, too many, or no faults
     */
    public static ClassAdvice of(int nodes, int faults, AvailabilityTarget target) {
        if (nodes < 1 || nodes > NODES_MAX || faults < 1 || faults > FRAGMENTS_MAX) {
            throw new IllegalArgumentException("there are 1 to " + NODES_MAX + " nodes and 1 to " + FRAGMENTS_MAX
                    + " faults, not " + nodes + " and " + faults);
        }
        List<PolicyAdvice> choices = new ArrayList<>();
        List<String> refused = new ArrayList<>();
        List<Supplier<ProtectionPolicy>> classes = List.of(
                () -> fp(faults),
                () -> pasis(faults, faults + 1),
                () -> pasis(faults, 1),
                () -> ProtectionPolicy.masking(faults, 4 * faults + 1, BLOCK_BYTES),
                () -> ArchiveChooser.choose(target, faults, Math.min(FRAGMENTS_MAX, nodes)));
        for (Supplier<ProtectionPolicy> each : classes) {
            try {
                ProtectionPolicy policy = each.get();
                if (policy.n() > nodes) {
                    refused.add(policy.text() + " needs " + policy.n() + " nodes, there are " + nodes + ".");
                } else {
                    choices.add(PolicyAdvice.of(policy, target));
                }
            } catch (IllegalArgumentException e) {
                refused.add(e.getMessage() + ".");
            }
        }
        return new ClassAdvice(choices, refused);
    }

    /** FP with the largest blocks, up to the default, for which its fingerprints are strong enough. */
    private static ProtectionPolicy fp(int faults) {
        int m = faults + 1;
        int n = 3 * faults + 1;
        int bytes = BLOCK_BYTES;
        while (bytes > BLOCK_BYTES_LEAST && !FingerprintBound.holds(m, n, Math.ceilDiv(bytes, m))) {
            bytes /= 2;
        }
        return new ProtectionPolicy(faults, m, n, bytes);
    }

    private static ProtectionPolicy pasis(int faults, int m) {
        return ProtectionPolicy.pasis(faults, m, 4 * faults + 1, BLOCK_BYTES, Verification.LAZY);
    }
}
