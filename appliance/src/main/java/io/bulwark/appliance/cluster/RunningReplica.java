package io.bulwark.appliance.cluster;

import io.bulwark.client.config.KeyRing;
import io.bulwark.metadata.MetadataReplica;
import io.bulwark.metadata.NamespaceApplication;
import io.bulwark.metadata.NamespaceMachine;
import io.bulwark.metadata.ReplicaConfig;
import io.bulwark.metadata.ReplicaServer;
import io.bulwark.metadata.ReplicaStatus;
import io.bulwark.metadata.bft.BftReplica;
import io.bulwark.metadata.bftsmart.BftSmartEngines;
import io.bulwark.protocol.cluster.NodeAddress;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.metadata.Genesis;
import io.bulwark.protocol.ordering.Phase;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A metadata replica put together. */
public final class RunningReplica implements AutoCloseable {
    private final ReplicaServer replica;

    private RunningReplica(ReplicaServer replica) {
        this.replica = replica;
    }

    /** Starts it; returns when it listens. */
    public static RunningReplica start(ReplicaSetup setup) throws IOException {
        ReplicaConfig config = ReplicaConfig.of(setup.number(), setup.replicas(), setup.data());
        PairwiseKeys keys = KeyRing.load(setup.keys()).pairwiseKeys();
        Genesis genesis = genesis(setup);
        return new RunningReplica(
                switch (setup.ordering()) {
                    case ClusterShape.ORDERING_DEFAULT ->
                        MetadataReplica.start(
                                config, keys, new NamespaceApplication(genesis), BftSmartEngines.standard());
                    case ClusterShape.ORDERING_BFT ->
                        BftReplica.start(config, keys, state -> new NamespaceMachine(genesis, state));
                    default ->
                        throw new IllegalArgumentException("there is no ordering engine \"" + setup.ordering() + "\"");
                });
    }

    /** Empty if it takes part in ordering, and so answers clients; else why not. */
    public String problem() {
        ReplicaStatus status = replica.status();
        if (!status.failure().isEmpty()) {
            return status.failure();
        }
        return status.phase() == Phase.RUNNING
                ? ""
                : "it is " + status.phase().name().toLowerCase(Locale.ROOT) + ", " + status.lagBatches()
                        + " batches behind its peers";
    }

    @Override
    public void close() {
        replica.close();
    }

    private static Genesis genesis(ReplicaSetup setup) {
        List<NodeAddress> nodes = new ArrayList<>();
        for (InetSocketAddress address : setup.nodes()) {
            nodes.add(new NodeAddress(nodes.size(), address.getAddress().getHostAddress(), address.getPort()));
        }
        List<Genesis.Grant> grants = new ArrayList<>();
        for (int i = 0; i < setup.clients(); i++) {
            grants.add(Genesis.Grant.all(PrincipalId.client(i)));
        }
        return new Genesis(nodes, grants);
    }
}
