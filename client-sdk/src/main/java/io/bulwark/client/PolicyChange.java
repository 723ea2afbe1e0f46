package io.bulwark.client;

import io.bulwark.protocol.cluster.ArchiveChooser;
import io.bulwark.protocol.cluster.AvailabilityTarget;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Protocol;
import org.jspecify.annotations.Nullable;

/**
 * Change of the protection policy of a volume. Numbers that are not given stay, or move as little as the sums of
 * the protocol ask.
 *
 * @param faults Byzantine nodes to tolerate in each placement group; null for as many as now
 * @param dataFragments fragments that reconstruct a block; null for as many as now, or one more than the faults
 * @param fragments slots of a placement group; null for as many as now, or as the sums ask
 * @param target for the archive class: chooses the data fragments; null for none
 */
public record PolicyChange(
        @Nullable Integer faults,
        @Nullable Integer dataFragments,
        @Nullable Integer fragments,
        @Nullable AvailabilityTarget target) {
    private static final int SLOTS_MAX = 255;

    /** Creates a change without a target. */
    public PolicyChange(@Nullable Integer faults, @Nullable Integer dataFragments, @Nullable Integer fragments) {
        this(faults, dataFragments, fragments, null);
    }

    /** Change of the faults alone. */
    public static PolicyChange ofFaults(int faults) {
        return new PolicyChange(faults, null, null);
    }

    /**
     * Returns the policy that it makes of another one.
     *
     * @throws IllegalArgumentException with a message for people if there is no such policy
     */
    public ProtectionPolicy of(ProtectionPolicy now) {
        int f = bounded(faults, now.f());
        if (target != null) {
            if (now.protocol() != Protocol.ARCHIVE || dataFragments != null) {
                throw new IllegalArgumentException("a target chooses the data fragments of the archive class");
            }
            int n = bounded(fragments, now.n());
            return with(now, f, ArchiveChooser.choose(target, f, n).m(), n);
        }
        return switch (now.protocol()) {
            case FP -> {
                int kept = fragments == null ? now.m() : bounded(fragments, 0) - 2 * f;
                int m = bounded(dataFragments, fragments == null ? Math.max(kept, f + 1) : kept);
                yield with(now, f, m, bounded(fragments, m + 2 * f));
            }
            case PASIS -> {
                int m = bounded(dataFragments, now.m());
                yield with(now, f, m, bounded(fragments, Math.max(now.n(), Math.max(4 * f + 1, m + 3 * f))));
            }
            case MASKING -> with(now, f, bounded(dataFragments, 1), bounded(fragments, Math.max(now.n(), 4 * f + 1)));
            case ARCHIVE -> {
                int m = bounded(dataFragments, Math.max(now.m(), f + 1));
                yield with(now, f, m, bounded(fragments, Math.max(now.n(), m + 2 * f)));
            }
        };
    }

    /** Returns whether the groups of a register volume under a policy can make it, without a new generation of them. */
    public boolean isOfFaultsAlone(ProtectionPolicy now) {
        if (!now.protocol().isVersioned() || faults == null || target != null) {
            return false;
        }
        try {
            ProtectionPolicy wanted = of(now);
            return wanted.m() == now.m() && wanted.n() == now.n();
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static int bounded(@Nullable Integer given, int otherwise) {
        if (given == null) {
            return otherwise;
        }
        if (given < 1 || given > SLOTS_MAX) {
            throw new IllegalArgumentException("a policy has numbers from 1 to " + SLOTS_MAX + ", not " + given);
        }
        return given;
    }

    private static ProtectionPolicy with(ProtectionPolicy now, int f, int m, int n) {
        return new ProtectionPolicy(now.protocol(), f, m, n, now.blockBytes(), now.verification());
    }
}
