package io.bulwark.simulation.object;

import io.bulwark.protocol.bucket.BlockAllocator;
import io.bulwark.protocol.bucket.GetFailure;
import io.bulwark.protocol.bucket.ObjectGet;
import io.bulwark.protocol.bucket.ObjectPut;
import io.bulwark.protocol.bucket.ObjectStep;
import io.bulwark.protocol.bucket.ObjectVersion;
import io.bulwark.protocol.bucket.PutOutcome;
import io.bulwark.protocol.bucket.SessionCommands;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.extent.ExtentTiming;
import io.bulwark.protocol.extent.WriteOutcome;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.MetadataError;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.Submission;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.engine.Simulation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A client of objects: drives the production state machines for puts and gets, numbers its commands, and renews its
 * sessions. If a session is lost and nothing can have been executed, it begins again in another session, as the SDK
 * does.
 */
final class ObjectClient {
    private static final ExtentTiming TIMING = new ExtentTiming(150, 400, 60_000, 3_000);

    private final Simulation simulation;
    private final PrincipalId self;
    private final Replicas replicas;
    private final RandomGenerator random;
    private final ClientTraits habits;
    private final ObjectParts parts;
    private final Map<Integer, Lease> leases = new TreeMap<>();
    /** Number of extents and commands that it will still send: a faulty client stops at any point. */
    private long stepsLeft = Long.MAX_VALUE;
    /** True if it keeps back the messages that it does not send, instead of dropping them. */
    private boolean keepsBack;

    private final List<Runnable> keptBack = new ArrayList<>();

    /** Result of reading a range of an object. */
    sealed interface RangeResult {
        record Content(Bytes content) implements RangeResult {}

        record Failed(GetFailure failure) implements RangeResult {}

        /** The replicas did not answer. */
        record Unknown() implements RangeResult {}
    }

    /** An open session, or one that is being opened. */
    static final class Lease {
        private final int volume;
        private final Map<Long, Consumer<Optional<Reply>>> expected = new HashMap<>();
        private final List<Consumer<Lease>> opening = new ArrayList<>();
        private @Nullable SessionCommands commands;
        private @Nullable BlockAllocator blocks;
        private long number;
        private long ttlMillis;
        private long renewedMillis;
        private long lastToken;

        private Lease(int volume) {
            this.volume = volume;
        }

        long number() {
            return number;
        }

        long ttlMillis() {
            return ttlMillis;
        }

        BlockAllocator blocks() {
            if (blocks == null) {
                throw new IllegalStateException("session for " + volume + " is not open");
            }
            return blocks;
        }
    }

    ObjectClient(
            Simulation simulation,
            PrincipalId self,
            Replicas replicas,
            RandomGenerator random,
            ClientTraits habits,
            ObjectParts parts) {
        this.simulation = simulation;
        this.self = self;
        this.replicas = replicas;
        this.random = random;
        this.habits = habits;
        this.parts = parts;
    }

    ClientTraits habits() {
        return habits;
    }

    PrincipalId self() {
        return self;
    }

    /** Stops after so many more steps. */
    void stopAfter(long steps) {
        stepsLeft = steps;
    }

    /** Sends this many more messages, and keeps back those after them. */
    void keepBackAfter(long steps) {
        stepsLeft = steps;
        keepsBack = true;
    }

    /** Sends everything that was held back, and holds nothing back from now on. */
    void proceed() {
        stepsLeft = Long.MAX_VALUE;
        List<Runnable> now = List.copyOf(keptBack);
        keptBack.clear();
        now.forEach(Runnable::run);
    }

    void query(Query query, Consumer<Optional<Reply>> then) {
        run(replicas.ask(query), outcome -> then.accept(Replicas.reply(outcome)));
    }

    /** A command without blocks. Nothing if its result is not known. */
    void execute(Command command, Consumer<Optional<Reply>> then) {
        lease(
                0,
                lease -> submit(
                        lease,
                        command,
                        reply -> then.accept(reply.filter(known ->
                                !(known instanceof Reply.Failed failed && SessionCommands.mayBeExecuted(failed))))));
    }

    void put(
            Volume volume,
            ObjectPut.Destination target,
            Bytes content,
            boolean tellsLength,
            Consumer<PutOutcome> then) {
        put(volume, target, content, tellsLength, ObjectPut.ATTEMPTS_MAX, then);
    }

