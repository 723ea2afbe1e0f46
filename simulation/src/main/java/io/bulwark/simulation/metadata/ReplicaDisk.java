package io.bulwark.simulation.metadata;

import io.bulwark.protocol.metadata.Genesis;
import io.bulwark.protocol.metadata.MetadataStateMachine;
import io.bulwark.protocol.wire.Bytes;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** State of a replica that survives restarts: its last checkpoint, and the replies up to it. */
public final class ReplicaDisk {
    private final Map<Integer, Bytes> replies = new TreeMap<>();
    private Bytes snapshot;
    private int executed;

    public ReplicaDisk(Genesis genesis) {
        snapshot = new MetadataStateMachine(genesis).snapshot();
    }

    void save(MetadataStateMachine machine, int upTo, Map<Integer, Bytes> repliesUpTo) {
        snapshot = machine.snapshot();
        replies.putAll(repliesUpTo);
        executed = upTo;
    }

    MetadataStateMachine machine() {
        return MetadataStateMachine.restore(snapshot);
    }

    int executed() {
        return executed;
    }

    NavigableMap<Integer, Bytes> replies() {
        return new TreeMap<>(replies);
    }
}
