package io.bulwark.storage.node;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One thread and the protocols' servers of its blocks. Every input reaches the servers through the mailbox, in the
 * order of arrival. Their effects are carried out elsewhere, and the results return through the mailbox. Admission
 * control bounds the mailbox ({@link RequestLimits}), never waiting, so that completions always get through.
 */
final class Shard {
    private static final Logger LOG = LoggerFactory.getLogger(Shard.class);
    private static final long TICK_MILLIS = 50;
    /** Longest time between two ticks, while nothing comes. */
    private static final long IDLE_TICK_MILLIS = 250;

    private final NodeEngine engine;
    private final int number;
    private final List<ProtocolServer> servers;
    private final BlockingQueue<Step> mailbox = new LinkedBlockingQueue<>();
    private final Map<Question, List<ShardTask>> asking = new HashMap<>();
    private final Map<Requester, ShardTask> open = new HashMap<>();
    private final Thread thread;
    private volatile boolean stopped;

    /** Task for the shard's thread, with its owner. */
    private record Step(ShardTask work, Runnable body) {}

    private record Requester(PrincipalId principal, long requestId) implements Comparable<Requester> {
        private static final Comparator<Requester> ORDER =
                Comparator.comparing(Requester::principal).thenComparingLong(Requester::requestId);

        @Override
        public int compareTo(Requester other) {
            return ORDER.compare(this, other);
        }
    }

    /** @param servers one per hosted protocol, in its order */
    Shard(NodeEngine engine, int number, List<ProtocolServer> servers) {
        this.engine = engine;
        this.number = number;
        this.servers = List.copyOf(servers);
        this.thread = Thread.ofPlatform()
                .name("node-" + engine.node() + "-shard-" + number)
                .unstarted(this::run);
    }

    int number() {
        return number;
    }

    void start() {
        thread.start();
    }

    void stop() throws InterruptedException {
        stopped = true;
        thread.join();
    }

    /** Queues a request for the server of a protocol; {@code released} is run once nothing of it is under way. */
    void request(
            int protocol, PrincipalId from, long requestId, Message message, ShardTask.Reply reply, Runnable released) {
        ProtocolServer server = servers.get(protocol);
        Requester asker = new Requester(from, requestId);
        ShardTask[] holder = new ShardTask[1];
        ShardTask work = new ShardTask(reply, () -> {
            open.remove(asker, holder[0]);
            released.run();
        });
        holder[0] = work;
        mailbox.add(new Step(work, () -> {
            open.put(asker, work);
            call(server, work, now -> server.onMessage(now, from, requestId, message));
        }));
    }

    /** Queues a fact for all servers. */
    void tell(Fact fact) {
        tell(fact, new ShardTask(ShardTask.Reply.NONE, () -> {}));
    }

    private void tell(Fact fact, ShardTask work) {
        mailbox.add(new Step(
                work, () -> servers.forEach(server -> call(server, work, now -> server.onFact(now, fact)))));
    }

    private void run() {
        long nextTick = 0;
        long pause = TICK_MILLIS;
        while (!stopped) {
            try {
                Step step = mailbox.poll(pause, TimeUnit.MILLISECONDS);
                long now = engine.nowMillis();
                if (step != null) {
                    take(step);
                    pause = TICK_MILLIS;
                    nextTick = Math.min(nextTick, now + TICK_MILLIS);
                } else {
                    pause = Math.min(2 * pause, IDLE_TICK_MILLIS);
                }
                if (now >= nextTick) {
                    nextTick = now + pause;
                    ShardTask tick = new ShardTask(ShardTask.Reply.NONE, () -> {});
                    take(new Step(tick, () -> servers.forEach(server -> call(server, tick, server::onTick))));
                }
            } catch (InterruptedException e) {
                LOG.error("shard {} of node {} was interrupted and stops", number, engine.node(), e);
                return;
            }
        }
    }

    private static void take(Step step) {
        step.work.hold();
        try {
            step.body.run();
        } finally {
            step.work.release();
        }
    }

