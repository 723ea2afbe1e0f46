package io.bulwark.appliance.cluster;

import io.bulwark.client.config.ChannelConfig;
import io.bulwark.protocol.cluster.NodeAddress;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Genesis;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How one metadata replica is set up.
 *
 * @param listen where it listens itself, which may be another address than the one at which others find it
 * @param replicas where all replicas are found, by number
 * @param data its directory, its alone
 * @param keys its key ring
 * @param channels how its connections are secured
 * @param nodes where the storage nodes are found, by number; the same at every replica
 * @param clients how many clients there are; all may do everything until there are grants
 */
public record ReplicaSetup(
        int number,
        InetSocketAddress listen,
        List<InetSocketAddress> replicas,
        Path data,
        Path keys,
        ChannelConfig channels,
        Ordering ordering,
        List<InetSocketAddress> nodes,
        int clients) {
    /** One that listens where others find it. */
    public ReplicaSetup(
            int number,
            List<InetSocketAddress> replicas,
            Path data,
            Path keys,
            ChannelConfig channels,
            Ordering ordering,
            List<InetSocketAddress> nodes,
            int clients) {
        this(number, replicas.get(number), replicas, data, keys, channels, ordering, nodes, clients);
    }

    public ReplicaSetup {
        replicas = List.copyOf(replicas);
        nodes = List.copyOf(nodes);
        if (number < 0 || number >= replicas.size()) {
            throw new IllegalArgumentException("replica " + number + " of " + replicas.size());
        }
        if (clients < 1 || clients > 1000) {
            throw new IllegalArgumentException(clients + " clients");
        }
    }

    /** Where each replica listens as far as this one is concerned: itself at {@link #listen}. */
    List<InetSocketAddress> addresses() {
        List<InetSocketAddress> all = new ArrayList<>(replicas);
        all.set(number, listen);
        return all;
    }

    /** The same with another ordering engine. */
    public ReplicaSetup withOrdering(Ordering other) {
        return new ReplicaSetup(number, listen, replicas, data, keys, channels, other, nodes, clients);
    }

    /** What an empty replica begins with. */
    public Genesis genesis() {
        List<NodeAddress> addresses = new ArrayList<>();
        for (InetSocketAddress address : nodes) {
            String host = address.isUnresolved()
                    ? address.getHostString()
                    : address.getAddress().getHostAddress();
            addresses.add(new NodeAddress(addresses.size(), host, address.getPort()));
        }
        List<Genesis.Grant> grants = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            grants.add(Genesis.Grant.all(PrincipalId.client(i)));
        }
        return new Genesis(addresses, grants, channels.genesisKeys());
    }
}
