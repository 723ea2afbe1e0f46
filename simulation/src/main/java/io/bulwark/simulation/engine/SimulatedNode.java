package io.bulwark.simulation.engine;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.id.BlockId;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One node: a server that dies and starts again over records that stay. */
final class SimulatedNode {
    private final Supplier<ProtocolServer> factory;
    private final SimulatedRecords records = new SimulatedRecords();
    private @Nullable ProtocolServer server;
    /** Grows with each start: events of an earlier life are dropped. */
    private int life;

    private final Map<BlockId, Long> lastDiskMillis = new HashMap<>();
    private long lastAnyDiskMillis;
    private final Deque<Effect.Store> pending = new ArrayDeque<>();

    SimulatedNode(Supplier<ProtocolServer> factory) {
        this.factory = factory;
    }

    SimulatedRecords records() {
        return records;
    }

    @Nullable
    ProtocolServer server() {
        return server;
    }

    int life() {
        return life;
    }

    void start() {
        life++;
        server = factory.get();
    }

    /**
     * Crashes the node. The first {@code durable} stores in flight still reach the disk.
     *
     * @param torn whether the next one leaves its records there, too, with fragments that are lost
     */
    void crash(int durable, boolean torn) {
        server = null;
        life++;
        for (int i = 0; i < durable && !pending.isEmpty(); i++) {
            complete(pending.getFirst());
        }
        if (torn && !pending.isEmpty()) {
            List<Mutation> mutations = pending.getFirst().mutations();
            records.apply(mutations);
            mutations.forEach(mutation -> records.damage(mutation.key()));
        }
        pending.clear();
        lastDiskMillis.clear();
        lastAnyDiskMillis = 0;
    }

    int pendingStores() {
        return pending.size();
    }

    void begin(Effect.Store store) {
        pending.addLast(store);
    }

    /** False if there is no space. */
    boolean complete(Effect.Store store) {
        pending.remove(store);
        if (records.refuses(store.mutations())) {
            return false;
        }
        records.apply(store.mutations());
        return true;
    }

    /**
     * Returns the time at which a store ends that would take until {@code millis}: not before earlier ones of the same
     * blocks.
     */
    long afterEarlier(Effect.Store store, long millis) {
        long at = millis;
        for (Mutation mutation : store.mutations()) {
            at = Math.max(at, lastDiskMillis.getOrDefault(mutation.key().block(), 0L));
        }
        for (Mutation mutation : store.mutations()) {
            lastDiskMillis.put(mutation.key().block(), at);
        }
        lastAnyDiskMillis = Math.max(lastAnyDiskMillis, at);
        return at;
    }

    long afterEarlier(BlockId block, long millis) {
        return Math.max(millis, lastDiskMillis.getOrDefault(block, 0L));
    }

    long afterAll(long millis) {
        return Math.max(millis, lastAnyDiskMillis);
    }
}
