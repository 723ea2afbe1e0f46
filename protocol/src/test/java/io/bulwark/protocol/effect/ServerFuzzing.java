package io.bulwark.protocol.effect;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.FuzzedBytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodec;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * Server among adversaries, as a consumer of bytes. Each byte decides the next event: a message from any sender, a
 * fact, the passing of time, the end of an effect that it requested from its driver, or a crash. The disk keeps the
 * order of all stores and loads, as the contract of {@link Effect} requires, and may fail, lose fragments and return
 * garbage.
 */
@NullMarked
public final class ServerFuzzing {
    private static final int ROUNDS_MAX = 2_000;
    private static final long STEP_MILLIS = 50;
    private static final long DEADLINE_MILLIS = 60_000;

    /** Values from which the fuzzer chooses. */
    public record Palette(
            MessageCodec codec,
            List<PrincipalId> senders,
            List<? extends Message> requests,
            List<? extends Message> answers,
            List<Fact> facts,
            int runsMax) {}

    /** A record on the disk; no fragment means that it is lost. */
    public record OnDisk(Bytes meta, @Nullable Bytes fragment) {}

    /** Property of a server that holds at all times, whatever its inputs. */
    public interface Invariant {
        void check(ProtocolServer server, Map<Bytes, OnDisk> disk);
    }

    private final Palette palette;
    private final Supplier<ProtocolServer> life;
    private final Invariant invariant;
    private final Map<Bytes, OnDisk> disk = new TreeMap<>();
    private final Deque<Effect> waiting = new ArrayDeque<>();
    private final Map<Long, ClientOperation<?>> running = new TreeMap<>();
    private final Set<Long> asked = new HashSet<>();
    private ProtocolServer server;
    private FuzzedBytes decisions = new FuzzedBytes(new byte[0]);
    private long nowMillis = 1_000_000;
    private long lastRequest;

    /** The supplier starts the server again on the contents of its disk. */
    public ServerFuzzing(Palette palette, Supplier<ProtocolServer> life, Invariant invariant) {
        this.palette = palette;
        this.life = life;
        this.invariant = invariant;
        this.server = life.get();
    }

    /** Runs the events that the bytes encode, then completes all pending effects. */
    public void run(byte[] bytes) {
        decisions = new FuzzedBytes(bytes);
        while (!decisions.isOver()) {
            step();
            invariant.check(server, disk);
        }
        rest();
    }

    private void step() {
        switch (decisions.below(8)) {
            case 0, 1 -> request();
            case 2 -> {
                nowMillis += decisions.u8() * STEP_MILLIS;
                perform(server.onTick(nowMillis));
            }
            case 3 -> endOldest(decisions.below(16));
            case 4 ->
                perform(server.onFact(
                        nowMillis,
                        palette.facts().get(decisions.below(palette.facts().size()))));
            case 5 -> endOperation(decisions.u8());
            case 6 -> answer();
            default -> crash();
        }
    }

    private @Nullable Message changed(List<? extends Message> from) {
        Message sample = from.get(decisions.below(from.size()));
        Bytes bytes = decisions.changed(encoded(sample));
        try {
            WireReader in = new WireReader(bytes);
            return palette.codec().read(in.u16(), in);
        } catch (MalformedException e) {
            return null;
        }
    }

    private void request() {
        PrincipalId from =
                palette.senders().get(decisions.below(palette.senders().size()));
        Message message = changed(palette.requests());
        if (message != null) {
            asked.add(++lastRequest);
            perform(server.onMessage(nowMillis, from, lastRequest, message));
        }
    }

    /** To one of the operations that the server runs. */
    private void answer() {
        PrincipalId from =
                palette.senders().get(decisions.below(palette.senders().size()));
        int index = decisions.u8();
        Message message = changed(palette.answers());
        if (message != null && !running.isEmpty()) {
            long token = List.copyOf(running.keySet()).get(index % running.size());
            ClientOperation<?> operation = running.get(token);
            if (operation != null) {
                sent(operation.onMessage(nowMillis, from, message));
                ifFinished(token, operation);
            }
        }
    }

    private void endOperation(int index) {
        if (running.isEmpty()) {
            return;
        }
        long token = List.copyOf(running.keySet()).get(index % running.size());
        ClientOperation<?> operation = running.get(token);
        if (operation != null) {
            for (long passed = 0; !operation.isFinished(); passed += 1_000) {
                assertThat(passed).as("an operation has a deadline").isLessThan(DEADLINE_MILLIS);
                sent(operation.onTick(nowMillis + passed));
            }
            ifFinished(token, operation);
        }
    }

    private void ifFinished(long token, ClientOperation<?> operation) {
        if (operation.isFinished()) {
            running.remove(token);
            perform(server.onCompleted(nowMillis, token, operation.outcome().orElseThrow()));
        }
    }

    /** An operation sends and accuses, and asks for nothing else. */
    private void sent(List<Effect> effects) {
        for (Effect effect : effects) {
            if (effect instanceof Effect.Send send) {
                assertComesBack(send.message());
            } else {
                assertThat(effect).isInstanceOf(Effect.Evidence.class);
            }
        }
    }

    private void crash() {
        int durable = decisions.u8();
        for (Effect effect : waiting) {
            if (effect instanceof Effect.Store store && durable-- > 0) {
                store.mutations().forEach(this::apply);
            }
        }
        waiting.clear();
        running.clear();
        asked.clear();
        server = life.get();
    }

