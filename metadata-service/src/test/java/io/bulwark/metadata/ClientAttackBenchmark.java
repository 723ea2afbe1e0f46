package io.bulwark.metadata;

import io.bulwark.metadata.bft.ReplicaRestarter;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.OrderingCodec;
import io.bulwark.protocol.ordering.OrderingMessage;
import io.bulwark.protocol.ordering.OrderingMessage.Query;
import io.bulwark.protocol.ordering.OrderingMessage.Submit;
import io.bulwark.protocol.ordering.RecoveryMessage;
import io.bulwark.protocol.ordering.driver.StartReason;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.transport.InboundHandler;
import io.bulwark.transport.InsecureLoopback;
import io.bulwark.transport.Peer;
import io.bulwark.transport.PeerLink;
import io.bulwark.transport.Transport;
import io.bulwark.transport.TransportSettings;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * Benchmark of the cost of attacking clients to others (docs/ordering/overload.md). Four
 * replicas run in this JVM, with correct callers and k attackers of each sort beside them; a row without attackers
 * precedes each row. The attackers run on the same processors, so the ratios include their own processor time. On
 * demand, {@code -Dtest=ClientAttackBenchmark}. The duration of each cell is {@code bulwark.bench.seconds}, and the
 * number of attackers {@code bulwark.bench.attackers}. The property {@code bulwark.bench.attacks} selects the sorts,
 * and {@code bulwark.bench.memory} is the directory to which the replicas write.
 */
@NullMarked
class ClientAttackBenchmark {
    private static final double SECONDS = Double.parseDouble(System.getProperty("bulwark.bench.seconds", "2"));
    private static final int ATTACKERS = Integer.getInteger("bulwark.bench.attackers", 4);
    private static final Path MEMORY = Path.of(System.getProperty("bulwark.bench.memory", "/dev/shm"));
    private static final List<Attack> ATTACKS = Stream.of(
                    System.getProperty("bulwark.bench.attacks", "").split(","))
            .filter(name -> !name.isEmpty())
            .map(Attack::valueOf)
            .toList();
    private static final int[] CALLERS = {1, 16};
    private static final int RESULT_BYTES = 4 << 10;

    /** Size at which one attacker's requests fill its room; twice as many numbers as results are kept. */
    private static final int LONG_BYTES = 256 << 10;

    private static final long NUMBERS = 1_023;
    private static final int SOME_RECONNECT_MILLIS = 2;

    private final List<InetSocketAddress> addresses = new ArrayList<>();

    /** Requests that attackers send as fast as their connections accept them. */
    private enum Attack {
        FLOOD("requests to all"),
        ONE_REPLICA("requests to one replica"),
        SOME_REPLICAS("requests to f+1 replicas"),
        SEVERAL_BODIES("one number with several bodies"),
        LARGE("requests of 1 MiB"),
        FULL_ROOM("requests of 256 KiB to f+1 replicas, old ones again, twice as many attackers"),
        QUERIES("read-only requests"),
        RECOVERIES("questions about recoveries"),
        RECONNECTING("connections, under fresh keys each time");

        private final String name;

        Attack(String name) {
            this.name = name;
        }
    }

    private static final class Deaf implements InboundHandler {
        private final AtomicLong heard = new AtomicLong();

        @Override
        public void onMessage(Peer peer, long requestId, Message message, Runnable done) {
            heard.incrementAndGet();
            done.run();
        }
    }

    /** One attacking client with connections of its own. */
    private final class Attacker implements AutoCloseable {
        private final Attack attack;
        private final Transport transport;
        private final List<PeerLink> links = new ArrayList<>();
        private final Deaf answers = new Deaf();
        private final AtomicBoolean ended = new AtomicBoolean();
        private final AtomicLong sent = new AtomicLong();
        private final Thread thread;

        Attacker(int number, Attack attack) {
            this.attack = attack;
            transport = Transport.open(
                    TransportSettings.defaults().withEventLoopThreads(1),
                    new InsecureLoopback(ReplicaGroup.keys(ReplicaGroup.client(number))),
                    new MessageCodecs(new OrderingCodec()));
            connect();
            thread = Thread.ofPlatform().name("attacker-" + number).start(this::run);
        }

        private void connect() {
            for (int replica = 0; replica < ReplicaGroup.REPLICAS; replica++) {
                links.add(transport.link(PrincipalId.replica(replica), addresses.get(replica), answers));
            }
        }

