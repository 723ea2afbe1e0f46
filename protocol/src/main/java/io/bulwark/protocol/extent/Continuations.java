package io.bulwark.protocol.extent;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.id.BlockId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Continuations of the server after a store, a load or an operation that it requested. */
final class Continuations {
    /** Goes on with the result. */
    interface Continuation<T> {
        void run(ServerCall turn, T result);
    }

    private final Map<Long, Continuation<Stored>> stores = new HashMap<>();
    private final Map<Long, Continuation<Loaded>> loads = new HashMap<>();
    private final Map<Long, Continuation<Object>> runs = new HashMap<>();
    private long lastToken;

    void store(ServerCall turn, Mutation mutation, Continuation<Stored> then) {
        store(turn, List.of(mutation), then);
    }

    void store(ServerCall turn, List<Mutation> mutations, Continuation<Stored> then) {
        stores.put(++lastToken, then);
        turn.add(new Effect.Store(lastToken, mutations));
    }

    void load(ServerCall turn, RecordKey key, Continuation<Loaded> then) {
        loads.put(++lastToken, then);
        turn.add(new Effect.Load(lastToken, key));
    }

    /** The meta data of the one record of this kind and block. */
    void loadMeta(ServerCall turn, RecordKey key, Continuation<Loaded.Metas> then) {
        loads.put(++lastToken, (next, loaded) -> then.run(next, (Loaded.Metas) loaded));
        turn.add(new Effect.LoadMetas(lastToken, key.kind(), key.block()));
    }

    void scan(ServerCall turn, RecordKind kind, BlockId from, BlockId to, int max, Continuation<Loaded.Metas> then) {
        loads.put(++lastToken, (next, loaded) -> then.run(next, (Loaded.Metas) loaded));
        turn.add(new Effect.Scan(lastToken, kind, from, to, max));
    }

    void run(ServerCall turn, ClientOperation<?> operation, Continuation<Object> then) {
        runs.put(++lastToken, then);
        turn.add(new Effect.Run(lastToken, operation));
    }

    void onStored(ServerCall turn, long token, Stored stored) {
        go(turn, stores.remove(token), stored);
    }

    void onLoaded(ServerCall turn, long token, Loaded loaded) {
        go(turn, loads.remove(token), loaded);
    }

    void onCompleted(ServerCall turn, long token, Object outcome) {
        go(turn, runs.remove(token), outcome);
    }

    private static <T> void go(ServerCall turn, @Nullable Continuation<T> then, T result) {
        if (then != null) {
            then.run(turn, result);
        }
    }
}