    private void put(
            Volume volume,
            ObjectPut.Destination target,
            Bytes content,
            boolean tellsLength,
            int attempts,
            Consumer<PutOutcome> then) {
        lease(volume.id(), lease -> {
            ObjectPut put = new ObjectPut(
                    volume, target, tellsLength ? content.length() : -1, lease.blocks(), habits.inlineMax());
            new PutOperation(volume, put, content, lease, outcome -> {
                        boolean lost = outcome instanceof PutOutcome.SessionLost;
                        if (lost) {
                            leases.remove(volume.id(), lease);
                        }
                        if (lost && attempts > 1) {
                            put(volume, target, content, tellsLength, attempts - 1, then);
                        } else {
                            then.accept(outcome);
                        }
                    })
                    .feed();
        });
    }

    void get(Volume volume, ObjectVersion object, long offset, long length, Consumer<RangeResult> then) {
        new GetOperation(volume, parts.get(volume, object, offset, length, habits), then).begin();
    }

    /** Stores one extent, outside of any object. */
    void store(ClientOperation<WriteOutcome> write) {
        run(write, _ -> {});
    }

    /** Closes the sessions that are open. */
    void close() {
        for (Lease lease : List.copyOf(leases.values())) {
            leases.remove(lease.volume);
            if (lease.commands != null) {
                submit(lease, new Command.CloseSession(), _ -> {});
            }
        }
    }

    /** Called now and then. */
    void renew() {
        for (Lease lease : List.copyOf(leases.values())) {
            boolean due = lease.commands != null
                    && simulation.nowMillis() - lease.renewedMillis
                            >= SessionCommands.renewAfterMillis(lease.ttlMillis);
            if (due) {
                lease.renewedMillis = simulation.nowMillis();
                submit(lease, new Command.RenewSession(), _ -> {});
            }
        }
    }

    void lease(int volume, Consumer<Lease> then) {
        Lease known = leases.get(volume);
        if (known != null && known.commands != null) {
            then.accept(known);
            return;
        }
        Lease lease = leases.computeIfAbsent(volume, Lease::new);
        lease.opening.add(then);
        if (known == null) {
            open(lease);
        }
    }

    private void open(Lease lease) {
        byte[] nonce = new byte[Submission.OpenSession.NONCE_BYTES];
        random.nextBytes(nonce);
        run(replicas.submit(new Submission.OpenSession(Bytes.of(nonce), lease.volume)), outcome -> {
            Reply reply = Replicas.reply(outcome).orElse(null);
            if (reply instanceof Reply.Failed failed && failed.error() == MetadataError.NOT_AUTHORISED) {
                // It is revoked, which is for good.
                return;
            }
            if (!(reply instanceof Reply.SessionOpened opened)) {
                open(lease);
                return;
            }
            lease.number = opened.session();
            lease.ttlMillis = opened.ttlMillis();
            lease.renewedMillis = simulation.nowMillis();
            lease.commands = new SessionCommands(opened.session());
            lease.blocks = new BlockAllocator(lease.volume, self, opened.session());
            List<Consumer<Lease>> waiting = List.copyOf(lease.opening);
            lease.opening.clear();
            waiting.forEach(then -> then.accept(lease));
        });
    }

    void submit(Lease lease, Command command, Consumer<Optional<Reply>> then) {
        SessionCommands commands = lease.commands;
        if (commands == null) {
            throw new IllegalStateException("session for " + lease.volume + " is not open");
        }
        lease.expected.put(++lease.lastToken, then);
        commands.add(lease.lastToken, command);
        sendWaiting(lease, commands);
    }

    private void sendWaiting(Lease lease, SessionCommands commands) {
        for (var next = commands.next(); next.isPresent(); next = commands.next()) {
            SessionCommands.NumberedCommand numbered = next.get();
            run(replicas.submit(numbered.submission()), outcome -> {
                commands.done(numbered.submission().number());
                Optional<Reply> reply = Replicas.reply(outcome);
                if (reply.orElse(null) instanceof Reply.Failed failed && SessionCommands.isLost(failed)) {
                    leases.remove(lease.volume, lease);
                }
                Consumer<Optional<Reply>> then = lease.expected.remove(numbered.token());
                if (then != null) {
                    then.accept(reply);
                }
                sendWaiting(lease, commands);
            });
        }
    }

    private <R> void run(ClientOperation<R> operation, Consumer<R> then) {
        Runnable begins = () -> simulation.start(self, new OutcomeReporter<>(operation, then));
        if (stepsLeft > 0) {
            stepsLeft--;
            begins.run();
        } else if (keepsBack) {
            keptBack.add(begins);
        }
    }

    private final class PutOperation {
        private final Volume volume;
        private final ObjectPut put;
        private final Bytes content;
        private final Lease lease;
        private final Consumer<PutOutcome> then;
        private int stepsLeft = habits.stepsToDeadline();
        private long submitted = -1;
        private int at;
        private boolean finished;
        private boolean over;

