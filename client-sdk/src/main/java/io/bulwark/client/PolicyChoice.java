package io.bulwark.client;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Protocol;
import io.bulwark.protocol.cluster.Verification;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A protection policy as an operator chooses it; the rest follows from defaults.
 *
 * @param protocol {@code fp}, {@code pasis}, {@code masking} or {@code archive}; null for {@code fp}
 * @param verification for {@code pasis}: {@code lazy}, {@code read-time}, {@code write-time} or {@code none}; null for {@code lazy}
 * @param faults Byzantine nodes to tolerate in each placement group; null for 1
 * @param faultsMax the most of them that the volume is to tolerate later, for which the defaults below leave room; null for the same
 * @param dataFragments the number of fragments that reconstruct a block; null for {@code faultsMax} + 1; under {@code masking} it is 1
 * @param fragments the nodes of a placement group: for {@code pasis} and {@code masking}, null for 4 {@code faultsMax} + 1; for {@code
 *     archive}
 * @param blockBytes size of a block; null for 1 MiB
 */
public record PolicyChoice(
        @Nullable String protocol,
        @Nullable String verification,
        @Nullable Integer faults,
        @Nullable Integer faultsMax,
        @Nullable Integer dataFragments,
        @Nullable Integer fragments,
        @Nullable Integer blockBytes) {
    private static final int BLOCK_BYTES = 1 << 20;
    private static final int FAULTS_MAX = 255;

    /**
     * Returns the policy.
     *
     * @throws IllegalArgumentException with a message for people if there is no such policy
     */
    public ProtectionPolicy policy() {
        int f = faults == null ? 1 : faults;
        if (f < 1 || f > FAULTS_MAX) {
            throw new IllegalArgumentException("a policy tolerates 1 to " + FAULTS_MAX + " faults, not " + f);
        }
        int most = faultsMax == null ? f : faultsMax;
        if (most < f || most > FAULTS_MAX) {
            throw new IllegalArgumentException(
                    "the faults to tolerate later are " + f + ", as now, to " + FAULTS_MAX + ", not " + most);
        }
        int m = dataFragments == null ? most + 1 : dataFragments;
        int bytes = blockBytes == null ? BLOCK_BYTES : blockBytes;
        return switch (chosenProtocol()) {
            case FP -> {
                if (verification != null || fragments != null) {
                    throw new IllegalArgumentException(
                            "verification goes with protocol pasis, fragments with pasis, masking and archive");
                }
                yield new ProtectionPolicy(f, m, m + 2 * f, bytes);
            }
            case ARCHIVE -> {
                if (verification != null || fragments == null) {
                    throw new IllegalArgumentException("protocol archive needs fragments, and has no verification");
                }
                yield ProtectionPolicy.archive(f, m, fragments, bytes);
            }
            case PASIS ->
                ProtectionPolicy.pasis(f, m, fragments == null ? 4 * most + 1 : fragments, bytes, chosenVerification());
            case MASKING -> {
                if (verification != null || (dataFragments != null && dataFragments != 1)) {
                    throw new IllegalArgumentException("masking keeps whole copies and verifies lazily;"
                            + " verification and data fragments go with protocol pasis");
                }
                yield ProtectionPolicy.masking(f, fragments == null ? 4 * most + 1 : fragments, bytes);
            }
        };
    }

    /**
     * Returns the policy for a volume that keeps objects.
     *
     * @throws IllegalArgumentException with a message for people if there is no such policy
     */
    public ProtectionPolicy objectPolicy() {
        ProtectionPolicy policy = policy();
        if (policy.verification() == Verification.NONE) {
            throw new IllegalArgumentException(
                    "a volume without verification keeps no objects; give lazy, read-time or write-time");
        }
        return policy;
    }

    private Protocol chosenProtocol() {
        return switch (protocol == null ? "fp" : protocol.toLowerCase(Locale.ROOT)) {
            case "fp" -> Protocol.FP;
            case "pasis" -> Protocol.PASIS;
            case "masking" -> Protocol.MASKING;
            case "archive" -> Protocol.ARCHIVE;
            default ->
                throw new IllegalArgumentException(
                        "there is no protocol \"" + protocol + "\"; there are fp, pasis, masking and archive");
        };
    }

    private Verification chosenVerification() {
        String when = verification == null ? Verification.LAZY.text() : verification;
        return Verification.of(when)
                .orElseThrow(() -> new IllegalArgumentException(
                        "there is no verification \"" + when + "\"; there are lazy, read-time, write-time and none"));
    }
}
