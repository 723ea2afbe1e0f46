package io.bulwark.protocol.fp;

import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The effects of one call into the server, and what to do when those that come back do. */
final class Outbox {
    /** What follows an effect. */
    interface Then<T> {
        void then(long nowMillis, T result);
    }

    private final Map<Long, Then<Stored>> stores = new HashMap<>();
    private final Map<Long, Then<Loaded>> loads = new HashMap<>();
    private final Map<Long, Then<Object>> runs = new HashMap<>();
    private List<Effect> effects = new ArrayList<>();
    private long lastToken;

    List<Effect> drain() {
        List<Effect> drained = effects;
        effects = new ArrayList<>();
        return drained;
    }

    void send(PrincipalId to, long requestId, Message message) {
        effects.add(new Effect.Send(to, requestId, message));
    }

    void ask(Question question) {
        effects.add(new Effect.Ask(question));
    }

    void evidence(PrincipalId about, BlockId block, Verdict verdict, String detail) {
        effects.add(new Effect.Evidence(about, block, verdict, detail));
    }

    void store(List<Mutation> mutations, Then<Stored> then) {
        stores.put(++lastToken, then);
        effects.add(new Effect.Store(lastToken, mutations));
    }

    void load(RecordKey key, Then<Loaded> then) {
        loads.put(++lastToken, then);
        effects.add(new Effect.Load(lastToken, key));
    }

    void loadMetas(RecordKind kind, BlockId block, Then<List<Loaded.Meta>> then) {
        loads.put(++lastToken, (now, loaded) -> {
            if (!(loaded instanceof Loaded.Metas metas)) {
                throw new IllegalStateException("asked for meta data, got " + loaded);
            }
            then.then(now, metas.records());
        });
        effects.add(new Effect.LoadMetas(lastToken, kind, block));
    }

    void run(ClientOperation<?> operation, Then<Object> then) {
        runs.put(++lastToken, then);
        effects.add(new Effect.Run(lastToken, operation));
    }

    void stored(long nowMillis, long token, Stored stored) {
        Then<Stored> then = stores.remove(token);
        if (then != null) {
            then.then(nowMillis, stored);
        }
    }

    void loaded(long nowMillis, long token, Loaded loaded) {
        Then<Loaded> then = loads.remove(token);
        if (then != null) {
            then.then(nowMillis, loaded);
        }
    }

    void completed(long nowMillis, long token, Object outcome) {
        Then<Object> then = runs.remove(token);
        if (then != null) {
            then.then(nowMillis, outcome);
        }
    }
}
