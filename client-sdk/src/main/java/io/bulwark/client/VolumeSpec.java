package io.bulwark.client;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.VolumeKind;

/**
 * Specification of a new volume.
 *
 * @param policy protection policy of its blocks, fixed for good
 * @param blocks the number of blocks of a register volume; 0 for an object volume
 * @param groups the number of placement groups, fixed for good; 0 for one per node
 * @param quotaBytes quota for the bytes of all objects; 0 for none
 */
public record VolumeSpec(
        String name, VolumeKind kind, ProtectionPolicy policy, long blocks, int groups, long quotaBytes) {
    public VolumeSpec {
        if (blocks < 0 || groups < 0 || quotaBytes < 0 || (kind == VolumeKind.OBJECT) != (blocks == 0)) {
            throw new IllegalArgumentException(
                    kind + " volume with " + blocks + " blocks, " + groups + " groups, quota " + quotaBytes);
        }
    }

    /** A volume for buckets. */
    public static VolumeSpec objects(String name, ProtectionPolicy policy) {
        return new VolumeSpec(name, VolumeKind.OBJECT, policy, 0, 0, 0);
    }

    /** A volume of {@code blocks} registers. */
    public static VolumeSpec registers(String name, ProtectionPolicy policy, long blocks) {
        return new VolumeSpec(name, VolumeKind.REGISTER, policy, blocks, 0, 0);
    }

    public VolumeSpec withGroups(int count) {
        return new VolumeSpec(name, kind, policy, blocks, count, quotaBytes);
    }

    public VolumeSpec withQuota(long bytes) {
        return new VolumeSpec(name, kind, policy, blocks, groups, bytes);
    }
}
