package io.bulwark.protocol.agreement;

import io.bulwark.protocol.agreement.KeyAgreement.Settings;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.mac.KeyBook;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;

/** A few nodes that agree on keys, whose network is a queue. */
@NullMarked
final class TestNodes {
    static final Settings SETTINGS = new Settings(10_000, 100);
    static final long ANSWERED = -1;

    record Sent(PrincipalId from, PrincipalId to, long id, Message message) {}

    private record Running(PrincipalId party, long token, ClientOperation<?> operation) {}

    final Map<Integer, KeyAgreement> agreements = new TreeMap<>();
    final Map<Integer, KeyBook> books = new TreeMap<>();
    /** Identities that all nodes believe. */
    final Map<PrincipalId, List<PrincipalKey>> identities = new TreeMap<>();
    /** Everything that was ever sent. */
    final List<Sent> all = new ArrayList<>();
    /** Nodes whose incoming and outgoing messages are lost. */
    final Set<Integer> cutOff = new HashSet<>();
    /** Further messages that are lost. */
    Predicate<Sent> lost = _ -> false;

    private final Deque<Sent> network = new ArrayDeque<>();
    private final Map<Long, Running> operations = new TreeMap<>();
    private final int count;
    private long lastId;
    private long lives;
    long nowMillis = 5_000;

    TestNodes(int count) {
        this.count = count;
        IntStream.range(0, count).forEach(this::start);
    }

    /** Starts a node; all that its previous run had in memory is lost. */
    void start(int node) {
        PrincipalId self = PrincipalId.node(node);
        operations.values().removeIf(running -> running.party().equals(self));
        KeyBook book = new KeyBook(self, Bytes.of(new byte[32]));
        TestPorts ports = new TestPorts(node);
        List<PrincipalId> others = IntStream.range(0, count)
                .filter(other -> other != node)
                .mapToObj(PrincipalId::node)
                .toList();
        books.put(node, book);
        agreements.put(
                node,
                new KeyAgreement(
                        book,
                        others,
                        SETTINGS,
                        ports,
                        ports,
                        id -> identities.getOrDefault(id, List.of()),
                        new Random(++lives)));
    }

    KeyBook book(int node) {
        return Objects.requireNonNull(books.get(node));
    }

    KeyAgreement agreement(int node) {
        return Objects.requireNonNull(agreements.get(node));
    }

    void run(long millis) {
        for (long end = nowMillis + millis; nowMillis < end; nowMillis += 50) {
            agreements.forEach((node, agreement) -> perform(node, agreement.onTick(nowMillis)));
            for (long id : List.copyOf(operations.keySet())) {
                Running running = Objects.requireNonNull(operations.get(id));
                follow(id, running, running.operation().onTick(nowMillis));
            }
            deliver();
        }
    }

    /** Sends the message in the name of a node; the answers are in {@link #all}. */
    void say(int from, int to, Message message) {
        network.add(new Sent(PrincipalId.node(from), PrincipalId.node(to), ANSWERED, message));
        deliver();
    }

    private void deliver() {
        for (Sent next = network.poll(); next != null; next = network.poll()) {
            all.add(next);
            if (lost.test(next)
                    || cutOff.contains(next.from().number())
                    || cutOff.contains(next.to().number())) {
                continue;
            }
            Running running = operations.get(next.id());
            if (running != null && running.party().equals(next.to())) {
                follow(next.id(), running, running.operation().onMessage(nowMillis, next.from(), next.message()));
            } else {
                int node = next.to().number();
                perform(node, agreement(node).onMessage(nowMillis, next.from(), next.id(), next.message()));
            }
        }
    }

    private void follow(long id, Running running, List<Effect> effects) {
        for (Effect effect : effects) {
            Effect.Send send = (Effect.Send) effect;
            network.add(new Sent(running.party(), send.to(), id, send.message()));
        }
        if (running.operation().isFinished() && operations.remove(id) != null) {
            int node = running.party().number();
            Object outcome = running.operation().outcome().orElseThrow();
            perform(node, agreement(node).onCompleted(nowMillis, running.token(), outcome));
        }
    }

    private void perform(int node, List<Effect> effects) {
        for (Effect effect : effects) {
            switch (effect) {
                case Effect.Send send ->
                    network.add(new Sent(PrincipalId.node(node), send.to(), send.requestId(), send.message()));
                case Effect.Run run -> {
                    Running running = new Running(PrincipalId.node(node), run.token(), run.operation());
                    operations.put(++lastId, running);
                    follow(lastId, running, run.operation().start(nowMillis));
                }
                default -> throw new AssertionError("not expected: " + effect);
            }
        }
    }
}
