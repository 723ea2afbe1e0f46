package io.bulwark.metadata;

import io.bulwark.metadata.ordering.ReplicatedApplication;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Genesis;
import io.bulwark.protocol.metadata.GenesisKeys;
import io.bulwark.protocol.metadata.MetadataStateMachine;
import io.bulwark.protocol.state.TreeMapState;
import io.bulwark.protocol.wire.Bytes;

/** The metadata state machine as a replica runs it. */
public final class NamespaceApplication implements ReplicatedApplication {
    private final GenesisKeys keys;
    private MetadataStateMachine machine;

    /** @param genesis the same at every replica */
    public NamespaceApplication(Genesis genesis) {
        this.keys = genesis.keys();
        this.machine = new MetadataStateMachine(genesis).withReplicasThatStay();
    }

    @Override
    public Bytes execute(PrincipalId client, Bytes command, long agreedMillis) {
        return machine.execute(client, command, agreedMillis);
    }

    @Override
    public Bytes query(PrincipalId client, Bytes query) {
        return machine.query(client, query);
    }

    @Override
    public Bytes snapshot() {
        return machine.snapshot();
    }

    @Override
    public void restore(Bytes snapshot) {
        machine =
                MetadataStateMachine.restore(snapshot, new TreeMapState(), keys).withReplicasThatStay();
    }
}
