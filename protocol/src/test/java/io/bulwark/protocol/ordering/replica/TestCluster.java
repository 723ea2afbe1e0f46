package io.bulwark.protocol.ordering.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.driver.JournalApplication;
import io.bulwark.protocol.ordering.driver.LogRecord;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.driver.ReplicaEffect;
import io.bulwark.protocol.ordering.driver.StartReason;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.ConfigurationStart;
import io.bulwark.protocol.ordering.membership.Handover;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/** Replicas, their disks, the network between them and clients, in one thread and in virtual milliseconds. */
@NullMarked
public final class TestCluster {
    static final long RESEND_MILLIS = 300;
    private static final long WALL_MILLIS = 1_000_000;
    static final long TICK_MILLIS = 20;

    /** Filter for the messages between replicas; a liar's messages differ. */
    interface Wire {
        /** Returns the messages sent in place of this one; none if it is lost. */
        List<ReplicaMessage> carry(int from, int to, ReplicaMessage message);
    }

    private record Event(long atMillis, long order, Runnable action) {}

    /** One replica with its disk. */
    static final class Node {
        final int self;
        final JournalApplication application = new JournalApplication();
        final List<ReplicaEffect.Misbehaved> evidence = new ArrayList<>();

        @Nullable
        Replica replica;

        private int life;
        List<LogRecord> disk = new ArrayList<>();
        private long written;
        private long synced;
        private int syncedRecords;
        private long segmentIndex = Long.MAX_VALUE;
        private int segmentStart;
        private boolean syncing;
        private boolean dirty;
        private final Set<Long> saving = new HashSet<>();
        private int checked;
        boolean isRotten;
        boolean isLogForged;
        /** Reason for its stop, if it has stopped. */
        String stopped = "";
        /** True while its process is paused: messages wait, and its clock stands still. */
        boolean isPaused;
        /** Its disk is as slow as all are, or slower. */
        long syncMillis;

        final List<Integer> dropped = new ArrayList<>();

        @Nullable
        Numbered wanted;

        /** The configuration that it is in, and how that has ended here. */
        ConfigurationStart term;

        @Nullable
        Handover ended;

        private Node(int self, ConfigurationStart term) {
            this.self = self;
            this.term = term;
        }

        /** Its promises are there twice, the bodies once. */
        void loseBodies() {
            int before = disk.size();
            disk.removeIf(LogRecord.Bodies.class::isInstance);
            syncedRecords -= before - disk.size();
        }

        /** An older copy of its log is put in its place. */
        void setBack(List<LogRecord> copy) {
            disk = new ArrayList<>(copy);
            syncedRecords = copy.size();
        }

        /** Deletes the promises on disk; the state stays. */
        void forget() {
            disk = new ArrayList<>();
            syncedRecords = 0;
        }

        Replica up() {
            return Objects.requireNonNull(replica, () -> "replica " + self + " is down " + stopped);
        }
    }

    /** A client's request under way. */
    static final class Call {
        final Request request;
        final Map<Integer, Bytes> replies = new HashMap<>();

        @Nullable
        Bytes result;

        int refusals;
        final long askedMillis;
        long doneMillis;

        private Call(Request request, long askedMillis) {
            this.request = request;
            this.askedMillis = askedMillis;
        }

        boolean done() {
            return result != null;
        }
    }

    final List<Node> nodes = new ArrayList<>();
    final List<Call> calls = new ArrayList<>();
    int faulty;
    long nowMillis;
    long minDelayMillis = 1;
    long maxDelayMillis = 3;
    long tickMillis = TICK_MILLIS;
    double loss;
    long syncMillis = 2;
    long checkMillis = 40;
    /** Number of checks that fail because the others have discarded the checkpoint; whether states are withheld. */
    int goneChecks;

    boolean holdsStates;

    Wire wire = (from, to, message) -> List.of(message);
    private final SplittableRandom random;
    private final UnaryOperator<ReplicaConfig> settings;
    private final PriorityQueue<Event> events = new PriorityQueue<>((a, b) -> {
        int byTime = Long.compare(a.atMillis(), b.atMillis());
        return byTime != 0 ? byTime : Long.compare(a.order(), b.order());
    });
    private final Map<PrincipalId, Map<Long, Call>> byClient = new HashMap<>();
    private final SingleHistory history = new SingleHistory();
    private long order;

    TestCluster(int faulty, long seed, UnaryOperator<ReplicaConfig> settings) {
        this.faulty = faulty;
        this.settings = settings;
        random = new SplittableRandom(seed);
        for (int i = 0; i < 3 * faulty + 1; i++) {
            nodes.add(new Node(i, ConfigurationStart.first(Configuration.fixed(faulty))));
            start(i);
        }
    }

    Replica replica(int i) {
        return nodes.get(i).up();
    }

    void start(int i) {
        start(i, StartReason.NORMAL);
    }

