package io.bulwark.protocol.pasis;

import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Map;

/**
 * State of a block at the node that verifies it: its own answer.
 *
 * @param slot -1 for a reader that holds nothing
 * @param versions all of them, in descending order
 * @param fragments of some of them
 */
record OwnHistory(
        int slot,
        List<PasisMessage.Entry> versions,
        ValidatingTimestamp collected,
        Map<ValidatingTimestamp, Bytes> fragments) {
    static final OwnHistory NONE = new OwnHistory(-1, List.of(), ValidatingTimestamp.NONE, Map.of());

    OwnHistory {
        versions = List.copyOf(versions);
        fragments = Map.copyOf(fragments);
    }
}
