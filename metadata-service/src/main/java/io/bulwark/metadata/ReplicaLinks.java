package io.bulwark.metadata;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.wire.Message;
import io.bulwark.transport.PeerLink;
import io.bulwark.transport.Transport;
import io.bulwark.transport.TransportSettings;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The links of a replica to its peers. What they send comes in over their own links to this replica. */
public final class ReplicaLinks {
    private static final long RECONNECT_MILLIS_MAX = 500;
    private static final long INBOUND_BYTES_MAX = 2 << 20;

    private final Map<Integer, PeerLink> links = new HashMap<>();
    private final int replicas;

    public ReplicaLinks(Transport transport, int self, List<InetSocketAddress> addresses) {
        this.replicas = addresses.size();
        for (int peer = 0; peer < replicas; peer++) {
            if (peer != self) {
                links.put(
                        peer,
                        transport.link(PrincipalId.replica(peer), addresses.get(peer), (_, _, _, done) -> done.run()));
            }
        }
    }

    /**
     * The bounds of a replica's transport. Peers that come back are found soon, since the group waits for them. Of each connection some
     * requests wait in memory, and more of them in its sender's.
     */
    public static TransportSettings settings() {
        return TransportSettings.defaults()
                .withReconnectMaxMillis(RECONNECT_MILLIS_MAX)
                .withInboundMaxBytes(INBOUND_BYTES_MAX);
    }

    /** The number of a peer replica, or -1 for anybody else. */
    public int replicaOf(PrincipalId principal) {
        boolean peer = principal.kind() == PrincipalKind.REPLICA && links.containsKey(principal.number());
        return peer ? principal.number() : -1;
    }

    /** May be dropped: whoever needs it asks again. */
    public void send(int peer, Message message) {
        PeerLink link = links.get(peer);
        if (link == null) {
            throw new IllegalArgumentException("no replica-" + peer + " among " + replicas);
        }
        var _ = link.send(0, message);
    }
}