    void start(int i, StartReason start) {
        Node node = nodes.get(i);
        node.life++;
        node.written = 0;
        node.segmentIndex = Long.MAX_VALUE;
        node.synced = 0;
        node.syncing = false;
        node.saving.clear();
        Replica replica = new Replica(
                settings.apply(ReplicaConfig.of(0, faulty)).in(node.term, i),
                node.application,
                node.disk,
                start,
                new TestSigning(i),
                new Random(random.nextLong()));
        node.replica = replica;
        // Every start begins with NEW-KEY.
        for (Node other : nodes) {
            if (other.self != i && other.replica != null) {
                other.replica.onKeyChange(i);
            }
        }
        replica.onClock(nowMillis, WALL_MILLIS + nowMillis);
        node.dirty = true;
        tick(node, node.life);
    }

    private void tick(Node node, int life) {
        if (node.life == life && node.replica != null) {
            if (!node.isPaused) {
                node.replica.onTick(nowMillis);
                node.dirty = true;
            }
            at(tickMillis, () -> tick(node, life));
        }
    }

    /** A replica goes on in the next configuration, in which it has promised nothing. */
    void advance(int i, ConfigurationStart next, StartReason start) {
        Node node = nodes.get(i);
        if (node.replica != null) {
            crash(i);
        }
        node.forget();
        node.term = next;
        node.ended = null;
        start(i, start);
    }

    /** Another replica takes this place, with nothing on its disk. */
    void replace(int i, ConfigurationStart next) {
        Node old = nodes.get(i);
        old.replica = null;
        old.life++;
        nodes.set(i, new Node(i, next));
        start(i);
    }

    /** There are as many as in this configuration; those that were there before go on in it, too. */
    void resize(ConfigurationStart next) {
        int size = next.configuration().members().size();
        faulty = next.configuration().faulty();
        while (nodes.size() > size) {
            Node gone = nodes.removeLast();
            gone.replica = null;
            gone.life++;
        }
        nodes.forEach(node -> advance(node.self, next, StartReason.NORMAL));
        while (nodes.size() < size) {
            nodes.add(new Node(nodes.size(), next));
            start(nodes.size() - 1);
        }
    }

    /** Loses what was not synced; of it, a prefix may be there all the same. */
    void crash(int i) {
        Node node = nodes.get(i);
        node.replica = null;
        node.life++;
        int kept = node.syncedRecords + random.nextInt(node.disk.size() - node.syncedRecords + 1);
        node.disk = new ArrayList<>(node.disk.subList(0, kept));
        node.syncedRecords = kept;
        node.application.crash();
        node.checked = 0;
    }

    /** A replica that is about to stop does so, and gives its view up before if it is the primary. */
    void handOver(int i) {
        replica(i).handOver(nowMillis);
        nodes.get(i).dirty = true;
    }

    Call submit(int client, long number, Bytes operation) {
        return submit(new Request(PrincipalId.client(client), number, false, operation));
    }

    Call submit(Request request) {
        Call call = new Call(request, nowMillis);
        calls.add(call);
        byClient.computeIfAbsent(request.client(), _ -> new HashMap<>()).put(request.call(), call);
        resend(call);
        return call;
    }

    private void resend(Call call) {
        if (call.done()) {
            return;
        }
        nodes.forEach(node -> deliver(call.request, node.self));
        at(RESEND_MILLIS, () -> resend(call));
    }

    /** One copy of a request, to one replica. */
    void deliver(Request request, int to) {
        Node node = nodes.get(to);
        travel(() -> arrive(node, replica -> replica.onRequest(nowMillis, request)));
    }

    void run(long millis) {
        long end = nowMillis + millis;
        settle();
        while (!events.isEmpty() && events.peek().atMillis() <= end) {
            nowMillis = events.peek().atMillis();
            while (!events.isEmpty() && events.peek().atMillis() == nowMillis) {
                events.remove().action().run();
            }
            settle();
        }
        nowMillis = end;
    }

    /** Runs until all calls are done, at most so long. */
    boolean runUntilDone(long millis) {
        long end = nowMillis + millis;
        while (nowMillis < end && !calls.stream().allMatch(Call::done)) {
            run(Math.min(50, end - nowMillis));
        }
        return calls.stream().allMatch(Call::done);
    }

    private void settle() {
        for (Node node : nodes) {
            if (node.dirty && node.replica != null) {
                node.dirty = false;
                node.replica.drain(nowMillis).forEach(effect -> carryOut(node, effect));
                sync(node);
                saveCheckpoints(node, node.life);
                check(node);
            }
        }
    }

    private void carryOut(Node node, ReplicaEffect effect) {
        switch (effect) {
            case ReplicaEffect.Send send ->
                wire.carry(node.self, send.to(), send.message())
                        .forEach(carried -> send(node.self, send.to(), carried));
            case ReplicaEffect.Reply reply -> onReply(node, reply);
            case ReplicaEffect.Refuse refuse -> {
                Call call = byClient.getOrDefault(refuse.client(), Map.of()).get(refuse.call());
                if (call != null) {
                    call.refusals++;
                }
            }
            case ReplicaEffect.Append append -> {
                node.written = append.index();
                node.disk.add(append.record());
            }
            case ReplicaEffect.Roll roll -> {
                node.written = roll.index();
                node.segmentIndex = roll.index();
                node.segmentStart = node.disk.size();
                node.disk.addAll(roll.summary());
            }
            case ReplicaEffect.FetchState fetch -> {
                node.wanted = fetch.checkpoint();
                fetchState(node, node.life, fetch.checkpoint());
            }
            case ReplicaEffect.CheckState check -> check(node, node.life, check.checkpoint());
            case ReplicaEffect.DropKeys drop -> node.dropped.add(drop.replica());
            case ReplicaEffect.Forget _ -> node.isLogForged = true;
            case ReplicaEffect.Stop stop -> {
                node.stopped = stop.why();
                crash(node.self);
            }
            case ReplicaEffect.Ended ended -> node.ended = ended.handover();
            case ReplicaEffect.Misbehaved misbehaved -> node.evidence.add(misbehaved);
        }
    }

