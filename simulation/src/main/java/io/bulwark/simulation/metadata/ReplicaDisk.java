package io.bulwark.simulation.metadata;

import io.bulwark.protocol.metadata.Genesis;
import io.bulwark.protocol.metadata.MetadataStateMachine;
import io.bulwark.protocol.state.TreeMapState;
import io.bulwark.protocol.wire.Bytes;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** State of a replica that survives restarts: its last checkpoint, and the replies up to it. */
public final class ReplicaDisk {
    private final Map<Integer, Bytes> replies = new TreeMap<>();
    private final Genesis genesis;
    private final int faults;
    private Bytes snapshot;
    private long commands;
    private int executed;
    private int known;

    /** @param faults the number of replicas that may be faulty */
    public ReplicaDisk(Genesis genesis, int faults) {
        this.genesis = genesis;
        this.faults = faults;
        snapshot = new MetadataStateMachine(genesis).snapshot();
    }

    void save(MetadataStateMachine machine, int upTo, Map<Integer, Bytes> repliesUpTo) {
        snapshot = machine.snapshot();
        replies.putAll(repliesUpTo);
        commands = machine.commands();
        executed = upTo;
    }

    /** Loses the state. The next life executes everything again, and knows that so much was ordered by now. */
    public void forget(int ordered) {
        snapshot = new MetadataStateMachine(genesis).snapshot();
        replies.clear();
        commands = 0;
        executed = 0;
        known = ordered;
    }

    MetadataStateMachine machine() {
        return MetadataStateMachine.restore(snapshot, new TreeMapState(), genesis.keys())
                .withFaulty(faults);
    }

    /** Returns the number of commands in the state from which the next life begins. */
    long commands() {
        return commands;
    }

    /** Returns the part of the order that this replica has helped to decide. */
    int known() {
        return known;
    }

    void setKnown(int ordered) {
        known = Math.max(known, ordered);
    }

    int executed() {
        return executed;
    }

    NavigableMap<Integer, Bytes> replies() {
        return new TreeMap<>(replies);
    }
}
