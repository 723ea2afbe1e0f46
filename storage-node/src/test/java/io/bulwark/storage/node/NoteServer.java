package io.bulwark.storage.node;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Serves {@link Note}s; confined to one thread as any server, which it checks. */
final class NoteServer implements ProtocolServer {
    static final HostedProtocol HOSTED = new HostedProtocol(
            message -> message instanceof Note note && note.verb() != Note.Verb.ANSWER,
            message -> ((Note) message).block(),
            true,
            message -> ((Note) message).text().length(),
            shard -> new NoteServer());

    private final Map<Long, Asker> waiting = new HashMap<>();
    private final List<Asker> asking = new ArrayList<>();
    private @Nullable Thread thread;
    private long lastToken;

    private record Asker(PrincipalId from, long requestId, Note note) {}

    static Bytes text(String text) {
        return Bytes.of(text.getBytes(StandardCharsets.UTF_8));
    }

    static String text(Message answer) {
        return new String(((Note) answer).text().toByteArray(), StandardCharsets.UTF_8);
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, long requestId, Message message) {
        checkThread();
        Note note = (Note) message;
        long token = ++lastToken;
        Asker asker = new Asker(from, requestId, note);
        waiting.put(token, asker);
        RecordKey key = RecordKey.of(RecordKind.EXTENT, note.block());
        return switch (note.verb()) {
            case PUT -> List.of(new Effect.Store(token, List.of(new Mutation.Put(key, Bytes.EMPTY, note.text()))));
            case GET -> List.of(new Effect.Load(token, key));
            case ASK -> {
                asking.add(asker);
                yield List.of(new Effect.Ask(new Question.OfGrant(note.block().volume(), from)));
            }
            case RUN ->
                List.of(new Effect.Run(token, new Fetch(PrincipalId.node(Integer.parseInt(text(note))), note.block())));
            case COUNT -> {
                BlockId last = new BlockId(Integer.MAX_VALUE, PrincipalId.client(Integer.MAX_VALUE), 0, 0);
                yield List.of(new Effect.Scan(token, RecordKind.EXTENT, BlockId.register(0, 0), last, 1000));
            }
            case ACCUSE ->
                List.of(new Effect.Evidence(from, note.block(), Verdict.CORRUPT, "accused"), answer(asker, "noted"));
            case THROW -> throw new IllegalStateException("asked to break");
            case ANSWER -> throw new IllegalStateException("no request");
        };
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        checkThread();
        return List.of();
    }

    @Override
    public List<Effect> onStored(long nowMillis, long token, Stored stored) {
        checkThread();
        return List.of(answer(token, stored.name()));
    }

    @Override
    public List<Effect> onLoaded(long nowMillis, long token, Loaded loaded) {
        checkThread();
        return List.of(answer(
                token,
                switch (loaded) {
                    case Loaded.Found found -> new String(found.fragment().toByteArray(), StandardCharsets.UTF_8);
                    case Loaded.Missing missing -> "missing";
                    case Loaded.Damaged damaged -> "damaged";
                    case Loaded.Metas metas -> Integer.toString(metas.records().size());
                }));
    }

    @Override
    public List<Effect> onFact(long nowMillis, Fact fact) {
        checkThread();
        List<Effect> answers = new ArrayList<>();
        asking.forEach(asker -> answers.add(answer(asker, fact.getClass().getSimpleName())));
        asking.clear();
        return answers;
    }

    @Override
    public List<Effect> onCompleted(long nowMillis, long token, Object outcome) {
        checkThread();
        return List.of(answer(token, (String) outcome));
    }

    private Effect answer(long token, String text) {
        return answer(Objects.requireNonNull(waiting.remove(token)), text);
    }

    private static Effect answer(Asker asker, String text) {
        return new Effect.Send(asker.from, asker.requestId, new Note(Note.Verb.ANSWER, asker.note.block(), text(text)));
    }

    private void checkThread() {
        if (thread == null) {
            thread = Thread.currentThread();
        }
        if (!Thread.currentThread().equals(thread)) {
            throw new IllegalStateException("called by " + Thread.currentThread() + " after " + thread);
        }
    }

    /** Gets a note from another node; gives up after two seconds. */
    private static final class Fetch implements ClientOperation<String> {
        private final PrincipalId node;
        private final BlockId block;
        private long untilMillis;
        private @Nullable String outcome;

        Fetch(PrincipalId node, BlockId block) {
            this.node = node;
            this.block = block;
        }

        @Override
        public List<Effect> start(long nowMillis) {
            untilMillis = nowMillis + 2_000;
            return List.of(new Effect.Send(node, 0, new Note(Note.Verb.GET, block, Bytes.EMPTY)));
        }

        @Override
        public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
            if (from.equals(node)) {
                outcome = from + " says " + text(message);
            }
            return List.of();
        }

        @Override
        public List<Effect> onTick(long nowMillis) {
            if (nowMillis >= untilMillis && outcome == null) {
                outcome = "no answer";
            }
            return List.of();
        }

        @Override
        public Optional<String> outcome() {
            return Optional.ofNullable(outcome);
        }

        @Override
        public boolean isFinished() {
            return outcome != null;
        }
    }
}
