package io.bulwark.storage.node;

import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.mac.TagKeys;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.transport.Credentials;
import io.bulwark.transport.InsecureLoopback;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;

/**
 * Parts of a node.
 *
 * @param keys of this node, with all its peers and clients, for end-to-end authentication
 * @param credentials security of its connections
 * @param codecs the messages of all protocols that it speaks, as server and among its peers
 * @param shared with the other nodes of its process
 */
public record NodeParts(
        TagKeys keys,
        Credentials credentials,
        MessageCodecs codecs,
        List<HostedProtocol> protocols,
        FactSource facts,
        PeerDirectory peers,
        List<BackgroundWork> background,
        ProcessShare shared,
        MeterRegistry meters) {
    public NodeParts {
        protocols = List.copyOf(protocols);
        background = List.copyOf(background);
        if (!credentials.self().equals(keys.self())) {
            throw new IllegalArgumentException("the credentials of " + credentials.self() + " for " + keys.self());
        }
    }

    /** Makes the parts of a node with {@link InsecureLoopback} under the same keys. */
    public NodeParts(
            PairwiseKeys keys,
            MessageCodecs codecs,
            List<HostedProtocol> protocols,
            FactSource facts,
            PeerDirectory peers,
            List<BackgroundWork> background,
            MeterRegistry meters) {
        this(
                keys,
                new InsecureLoopback(keys),
                codecs,
                protocols,
                facts,
                peers,
                background,
                ProcessShare.create(),
                meters);
    }
}
