package io.bulwark.protocol.locking;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.locking.LockingMessage.Appended;
import io.bulwark.protocol.locking.LockingMessage.LogAnswer;
import io.bulwark.protocol.metadata.Signer;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;

/**
 * Four replicas with their log servers, one of which lies, under one order of commands. Messages between holder and
 * servers are lost, doubled and overtake each other. Replicas execute the order late, crash, lose what is not synced,
 * and begin again from an earlier state. Each step of a correct server is checked.
 */
@NullMarked
final class LogWorld {
    static final int REPLICAS = 4;
    static final int QUORUM = 3;
    static final int LIAR = 3;
    static final long STEP_MILLIS = 5;

    private static final long DELAY_MILLIS_MAX = 40;
    private static final Bytes FORGED = LockingSamples.filled(32, 0x66);

    /** A command in the order. */
    record Ordered(PrincipalId by, Bytes submission) {}

    private record Parcel(long atMillis, long number, PrincipalId from, int replica, LockingMessage message) {}

    /** A replica, its disk, and its log server. */
    private final class Replica {
        private final int index;
        private CounterState state = new CounterState(QUORUM);
        private int executed;
        private int stable;
        private CounterState stableState = state.copy();
        private final List<LogStoreRecord> disk = new ArrayList<>();
        private final Map<LogId, SignedLog> synced = new HashMap<>();
        private final Map<Long, LogStoreRecord> unsynced = new HashMap<>();
        private long lastToken;
        private LogServer server;

        private Replica(int index) {
            this.index = index;
            server = server();
        }

        private LogServer server() {
            return new LogServer(
                    new LogServer.Config(CounterState.CLUSTER, principals(), PrincipalId.replica(index), 0),
                    state,
                    CounterState.SUBMISSIONS,
                    List.copyOf(disk));
        }

        private void crash() {
            unsynced.clear();
            lastToken = 0;
            state = stableState.copy();
            executed = stable;
            server = server();
        }

        private void execute(int most) {
            for (int i = 0; i < most && executed < order.size(); i++, executed++) {
                state.execute(order.get(executed).by(), order.get(executed).submission());
            }
            perform(server.onExecuted(now));
        }

        private void sync() {
            if (lastToken > 0 && !unsynced.isEmpty()) {
                for (long token = lastToken - unsynced.size() + 1; token <= lastToken; token++) {
                    LogStoreRecord record = unsynced.remove(token);
                    disk.add(record);
                    if (record instanceof LogStoreRecord.Batch batch) {
                        synced.computeIfAbsent(record.log(), id -> new SignedLog(id, signer))
                                .add(batch.append().entries());
                    }
                }
                perform(server.onStored(now, lastToken));
            }
        }

        private void perform(List<LogEffect> effects) {
            for (LogEffect effect : effects) {
                switch (effect) {
                    case LogEffect.Store(long token, LogStoreRecord record) -> {
                        lastToken = token;
                        unsynced.put(token, record);
                    }
                    case LogEffect.Delete(LogId log) -> {
                        assertThat(unsynced.values())
                                .noneMatch(record -> record.log().equals(log));
                        disk.removeIf(record -> record.log().equals(log));
                        synced.remove(log);
                    }
                    case LogEffect.Send send -> {
                        if (index == LIAR) {
                            lie(send);
                        } else {
                            checkAnswer(send.message());
                            post(send.to(), index, send.message());
                        }
                    }
                    case LogEffect.Submit(Bytes submission) -> {
                        if (index != LIAR) {
                            checkClosed();
                        }
                        order(PrincipalId.replica(index), submission);
                    }
                }
            }
        }

        /** Wrong replies, acknowledged batches that nobody has stored, and answers that are withheld. */
        private void lie(LogEffect.Send send) {
            LockingMessage.ToHolder told = send.message();
            LockingMessage.ToHolder lie = switch (random.nextInt(5)) {
                case 0 -> new LockingMessage.LogRefused(told.log(), 0, LogRefusal.CLOSED, 0);
                case 1 ->
                    told instanceof Appended appended
                            ? new Appended(
                                    appended.log(),
                                    appended.length(),
                                    appended.hash(),
                                    appended.replies().stream()
                                            .map(reply -> CounterState.number(CounterState.numberOf(reply) + 1))
                                            .toList())
                            : told;
                case 2 ->
                    told instanceof LogAnswer answer
                            ? new LogAnswer(answer.log(), answer.call(), CounterState.number(-1))
                            : new Appended(told.log(), 1, FORGED, List.of(CounterState.number(1)));
                case 3 -> new LockingMessage.LogRefused(told.log(), 0, LogRefusal.GAP, random.nextInt(3));
                default -> told;
            };
            if (random.nextInt(4) > 0) {
                post(send.to(), index, lie);
            }
        }

        private void checkAnswer(LockingMessage.ToHolder message) {
            if (!(message instanceof LockingMessage.LogRefused)) {
                assertThat(unsynced.values())
                        .as("no answer after the end")
                        .doesNotContain(new LogStoreRecord.Closure(message.log()));
                assertThat(disk)
                        .as("no answer after the end")
                        .doesNotContain(new LogStoreRecord.Closure(message.log()));
            }
            if (message instanceof Appended appended) {
                assertThat(holds(appended.log(), appended.length(), appended.hash()))
                        .as("acknowledged after the sync")
                        .isTrue();
            }
        }