        PutOperation(Volume volume, ObjectPut put, Bytes content, Lease lease, Consumer<PutOutcome> then) {
            this.volume = volume;
            this.put = put;
            this.content = content;
            this.lease = lease;
            this.then = then;
        }

        void feed() {
            while (put.canTakeBlock() && at < content.length()) {
                int count = Math.min(volume.policy().blockBytes(), content.length() - at);
                at += count;
                perform(put.offer(content.slice(at - count, count)));
            }
            if (at == content.length() && !finished) {
                finished = true;
                perform(put.finish());
            }
            if (!over && put.outcome().isPresent()) {
                over = true;
                then.accept(put.outcome().get());
            }
        }

        private void perform(List<ObjectStep> steps) {
            for (ObjectStep step : steps) {
                switch (step) {
                    case ObjectStep.StoreExtent store ->
                        run(
                                parts.write(volume, store.block(), store.content(), TIMING),
                                outcome -> proceed(put.onStored(store.token(), outcome)));
                    case ObjectStep.Submit submit -> {
                        submitted = submit.token();
                        submit(
                                lease,
                                submit.command(),
                                reply -> proceed(
                                        reply.isPresent()
                                                ? put.onReply(submit.token(), reply.get())
                                                : put.onSilence(submit.token(), "the replicas do not answer")));
                    }
                    case ObjectStep.FetchExtent _, ObjectStep.Ask _ ->
                        throw new IllegalStateException("putting an object takes no " + step);
                }
            }
        }

        private void proceed(List<ObjectStep> steps) {
            perform(steps);
            feed();
            if (--stepsLeft == 0 && !over) {
                perform(put.abort());
                perform(put.onSilence(submitted, "the deadline has passed"));
                feed();
            }
        }
    }

    private final class GetOperation {
        private Volume volume;
        private final ObjectGet get;
        private final Consumer<RangeResult> then;
        private final List<Bytes> read = new ArrayList<>();
        private int stepsLeft = habits.stepsToDeadline();
        private boolean over;

        GetOperation(Volume volume, ObjectGet get, Consumer<RangeResult> then) {
            this.volume = volume;
            this.get = get;
            this.then = then;
        }

        void begin() {
            proceed(get.readAhead());
        }

        private void proceed(List<ObjectStep> steps) {
            perform(steps);
            for (Optional<Bytes> part = get.next(); part.isPresent(); part = get.next()) {
                read.add(part.get());
                perform(get.readAhead());
            }
            if (get.failure().isPresent()) {
                end(new RangeResult.Failed(get.failure().get()));
            } else if (get.isAtEnd()) {
                end(new RangeResult.Content(joined(read)));
            } else if (--stepsLeft == 0) {
                get.close();
                end(new RangeResult.Unknown());
            }
        }

        private void fetch(ObjectStep.FetchExtent fetch) {
            run(
                    parts.read(
                            volume,
                            fetch.block(),
                            fetch.pin(),
                            habits.doubted(volume.policyOf(fetch.block()).n()),
                            TIMING),
                    outcome -> proceed(get.onFetched(fetch.token(), outcome)));
        }

        private void end(RangeResult got) {
            if (!over) {
                over = true;
                then.accept(got);
            }
        }

        private void perform(List<ObjectStep> steps) {
            for (ObjectStep step : steps) {
                switch (step) {
                    case ObjectStep.FetchExtent fetch when volume.knows(fetch.block()) -> fetch(fetch);
                    case ObjectStep.FetchExtent fetch ->
                        query(new Query.GetMap(), reply -> {
                            if (reply.orElse(null) instanceof Reply.Map(var map)) {
                                volume = map.volume(volume.id()).orElseThrow();
                                get.follow(volume);
                                fetch(fetch);
                            } else {
                                get.close();
                                end(new RangeResult.Unknown());
                            }
                        });
                    case ObjectStep.Ask ask ->
                        query(ask.query(), reply -> {
                            if (reply.isPresent()) {
                                proceed(get.onReply(ask.token(), reply.get()));
                            } else {
                                get.close();
                                end(new RangeResult.Unknown());
                            }
                        });
                    case ObjectStep.StoreExtent _, ObjectStep.Submit _ ->
                        throw new IllegalStateException("getting an object takes no " + step);
                }
            }
        }
    }

    private static Bytes joined(List<Bytes> parts) {
        int length = parts.stream().mapToInt(Bytes::length).sum();
        byte[] all = new byte[length];
        int at = 0;
        for (Bytes part : parts) {
            part.copyTo(0, all, at, part.length());
            at += part.length();
        }
        return Bytes.of(all);
    }
}