    void send(int from, int to, ReplicaMessage message) {
        Node node = nodes.get(to);
        long configuration = nodes.get(from).term.number();
        travel(() -> arrive(node, replica -> {
            if (node.term.number() == configuration) {
                replica.onMessage(nowMillis, from, message);
            }
        }));
    }

    private void arrive(Node node, Consumer<Replica> input) {
        if (node.isPaused) {
            at(TICK_MILLIS, () -> arrive(node, input));
        } else if (node.replica != null) {
            input.accept(node.replica);
            node.dirty = true;
        }
    }

    private void travel(Runnable arrival) {
        if (loss == 0 || random.nextDouble() >= loss) {
            at(random.nextLong(minDelayMillis, maxDelayMillis + 1), arrival);
        }
    }

    private void onReply(Node node, ReplicaEffect.Reply reply) {
        Call call = byClient.getOrDefault(reply.client(), Map.of()).get(reply.call());
        if (call == null) {
            return;
        }
        travel(() -> {
            call.replies.put(node.self, reply.result());
            long equal = call.replies.values().stream()
                    .filter(reply.result()::equals)
                    .count();
            if (equal > 2L * faulty && !call.done()) {
                call.result = reply.result();
                call.doneMillis = nowMillis;
            }
        });
    }

    private void sync(Node node) {
        if (node.syncing || node.written == node.synced) {
            return;
        }
        node.syncing = true;
        long upTo = node.written;
        int records = node.disk.size();
        int life = node.life;
        at(Math.max(syncMillis, node.syncMillis), () -> {
            if (node.life == life) {
                node.syncing = false;
                node.synced = upTo;
                node.syncedRecords = records;
                if (upTo >= node.segmentIndex) {
                    node.disk.subList(0, node.segmentStart).clear();
                    node.syncedRecords -= node.segmentStart;
                    node.segmentIndex = Long.MAX_VALUE;
                }
                node.up().onDurable(nowMillis, upTo);
                node.dirty = true;
            }
        });
    }

    private void saveCheckpoints(Node node, int life) {
        for (long sequence : node.application.taken()) {
            if (!node.saving.add(sequence)) {
                continue;
            }
            at(5, () -> {
                if (node.life == life && node.application.makeDurable(sequence)) {
                    node.up().onCheckpointDurable(sequence);
                    node.dirty = true;
                }
            });
        }
    }

    private void fetchState(Node node, int life, Numbered checkpoint) {
        at(30, () -> {
            if (node.life != life || !checkpoint.equals(node.wanted)) {
                return;
            }
            for (Node other : holdsStates ? List.<Node>of() : nodes) {
                JournalApplication.Saved saved = other.application.saved(checkpoint);
                if (other != node && other.replica != null && saved != null) {
                    node.application.adopt(checkpoint.sequence(), saved);
                    node.checked = 0;
                    node.saving.clear();
                    node.up().onStateFetched(nowMillis, 0, 0);
                    node.dirty = true;
                    return;
                }
            }
            fetchState(node, life, checkpoint);
        });
    }

    /** Completes a check of the state as right, except for the first ones if the test says so. */
    private void check(Node node, int life, Numbered checkpoint) {
        at(checkMillis, () -> {
            if (node.life == life && goneChecks > 0) {
                goneChecks--;
                node.up().onCheckGone(nowMillis);
                node.dirty = true;
            } else if (node.life == life) {
                assertThat(node.application.saved(checkpoint)).isNotNull();
                node.up().onStateChecked(nowMillis, 1, 0);
                node.dirty = true;
            }
        });
    }

    void at(long inMillis, Runnable action) {
        events.add(new Event(nowMillis + inMillis, order++, action));
    }

    private void check(Node node) {
        if (!node.isRotten) {
            node.checked = history.check(node.self, node.application.journal(), node.checked);
        }
    }

    public static Bytes operation(long number) {
        return operation(number, Long.BYTES);
    }

    public static Bytes operation(long number, int bytes) {
        Bytes rest = Bytes.of(new byte[bytes - Long.BYTES]);
        return new WireWriter().i64(number).raw(rest).toBytes();
    }

    /** Describes the position of every node. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("at " + nowMillis);
        for (Node node : nodes) {
            text.append("; ").append(node.self).append(node.replica == null ? " down" : " " + node.replica);
        }
        return text.toString();
    }
}