    /** One input of one server, and what it asks for. */
    private void call(ProtocolServer server, ShardTask work, LongFunction<List<Effect>> input) {
        try {
            for (Effect effect : input.apply(engine.nowMillis())) {
                perform(server, work, effect);
            }
        } catch (RuntimeException e) {
            engine.onBrokenInvariant(server, e);
        }
    }

    private void perform(ProtocolServer server, ShardTask work, Effect effect) {
        switch (effect) {
            case Effect.Send send -> send(work, send);
            case Effect.Store(long token, var mutations) ->
                await(
                        server,
                        work,
                        engine.store().store(mutations),
                        (now, stored) -> server.onStored(now, token, stored == null ? Stored.FAILED : stored));
            case Effect.Load(long token, RecordKey key) ->
                await(
                        server,
                        work,
                        engine.store().load(key),
                        (now, loaded) -> server.onLoaded(
                                now, token, loaded == null ? new Loaded.Damaged(key, Bytes.EMPTY) : loaded));
            case Effect.LoadMetas(long token, var kind, var block) ->
                await(server, work, engine.store().loadMetas(kind, block), loaded(server, token));
            case Effect.Scan scan -> await(server, work, scan(scan), loaded(server, scan.token()));
            case Effect.Run(long token, var operation) ->
                await(
                        server,
                        work,
                        engine.run(operation),
                        (now, outcome) -> outcome == null ? List.of() : server.onCompleted(now, token, outcome));
            case Effect.Ask(Question question) -> ask(work, question);
            case Effect.Refuses promise -> engine.refuses(number, promise);
            case Effect.Evidence seen -> engine.evidence().onEvidence(seen);
        }
    }

    private CompletableFuture<Loaded.Metas> scan(Effect.Scan scan) {
        Predicate<BlockId> mine = block -> engine.shardOf(block) == number;
        return scan.written()
                ? engine.store().scanWritten(scan.kind(), scan.from(), scan.to(), scan.max(), mine)
                : engine.store().scan(scan.kind(), scan.from(), scan.to(), scan.max(), mine);
    }

    /** An answer goes back to where its request came from; anything else wherever its receiver can be reached. */
    private void send(ShardTask work, Effect.Send send) {
        if (work.reply().send(send.to(), send.requestId(), send.message())) {
            return;
        }
        ShardTask asked = open.get(new Requester(send.to(), send.requestId()));
        if (asked == null || !asked.reply().send(send.to(), send.requestId(), send.message())) {
            engine.answer(send.to(), send.requestId(), send.message());
        }
    }

    /** Many requests may wait for one answer of the replicas: all count as in processing until it was handled. */
    private void ask(ShardTask work, Question question) {
        work.hold();
        List<ShardTask> waiting = asking.get(question);
        if (waiting != null) {
            waiting.add(work);
            return;
        }
        asking.put(question, new ArrayList<>(List.of(work)));
        var _ = engine.facts().ask(question).whenComplete((fact, error) -> {
            ShardTask told = new ShardTask(ShardTask.Reply.NONE, () -> answered(question));
            if (fact != null) {
                tell(fact, told);
            } else {
                LOG.debug("no answer of the replicas to {}", question, error);
                mailbox.add(new Step(told, () -> {}));
            }
        });
    }

    private void answered(Question question) {
        List<ShardTask> waiting = asking.remove(question);
        if (waiting != null) {
            waiting.forEach(ShardTask::release);
        }
    }

    private interface Completion<T> {
        /** @param result null if there is none */
        List<Effect> apply(long nowMillis, @Nullable T result);
    }

    private <T> void await(
            ProtocolServer server, ShardTask work, CompletableFuture<? extends T> future, Completion<T> completion) {
        work.hold();
        var _ = future.whenComplete((result, error) -> mailbox.add(new Step(work, () -> {
            work.release();
            if (error != null) {
                engine.failed(server, error);
            }
            call(server, work, now -> completion.apply(now, result));
        })));
    }

    /** Drops the answer if the index cannot tell: the guess that there is nothing would be a lie. */
    private static Completion<Loaded> loaded(ProtocolServer server, long token) {
        return (now, loaded) -> loaded == null ? List.of() : server.onLoaded(now, token, loaded);
    }
}