        /** A FETCH and its pieces leave when the log is closed on the disk. */
        private void checkClosed() {
            Optional<LogId> log = state.locked();
            assertThat(log).isPresent();
            assertThat(disk).contains(new LogStoreRecord.Closure(log.orElseThrow()));
        }

        /** Returns whether the disk has the log with this hash at its place. */
        private boolean holds(LogId log, long length, Bytes hash) {
            return Optional.ofNullable(synced.get(log))
                    .filter(found -> found.entries.size() >= length)
                    .filter(found -> found.hashes.get((int) length).equals(hash))
                    .isPresent();
        }
    }

    final SplittableRandom random;
    final Signer signer = Signer.fresh();
    final List<Ordered> order = new ArrayList<>();

    /** Executes the order at once: the state that replicas come to. */
    final CounterState latest = new CounterState(QUORUM);

    private final List<Replica> replicas = new ArrayList<>();
    private final PriorityQueue<Parcel> network = new PriorityQueue<>((a, b) ->
            a.atMillis == b.atMillis ? Long.compare(a.number, b.number) : Long.compare(a.atMillis, b.atMillis));
    private BiConsumer<PrincipalId, LockingMessage.ToHolder> receiver = (from, message) -> {};
    private boolean isCalm;
    private long parcels;
    long now = 1_000;

    LogWorld(long seed) {
        random = new SplittableRandom(seed);
        IntStream.range(0, REPLICAS).forEach(index -> replicas.add(new Replica(index)));
    }

    static List<PrincipalId> principals() {
        return IntStream.range(0, REPLICAS).mapToObj(PrincipalId::replica).toList();
    }

    void setReceiver(BiConsumer<PrincipalId, LockingMessage.ToHolder> holder) {
        receiver = holder;
    }

    /** From now on nothing is lost, and nobody crashes. */
    void calm() {
        isCalm = true;
    }

    /** Returns whether it had an effect. */
    boolean order(PrincipalId by, Bytes submission) {
        order.add(new Ordered(by, submission));
        return latest.execute(by, submission);
    }

    void send(PrincipalId from, PrincipalId to, LockingMessage.ToServer message) {
        post(from, to.number(), message);
    }

    private void post(PrincipalId holder, int replica, LockingMessage message) {
        int copies = isCalm ? 1 : random.nextInt(20) < 2 ? 0 : random.nextInt(20) == 0 ? 2 : 1;
        for (int i = 0; i < copies; i++) {
            network.add(new Parcel(now + random.nextLong(DELAY_MILLIS_MAX), ++parcels, holder, replica, message));
        }
    }

    /** Number of correct servers that have an entry of this hash at its place. */
    int holders(LogId log, long length, Bytes hash) {
        return (int) replicas.stream()
                .filter(replica -> replica.index != LIAR && replica.holds(log, length, hash))
                .count();
    }

    void step() {
        now += STEP_MILLIS;
        while (!network.isEmpty() && network.peek().atMillis <= now) {
            deliver(network.remove());
        }
        for (Replica replica : replicas) {
            if (isCalm || random.nextInt(3) > 0) {
                replica.execute(random.nextInt(8));
            }
            if (isCalm || random.nextInt(3) > 0) {
                replica.sync();
            }
            if (random.nextInt(10) == 0) {
                replica.perform(replica.server.onTick(now));
            }
            if (random.nextInt(100) == 0) {
                replica.stable = replica.executed;
                replica.stableState = replica.state.copy();
                replica.perform(replica.server.onStable(replica.state.commands()));
            }
        }
        if (!isCalm && random.nextInt(300) == 0) {
            (random.nextInt(4) == 0 ? replicas : List.of(replicas.get(random.nextInt(REPLICAS))))
                    .forEach(Replica::crash);
        }
        lieInTheOrder();
    }

    private void deliver(Parcel parcel) {
        switch (parcel.message) {
            case LockingMessage.ToServer request -> {
                Replica replica = replicas.get(parcel.replica);
                replica.perform(replica.server.onMessage(parcel.from, parcel.number, request));
            }
            case LockingMessage.ToHolder answer -> receiver.accept(PrincipalId.replica(parcel.replica), answer);
        }
    }

    /** The liar claims that the log is empty, or another one, and brings pieces that nobody has signed. */
    private void lieInTheOrder() {
        Optional<LogId> log = latest.locked();
        if (log.isEmpty() || random.nextInt(50) > 0) {
            return;
        }
        SignedLog forged = new SignedLog(log.get(), signer);
        if (random.nextBoolean()) {
            forged.add(List.of(SignedLog.entry(1_000, 0)));
            order(
                    PrincipalId.replica(LIAR),
                    CounterState.SUBMISSIONS.pieces(log.get(), 1, forged.hashes.get(0), forged.entries));
            LogHead head = new LogHead(1, forged.hashes.get(1), LockingSamples.filled(64, 1));
            order(PrincipalId.replica(LIAR), SignedLog.fetch(log.get(), head));
        } else if (random.nextInt(4) == 0) {
            order(PrincipalId.replica(LIAR), SignedLog.fetch(log.get(), LogHead.empty(forged.hashes.get(0))));
        }
    }

    /** Returns whether all correct replicas have come to the same state. */
    boolean isSettled() {
        return replicas.stream()
                .allMatch(replica -> replica.executed == order.size()
                        && replica.state.counter() == latest.counter()
                        && replica.state.locked().isEmpty());
    }
}
