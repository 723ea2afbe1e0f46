package io.bulwark.protocol.cluster;

import io.bulwark.protocol.fingerprint.Commitment;
import io.bulwark.protocol.fountain.BlockSchedule;

/**
 * Costs and availability of objects under a policy, with f lying nodes in each group, and the others up independently of each other.
 *
 * @param storedPerByte bytes on disk for each byte of large objects
 * @param asked nodes that a read of a block asks, without those that replace slow ones
 * @param afterWrite the probability that a block which was just written cannot be read now
 * @param whenComplete the same once all slots hold their fragment
 * @param writeWaits the probability that a write has to wait for a node that is away
 */
public record PolicyAdvice(
        ProtectionPolicy policy,
        double storedPerByte,
        int asked,
        double afterWrite,
        double whenComplete,
        double writeWaits) {
    public static PolicyAdvice of(ProtectionPolicy policy, AvailabilityTarget target) {
        return new PolicyAdvice(
                policy,
                storedPerByte(policy),
                Math.max(policy.m(), policy.readHolders()),
                afterWrite(policy, target),
                whenComplete(policy, target),
                target.shortfall(policy.n() - policy.f(), policy.writeQuorum()));
    }

    private static double storedPerByte(ProtectionPolicy policy) {
        int checksum = policy.protocol() == Protocol.ARCHIVE
                ? Commitment.encodedBytes(BlockSchedule.of(policy.m(), policy.n()))
                : 0;
        double bytes = (double) policy.n() * (policy.fragmentBytes(policy.blockBytes()) + checksum);
        return bytes / policy.blockBytes();
    }

    /**
     * Under PASIS m of the n - 2f honest slots that a write may have reached must be up. Otherwise readers hand fragments to honest slots, and only {@link
     * ProtectionPolicy#awayAfterWrite} of these may be away (docs/protocols/archive.md).
     */
    static double afterWrite(ProtectionPolicy policy, AvailabilityTarget target) {
        int honest = policy.n() - policy.f();
        return policy.checksFragments()
                ? target.shortfall(honest, honest - policy.awayAfterWrite())
                : target.shortfall(honest - policy.f(), policy.m());
    }

    private static double whenComplete(ProtectionPolicy policy, AvailabilityTarget target) {
        return target.shortfall(policy.n() - policy.f(), Math.max(policy.m(), policy.readHolders()));
    }
}
