package io.bulwark.storage.completion;

import io.bulwark.protocol.control.NodeControlMessage.VolumeWork;
import java.util.List;

/**
 * What scrubbing of register volumes has done since the node started, and what it has left.
 *
 * @param scrubbed blocks looked at
 * @param completed were missing or behind, and were made up
 * @param repaired were damaged, and were made again
 * @param volumes what is left, by rising volume id
 */
public record ScrubStatus(long scrubbed, long completed, long repaired, List<VolumeWork> volumes) {
    public ScrubStatus {
        volumes = List.copyOf(volumes);
    }
}
