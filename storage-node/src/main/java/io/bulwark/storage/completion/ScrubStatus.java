package io.bulwark.storage.completion;

import io.bulwark.protocol.control.NodeControlMessage.VolumeWork;
import java.util.List;

/**
 * Scrubbing of register volumes since the node started, and its remaining work.
 *
 * @param scrubbed blocks examined
 * @param completed missing or outdated blocks that were made up
 * @param repaired corrupt blocks that were rebuilt
 * @param volumes remaining work, by rising volume id
 */
public record ScrubStatus(long scrubbed, long completed, long repaired, List<VolumeWork> volumes) {
    public ScrubStatus {
        volumes = List.copyOf(volumes);
    }
}
