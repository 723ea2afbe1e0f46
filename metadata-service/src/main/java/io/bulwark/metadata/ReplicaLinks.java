package io.bulwark.metadata;

import io.bulwark.client.replicas.KnownReplicas;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.wire.Message;
import io.bulwark.transport.InboundHandler;
import io.bulwark.transport.PeerLink;
import io.bulwark.transport.Transport;
import io.bulwark.transport.TransportSettings;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The links of a replica to its peers, which it addresses by their places. The peers' messages arrive over their own
 * links to this replica.
 */
public final class ReplicaLinks {
    private static final long RECONNECT_MILLIS_MAX = 500;
    private static final long INBOUND_BYTES_MAX = 2 << 20;

    private final Map<Integer, PeerLink> links = new HashMap<>();
    private final Map<PrincipalId, Integer> places = new HashMap<>();
    private final int replicas;

    /** Makes links to the replicas of a group that stay: the place of each is its number. */
    public ReplicaLinks(Transport transport, List<InetSocketAddress> addresses) {
        this(transport, Configuration.fixed(addresses.size() / 3), addresses, (_, _, _, done) -> done.run());
    }

    /**
     * Opens links to all others of a configuration.
     *
     * @param told addresses of the replicas of the genesis, by number
     * @param answers handles messages that come back over these links
     */
    public ReplicaLinks(
            Transport transport, Configuration configuration, List<InetSocketAddress> told, InboundHandler answers) {
        this.replicas = configuration.members().size();
        for (int place = 0; place < replicas; place++) {
            Member member = configuration.members().get(place);
            if (!member.replica().equals(transport.self())) {
                places.put(member.replica(), place);
                links.put(place, transport.link(member.replica(), KnownReplicas.addressOf(member, told), answers));
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

    /** The place of a peer replica, or -1 for anybody else. */
    public int replicaOf(PrincipalId principal) {
        return places.getOrDefault(principal, -1);
    }

    /** This one has just spoken, so it may be worth trying again to connect to it. */
    public void hurry(PrincipalId principal) {
        PeerLink link = links.get(replicaOf(principal));
        if (link != null) {
            link.hurry();
        }
    }

    /** Sends a message that may be dropped: the receiver asks again. */
    public void send(int peer, Message message) {
        PeerLink link = links.get(peer);
        if (link == null) {
            throw new IllegalArgumentException("no replica-" + peer + " among " + replicas);
        }
        var _ = link.send(0, message);
    }
}