        private void run() {
            try {
                while (!ended.get()) {
                    if (attack == Attack.RECONNECTING) {
                        links.forEach(PeerLink::close);
                        links.clear();
                        connect();
                        sent.addAndGet(ReplicaGroup.REPLICAS);
                        Thread.sleep(SOME_RECONNECT_MILLIS);
                    } else if (links.stream().allMatch(PeerLink::isWritable)) {
                        attack(ThreadLocalRandom.current().nextLong());
                    } else {
                        Thread.sleep(1);
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void attack(long call) {
            Bytes small = SizesMachine.operation(16, 0);
            int first = (int) (call & 3);
            switch (attack) {
                case FLOOD -> send(first, 4, new Submit(call, small));
                case ONE_REPLICA -> send(first, 1, new Submit(call, small));
                case SOME_REPLICAS -> send(first, 2, new Submit(call, small));
                case SEVERAL_BODIES -> {
                    for (int replica = 0; replica < ReplicaGroup.REPLICAS; replica++) {
                        send(replica, 1, new Submit(call, SizesMachine.operation(16 + (first + replica) % 2, 0)));
                    }
                }
                case LARGE -> {
                    int bytes = OrderingMessage.COMMAND_BYTES_MAX - Long.BYTES;
                    send(first, 4, new Submit(call, SizesMachine.operation(bytes, 0)));
                }
                case FULL_ROOM -> send(first, 2, new Submit(call & NUMBERS, SizesMachine.operation(LONG_BYTES, 0)));
                case QUERIES -> send(first, 4, new Query(call, first, SizesMachine.operation(0, RESULT_BYTES)));
                case RECOVERIES -> send(first, 4, call, new RecoveryMessage.StatusQuery(call));
                case RECONNECTING -> {} // not by messages
            }
        }

        private void send(int first, int count, OrderingMessage message) {
            send(first, count, message.call(), message);
        }

        private void send(int first, int count, long call, Message message) {
            for (int i = 0; i < count; i++) {
                sent.addAndGet(links.get((first + i) % links.size()).send(call, message) ? 1 : 0);
            }
        }

        @Override
        public void close() {
            ended.set(true);
            thread.interrupt();
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            transport.close();
        }
    }

    @Test
    void correctCallersBesideAttackers() throws Exception {
        Path directory = Files.createTempDirectory(MEMORY.toAbsolutePath(), "attacks");
        ReplicaGroup.Starter starter = (config, credentials, _) -> new ReplicaGroup.Started(
                ReplicaRestarter.start(config, credentials, _ -> new SizesMachine(), StartReason.NORMAL), List::of);
        try (ReplicaGroup group = new ReplicaGroup(directory, starter, ReplicaConfig.SNAPSHOT_BATCHES_STANDARD)) {
            group.startAll();
            addresses.addAll(group.addresses());
            var _ = measure(group, 16);
            System.out.println(String.format(
                    Locale.ROOT, "%d attackers of each sort, %.1f s a cell, in %s", ATTACKERS, SECONDS, directory));
            System.out.println("| Attackers send | callers | alone, op/s | beside, op/s | ratio | alone, p50/p99 us |"
                    + " beside, p50/p99 us | p99, ratio | sent by attackers, /s | primary before/after |");
            System.out.println("|---|---|---|---|---|---|---|---|---|---|");
            for (Attack attack : ATTACKS.isEmpty() ? List.of(Attack.values()) : ATTACKS) {
                for (int callers : CALLERS) {
                    row(group, attack, callers);
                }
            }
        } finally {
            OrderingTablesBenchmark.delete(directory);
        }
    }

    private void row(ReplicaGroup group, Attack attack, int callers) throws InterruptedException {
        Callers.Measured alone = measure(group, callers);
        int before = group.replica(0).status().leader();
        List<Attacker> attackers = new ArrayList<>();
        long startNanos = System.nanoTime();
        Callers.Measured beside;
        double sent;
        try {
            for (int i = 0; i < ATTACKERS * (attack == Attack.FULL_ROOM ? 2 : 1); i++) {
                attackers.add(new Attacker(i, attack));
            }
            beside = measure(group, callers);
            sent = attackers.stream().mapToLong(each -> each.sent.get()).sum() * 1e9 / (System.nanoTime() - startNanos);
        } finally {
            attackers.forEach(Attacker::close);
        }
        System.out.println(String.format(
                Locale.ROOT,
                "| %s | %d | %.0f | %.0f | %.2f | %.0f / %.0f | %.0f / %.0f | %.1f | %.0f | %d / %d |",
                attack.name,
                callers,
                alone.perSecond(),
                beside.perSecond(),
                beside.perSecond() / alone.perSecond(),
                alone.p50Micros(),
                alone.p99Micros(),
                beside.p50Micros(),
                beside.p99Micros(),
                beside.p99Micros() / alone.p99Micros(),
                sent,
                before,
                group.replica(0).status().leader()));
    }

    private static Callers.Measured measure(ReplicaGroup group, int callers) throws InterruptedException {
        Bytes operation = SizesMachine.operation(0, 0);
        return Callers.measure(callers, SECONDS, () -> group.client().submit(operation));
    }
}
