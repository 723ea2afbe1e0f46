package io.bulwark.storage.node;

import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.wire.MessageCodecs;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;

/**
 * What a node is put together from.
 *
 * @param keys of this node, with all whom it talks to
 * @param codecs the messages of all protocols that it speaks, as server and among its peers
 */
public record NodeParts(
        PairwiseKeys keys,
        MessageCodecs codecs,
        List<HostedProtocol> protocols,
        FactSource facts,
        PeerDirectory peers,
        List<BackgroundWork> background,
        MeterRegistry meters) {
    public NodeParts {
        protocols = List.copyOf(protocols);
        background = List.copyOf(background);
    }
}
