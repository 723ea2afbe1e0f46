package io.bulwark.storage.completion;

import io.bulwark.protocol.control.NodeControlMessage.VolumeWork;
import java.util.List;

/**
 * What completion has done since the node started, and what it has left.
 *
 * @param checked extents looked into
 * @param completed were missing, and were made
 * @param repaired were damaged or another version, and were made again
 * @param incomplete times an extent was found that its writer left incomplete
 * @param scrubbed fragments re-read and checked
 * @param reported verdicts told to the metadata
 * @param volumes what is left, by rising volume id
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
