package io.bulwark.storage.completion;

import io.bulwark.protocol.control.NodeControlMessage.VolumeWork;
import java.util.List;

/**
 * Work of completion since the node started, and its remaining work.
 *
 * @param checked extents examined
 * @param completed missing extents that were made
 * @param repaired extents that were corrupt or another version, and were rebuilt
 * @param incomplete times an extent was found that its writer left incomplete
 * @param scrubbed fragments re-read and checked
 * @param reported verdicts reported to the metadata
 * @param volumes remaining work, by rising volume id
 */
public record CompletionStatus(
        long checked,
        long completed,
        long repaired,
        long incomplete,
        long scrubbed,
        long reported,
        List<VolumeWork> volumes) {
    public CompletionStatus {
        volumes = List.copyOf(volumes);
    }
}