    private void perform(List<Effect> effects) {
        for (Effect effect : effects) {
            switch (effect) {
                case Effect.Send send -> {
                    assertThat(asked.remove(send.requestId()))
                            .as("answers a question, and once: %s", send)
                            .isTrue();
                    assertComesBack(send.message());
                }
                case Effect.Store store -> {
                    store.mutations().forEach(ServerFuzzing::assertFits);
                    waiting.add(store);
                }
                case Effect.Load _, Effect.LoadMetas _, Effect.Scan _ -> waiting.add(effect);
                case Effect.Run run -> {
                    running.put(run.token(), run.operation());
                    assertThat(running).hasSizeLessThanOrEqualTo(palette.runsMax());
                    sent(run.operation().start(nowMillis));
                    ifFinished(run.token(), run.operation());
                }
                case Effect.Ask _, Effect.Evidence _, Effect.Refuses _ -> {}
            }
        }
    }

    private void endOldest(int how) {
        Effect oldest = waiting.poll();
        if (oldest == null) {
            return;
        }
        switch (oldest) {
            case Effect.Store store -> {
                Stored stored = how < 13 ? Stored.DURABLE : how == 13 ? Stored.NO_SPACE : Stored.FAILED;
                if (how < 13 || how == 15) {
                    store.mutations().forEach(this::apply);
                }
                perform(server.onStored(nowMillis, store.token(), stored));
            }
            case Effect.Load load -> perform(server.onLoaded(nowMillis, load.token(), load(load.key(), how)));
            case Effect.LoadMetas load -> {
                List<Loaded.Meta> found = metas(load.kind(), how).stream()
                        .filter(meta -> meta.key().block().equals(load.block()))
                        .toList();
                perform(server.onLoaded(nowMillis, load.token(), new Loaded.Metas(load.kind(), found)));
            }
            case Effect.Scan scan -> {
                List<Loaded.Meta> found = metas(scan.kind(), how).stream()
                        .filter(meta -> meta.key().block().compareTo(scan.from()) >= 0
                                && meta.key().block().compareTo(scan.to()) <= 0)
                        .limit(scan.max())
                        .toList();
                perform(server.onLoaded(nowMillis, scan.token(), new Loaded.Metas(scan.kind(), found)));
            }
            default -> throw new AssertionError(oldest);
        }
    }

    private Loaded load(RecordKey key, int how) {
        OnDisk found = disk.get(key.encoded());
        if (found == null) {
            return new Loaded.Missing(key);
        }
        Bytes meta = how == 14 ? decisions.changed(found.meta()) : found.meta();
        Bytes fragment = found.fragment();
        return fragment == null || how == 13
                ? new Loaded.Damaged(key, meta)
                : new Loaded.Found(key, meta, how == 15 ? decisions.changed(fragment) : fragment);
    }

    private List<Loaded.Meta> metas(RecordKind kind, int how) {
        List<Loaded.Meta> metas = new ArrayList<>();
        disk.forEach((key, record) -> {
            RecordKey decoded = RecordKey.decode(key);
            if (decoded.kind() == kind) {
                metas.add(new Loaded.Meta(decoded, how == 14 ? decisions.changed(record.meta()) : record.meta()));
            }
        });
        return metas;
    }

    private void apply(Mutation mutation) {
        Bytes key = mutation.key().encoded();
        switch (mutation) {
            case Mutation.Put put -> disk.put(key, new OnDisk(put.meta(), put.fragment()));
            case Mutation.UpdateMeta update ->
                disk.computeIfPresent(key, (_, old) -> new OnDisk(update.meta(), old.fragment()));
            case Mutation.Delete _ -> disk.remove(key);
        }
    }

    /** Lets every started operation end, once the disk and the peers answer. */
    private void rest() {
        for (int round = 0; round < ROUNDS_MAX; round++) {
            while (!running.isEmpty() && round < ROUNDS_MAX / 2) {
                endOperation(0);
            }
            if (waiting.isEmpty()) {
                nowMillis += 1_000;
                perform(server.onTick(nowMillis));
                if (waiting.isEmpty() && running.isEmpty()) {
                    return;
                }
            }
            endOldest(0);
            invariant.check(server, disk);
        }
        throw new AssertionError("no rest: " + waiting.size() + " of the disk, " + running.size() + " operations");
    }

    private static void assertFits(Mutation mutation) {
        assertThat(RecordKey.decode(mutation.key().encoded())).isEqualTo(mutation.key());
        Bytes meta = switch (mutation) {
            case Mutation.Put put -> put.meta();
            case Mutation.UpdateMeta update -> update.meta();
            case Mutation.Delete _ -> Bytes.EMPTY;
        };
        assertThat(meta.length()).isLessThanOrEqualTo(Mutation.META_BYTES_MAX);
    }

    private void assertComesBack(Message message) {
        WireReader in = new WireReader(encoded(message));
        assertThat(palette.codec().read(in.u16(), in)).isEqualTo(message);
    }

    private Bytes encoded(Message message) {
        WireWriter out = new WireWriter().u16(palette.codec().typeOf(message));
        palette.codec().write(message, out);
        return out.toBytes();
    }
}
