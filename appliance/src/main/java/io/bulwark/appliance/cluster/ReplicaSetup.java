package io.bulwark.appliance.cluster;

import io.bulwark.client.config.ChannelConfig;
import io.bulwark.protocol.cluster.NodeAddress;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Genesis;
import io.bulwark.protocol.metadata.GenesisKeys;
import io.bulwark.protocol.ordering.driver.ReplicaConfig.Recoveries;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Configuration of one metadata replica.
 *
 * @param listen the address on which it listens, which may differ from the one at which others find it
 * @param number a replica that was added later has a higher number than those of the genesis
 * @param replicas addresses of the replicas of the genesis, by number
 * @param data its directory, used by it alone
 * @param keys its key ring; null if there is none, as TLS needs none
 * @param channels security of its connections
 * @param nodes addresses of the storage nodes, by number; the same at every replica
 * @param clients number of clients that belong from the first; of these the operator alone has rights
 * @param recoveries T_w, the same at every replica, T_k, and the time after which another replica's recovery counts as
 *     slow
 */
public record ReplicaSetup(
        int number,
        InetSocketAddress listen,
        List<InetSocketAddress> replicas,
        Path data,
        @Nullable Path keys,
        ChannelConfig channels,
        Ordering ordering,
        List<InetSocketAddress> nodes,
        int clients,
        Recoveries recoveries) {
    private static final PrincipalId OPERATOR_WITHOUT_KEYS = PrincipalId.client(0);

    /** T_w is at least so long: a restart and a check of the state have to fit into a quarter of it. */
    private static final long WATCHDOG_MILLIS_MIN = 30_000;

    /** T_k is at least so long: well above the three message delays that an operation takes (6.3.2). */
    private static final long KEY_MILLIS_MIN = 15_000;

    /** One that listens where others find it, and recovers as by default. */
    public ReplicaSetup(
            int number,
            List<InetSocketAddress> replicas,
            Path data,
            @Nullable Path keys,
            ChannelConfig channels,
            Ordering ordering,
            List<InetSocketAddress> nodes,
            int clients) {
        this(
                number,
                replicas.get(number),
                replicas,
                data,
                keys,
                channels,
                ordering,
                nodes,
                clients,
                Recoveries.DEFAULT);
    }

    public ReplicaSetup {
        replicas = List.copyOf(replicas);
        nodes = List.copyOf(nodes);
        if (number < 0) {
            throw new IllegalArgumentException("replica " + number + " of " + replicas.size());
        }
        if (keys == null && !(channels instanceof ChannelConfig.Tls)) {
            throw new IllegalArgumentException("without TLS a replica needs a key ring");
        }
        if (clients < 1 || clients > 1000) {
            throw new IllegalArgumentException(clients + " clients");
        }
        if (recoveries.watchdogMillis() < WATCHDOG_MILLIS_MIN) {
            throw new IllegalArgumentException("a watchdog period of " + recoveries.watchdogMillis()
                    + " ms leaves recoveries no time; at least 30 s do");
        }
        if (recoveries.keyMillis() < KEY_MILLIS_MIN || recoveries.keyMillis() > recoveries.watchdogMillis()) {
            throw new IllegalArgumentException("a key period of " + recoveries.keyMillis()
                    + " ms; it is 15 s to the watchdog period, well above three message delays");
        }
    }

    /** The same with other times of recoveries. */
    public ReplicaSetup withRecoveries(Recoveries other) {
        return new ReplicaSetup(number, listen, replicas, data, keys, channels, ordering, nodes, clients, other);
    }

    /** Returns whether replicas of this kind can recover: those of our own engine can, with identities to sign with. */
    public boolean canRecover() {
        return recoveryHindrance().isEmpty();
    }

    /** Returns the reason why it cannot recover, for people. */
    public Optional<String> recoveryHindrance() {
        if (ordering != Ordering.BFT) {
            return Optional.of("its ordering engine is " + ordering + ", which has no recoveries");
        }
        return channels instanceof ChannelConfig.Tls
                ? Optional.empty()
                : Optional.of("it has no identity to sign with");
    }

    /**
     * Returns the initial state of an empty replica: the operator has all rights, the other clients have none until
     * they are granted.
     */
    public Genesis genesis() {
        List<NodeAddress> addresses = new ArrayList<>();
        for (InetSocketAddress address : nodes) {
            String host = address.isUnresolved()
                    ? address.getHostString()
                    : address.getAddress().getHostAddress();
            addresses.add(new NodeAddress(addresses.size(), host, address.getPort()));
        }
        GenesisKeys known = channels.genesisKeys();
        PrincipalId operator = known.mustSign() ? known.operator() : OPERATOR_WITHOUT_KEYS;
        SortedMap<PrincipalId, Genesis.Grant> grants = new TreeMap<>();
        for (int i = 0; i < clients; i++) {
            grants.put(PrincipalId.client(i), Genesis.Grant.none(PrincipalId.client(i)));
        }
        grants.put(operator, Genesis.Grant.all(operator));
        return new Genesis(addresses, List.copyOf(grants.values()), known);
    }
}
