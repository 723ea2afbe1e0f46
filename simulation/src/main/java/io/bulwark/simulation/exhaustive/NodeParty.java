package io.bulwark.simulation.exhaustive;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.wire.Message;
import io.bulwark.simulation.engine.ReplicaAnswers;
import io.bulwark.simulation.engine.SimulatedRecords;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A node: a server over its records, with the operations that it runs among its peers. */
final class NodeParty implements Party {
    private static final int STEPS_MAX = 10_000;

    /** An operation of the node itself. */
    private record NodeOperation(long token, ClientOperation<?> operation) {}

    private final TinyWorld.Node node;
    private final ReplicaAnswers replicas;
    private final long tickMillis;
    private final SimulatedRecords records = new SimulatedRecords();
    private final ArrayDeque<Effect> disk = new ArrayDeque<>();
    private final Map<Long, NodeOperation> running = new TreeMap<>();
    private ProtocolServer server;
    private long lastOperation;
    private long nowMillis;
    private boolean forgetting;

    NodeParty(TinyWorld.Node node, ReplicaAnswers replicas, long tickMillis) {
        this.node = node;
        this.replicas = replicas;
        this.tickMillis = tickMillis;
        this.server = node.server().get();
    }

    @Override
    public void begin(Mail mail) {}

    @Override
    public void deliver(Envelope envelope, Message message, Mail mail) {
        if (envelope.request() && forgetting && node.forgets().orElseThrow().test(message)) {
            new NodeParty(node, replicas, tickMillis).deliver(envelope, message, mail);
            return;
        }
        if (envelope.request()) {
            perform(server.onMessage(nowMillis, envelope.from(), envelope.requestId(), message), mail);
            return;
        }
        NodeOperation asked = running.get(envelope.requestId());
        if (asked != null) {
            performFor(
                    envelope.requestId(),
                    asked,
                    asked.operation().onMessage(nowMillis, envelope.from(), message),
                    mail);
        }
    }

    @Override
    public void tick(Mail mail) {
        nowMillis += tickMillis;
        perform(server.onTick(nowMillis), mail);
        for (Map.Entry<Long, NodeOperation> entry : List.copyOf(running.entrySet())) {
            NodeOperation asked = entry.getValue();
            performFor(entry.getKey(), asked, asked.operation().onTick(nowMillis), mail);
        }
    }

    @Override
    public void crash(Mail mail) {
        disk.clear();
        running.clear();
        server = node.server().get();
    }

    @Override
    public void disk(Mail mail) {
        perform(completeDiskEffect(disk.removeFirst()), mail);
    }

    @Override
    public void tell(Fact fact, Mail mail) {
        perform(server.onFact(nowMillis, fact), mail);
    }

    private void perform(List<Effect> effects, Mail mail) {
        ArrayDeque<Effect> todo = new ArrayDeque<>(effects);
        for (int steps = 0; !todo.isEmpty(); steps++) {
            if (steps > STEPS_MAX) {
                throw new IllegalStateException("a node does not come to rest");
            }
            Effect effect = todo.removeFirst();
            switch (effect) {
                case Effect.Send send -> mail.answer(send.to(), send.requestId(), send.message());
                case Effect.Evidence evidence -> mail.evidence(evidence);
                case Effect.Refuses _ -> {}
                case Effect.Ask ask ->
                    replicas.answer(node.id(), ask.question())
                            .ifPresent(fact -> todo.addAll(server.onFact(nowMillis, fact)));
                case Effect.Run run -> {
                    NodeOperation asked = new NodeOperation(run.token(), run.operation());
                    running.put(++lastOperation, asked);
                    performFor(lastOperation, asked, run.operation().start(nowMillis), mail);
                }
                case Effect.Store _, Effect.Load _, Effect.LoadMetas _, Effect.Scan _ -> {
                    if (node.slowDisk()) {
                        disk.addLast(effect);
                    } else {
                        todo.addAll(completeDiskEffect(effect));
                    }
                }
            }
        }
    }

    private void performFor(long id, NodeOperation asked, List<Effect> effects, Mail mail) {
        for (Effect effect : effects) {
            switch (effect) {
                case Effect.Send send -> mail.request(send.to(), id, send.message());
                case Effect.Evidence evidence -> mail.evidence(evidence);
                default -> throw new IllegalStateException("an operation asked for " + effect);
            }
        }
        if (asked.operation().isFinished() && running.remove(id) != null) {
            Object outcome = asked.operation().outcome().orElseThrow();
            perform(server.onCompleted(nowMillis, asked.token(), outcome), mail);
        }
    }

    private List<Effect> completeDiskEffect(Effect effect) {
        return switch (effect) {
            case Effect.Store store -> {
                records.apply(store.mutations());
                yield server.onStored(nowMillis, store.token(), Stored.DURABLE);
            }
            case Effect.Load load -> server.onLoaded(nowMillis, load.token(), records.load(load.key()));
            case Effect.LoadMetas metas -> {
                Loaded found = records.scan(metas.kind(), metas.block(), metas.block(), Integer.MAX_VALUE);
                yield server.onLoaded(nowMillis, metas.token(), found);
            }
            case Effect.Scan scan -> {
                Loaded found = records.scan(scan.kind(), scan.from(), scan.to(), scan.max());
                yield server.onLoaded(nowMillis, scan.token(), found);
            }
            default -> throw new IllegalStateException("not for the disk: " + effect);
        };
    }

    @Override
    public int choices() {
        return lies() + (node.forgets().isPresent() ? 1 : 0);
    }

    private int lies() {
        return server instanceof ChoosingServer choosing ? choosing.choices() : 1;
    }

    /** The last choice is to forget. */
    @Override
    public void choose(int choice) {
        forgetting = choice == lies();
        if (server instanceof ChoosingServer choosing) {
            choosing.choose(forgetting ? 0 : choice);
        }
    }

    @Override
    public boolean isDiskBusy() {
        return !disk.isEmpty();
    }

    @Override
    public Optional<Object> outcome() {
        return Optional.empty();
    }

    @Override
    public boolean isFinished() {
        return false;
    }

    @Override
    public List<Object> state() {
        // The last lie has no influence on the state.
        choose(0);
        return new ArrayList<>(List.of(server, records, disk, running, lastOperation, nowMillis));
    }
}
