package io.bulwark.protocol.effect;

import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** The effects of one call into the server, and what to do when those that come back do. */
public final class Outbox {
    /** Continuation of an effect. */
    public interface Continuation<T> {
        void then(long nowMillis, T result);
    }

    private final Map<Long, Continuation<Stored>> stores = new HashMap<>();
    private final Map<Long, Continuation<Loaded>> loads = new HashMap<>();
    private final Map<Long, Continuation<Object>> runs = new HashMap<>();
    private List<Effect> effects = new ArrayList<>();
    private long lastToken;

    public List<Effect> drain() {
        List<Effect> drained = effects;
        effects = new ArrayList<>();
        return drained;
    }

    public void send(PrincipalId to, long requestId, Message message) {
        effects.add(new Effect.Send(to, requestId, message));
    }

    public void add(Effect effect) {
        effects.add(effect);
    }

    public void ask(Question question) {
        effects.add(new Effect.Ask(question));
    }

    public void evidence(PrincipalId about, BlockId block, Verdict verdict, String detail) {
        effects.add(new Effect.Evidence(about, block, verdict, detail));
    }

    /** A version that this client brought here in this session belongs to no one block. */
    public void poisonous(PrincipalId sender, BlockId block, long session, String detail) {
        effects.add(new Effect.Evidence(sender, block, Verdict.POISONOUS, detail, session));
    }

    public void store(List<Mutation> mutations, Continuation<Stored> then) {
        stores.put(++lastToken, then);
        effects.add(new Effect.Store(lastToken, mutations));
    }

    /**
     * Reads something from the disk.
     *
     * @param effect a Load, LoadMetas or Scan under the token given
     */
    public void load(LongFunction<Effect> effect, Continuation<Loaded> then) {
        loads.put(++lastToken, then);
        effects.add(effect.apply(lastToken));
    }

    public void load(RecordKey key, Continuation<Loaded> then) {
        load(token -> new Effect.Load(token, key), then);
    }

    public void loadMetas(RecordKind kind, BlockId block, Continuation<List<Loaded.Meta>> then) {
        load(token -> new Effect.LoadMetas(token, kind, block), (now, loaded) -> {
            if (!(loaded instanceof Loaded.Metas metas)) {
                throw new IllegalStateException("asked for meta data, got " + loaded);
            }
            then.then(now, metas.records());
        });
    }

    public void run(ClientOperation<?> operation, Continuation<Object> then) {
        runs.put(++lastToken, then);
        effects.add(new Effect.Run(lastToken, operation));
    }

    public void stored(long nowMillis, long token, Stored stored) {
        follow(stores.remove(token), nowMillis, stored);
    }

    public void loaded(long nowMillis, long token, Loaded loaded) {
        follow(loads.remove(token), nowMillis, loaded);
    }

    public void completed(long nowMillis, long token, Object outcome) {
        follow(runs.remove(token), nowMillis, outcome);
    }

    private static <T> void follow(@Nullable Continuation<T> then, long nowMillis, T result) {
        if (then != null) {
            then.then(nowMillis, result);
        }
    }
}
