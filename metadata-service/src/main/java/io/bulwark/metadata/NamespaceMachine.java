package io.bulwark.metadata;

import io.bulwark.metadata.ordering.LockTable;
import io.bulwark.metadata.ordering.StateMachine;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Genesis;
import io.bulwark.protocol.metadata.MetadataStateMachine;
import io.bulwark.protocol.metadata.ServerSubmissions;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.state.KeyValueState;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Optional;

/** The metadata state machine over a state that the engine keeps. */
public final class NamespaceMachine implements StateMachine {
    private final Bytes cluster;
    private final MetadataStateMachine machine;

    /**
     * The machine over this state.
     *
     * @param genesis what an empty state begins with; the same at every replica
     * @param faulty number of replicas that may be faulty, if the genesis names none
     */
    public NamespaceMachine(Genesis genesis, int faulty, KeyValueState state) {
        cluster = genesis.keys().cluster();
        machine = (isEmpty(state)
                        ? new MetadataStateMachine(genesis, state)
                        : new MetadataStateMachine(state, genesis.keys()))
                .withFaulty(faulty);
    }

    private static boolean isEmpty(KeyValueState state) {
        boolean[] empty = {true};
        state.scan(Bytes.EMPTY, Bytes.of((byte) 0xFF), (_, _) -> {
            empty[0] = false;
            return false;
        });
        return empty[0];
    }

    @Override
    public Bytes execute(PrincipalId client, Bytes command, long agreedMillis) {
        return machine.execute(client, command, agreedMillis);
    }

    @Override
    public Optional<List<Member>> nextReplicas() {
        return machine.nextReplicas();
    }

    @Override
    public Optional<Bytes> authorization(Configuration ended, Configuration next) {
        return machine.authorization(ended, next);
    }

    @Override
    public void onReconfigured(Configuration now) {
        machine.onReconfigured(now);
    }

    @Override
    public Optional<LockTable> locks() {
        return Optional.of(new LockTable(cluster, machine.locks(), new ServerSubmissions(), machine::roundOf));
    }

    @Override
    public Bytes query(PrincipalId client, Bytes query) {
        return machine.query(client, query);
    }
}
