package io.bulwark.client;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.VolumeKind;

/**
 * A volume as the metadata has it.
 *
 * @param blocks the number of blocks of a register volume; 0 for an object volume
 * @param policy that of what is put now
 * @param groups the number of placement groups
 */
public record VolumeInfo(int id, String name, VolumeKind kind, ProtectionPolicy policy, long blocks, int groups) {
    static VolumeInfo of(io.bulwark.protocol.cluster.Volume volume) {
        return new VolumeInfo(
                volume.id(),
                volume.name(),
                volume.kind(),
                volume.policy(),
                volume.blocks(),
                volume.newestGroups().size());
    }
}
