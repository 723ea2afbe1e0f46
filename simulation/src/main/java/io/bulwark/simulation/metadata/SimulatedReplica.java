package io.bulwark.simulation.metadata;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.MetadataStateMachine;
import io.bulwark.protocol.ordering.OrderingMessage;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;

/**
 * One replica: executes the order, sometimes late, answers calls and queries, saves checkpoints, and starts again from the last
 * one. What is ordered is durable at once; a reply is never lost with a checkpoint, since the order is executed again.
 */
public final class SimulatedReplica implements ProtocolServer {
    private static final long INCARNATION = 1;
    private static final int AGAIN_ONE_IN = 4;

    private final CommandOrder order;
    private final ReplicaDisk disk;
    private final ReplicaInvariants invariants;
    private final Random random;
    private final int lateOneIn;
    private final int checkpointEvery;
    private final MetadataStateMachine machine;
    private final NavigableMap<Integer, Bytes> replies;
    private final List<Asked> waiting = new ArrayList<>();
    private int executed;

    private record Asked(PrincipalId from, long requestId, long call, int place) {}

    /** Starts from the disk. */
    public SimulatedReplica(CommandOrder order, ReplicaDisk disk, ReplicaInvariants invariants, long seed) {
        this.order = order;
        this.disk = disk;
        this.invariants = invariants;
        this.random = new Random(seed);
        this.lateOneIn = 1 + random.nextInt(4);
        this.checkpointEvery = 5 + random.nextInt(60);
        this.machine = disk.machine();
        this.replies = disk.replies();
        this.executed = disk.executed();
    }

    /** The state after all that this replica has executed. */
    public MetadataStateMachine machine() {
        return machine;
    }

    /** How much of the order it has executed. */
    public int executed() {
        return executed;
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, long requestId, Message message) {
        if (!(message instanceof OrderingMessage.ToReplica asked)) {
            return List.of();
        }
        switch (asked) {
            case OrderingMessage.Submit(long call, Bytes command) -> order(from, requestId, call, command, false);
            case OrderingMessage.OrderedQuery(long call, Bytes query) -> order(from, requestId, call, query, true);
            case OrderingMessage.Query(long call, Bytes query) -> {
                List<Effect> effects = new ArrayList<>(execute());
                effects.add(answer(from, requestId, call, machine.query(from, query)));
                return effects;
            }
        }
        return execute();
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        return execute();
    }

    private void order(PrincipalId from, long requestId, long call, Bytes body, boolean query) {
        int place = order.order(from, call, body, query, random.nextInt(AGAIN_ONE_IN * 4) == 0);
        waiting.add(new Asked(from, requestId, call, place));
    }

    private List<Effect> execute() {
        int until = random.nextInt(lateOneIn) == 0 ? order.size() : executed + (order.size() - executed) / 2;
        for (; executed < until; executed++) {
            CommandOrder.Entry entry = order.at(executed);
            Bytes reply = entry.query()
                    ? machine.query(entry.submitter(), entry.body())
                    : machine.execute(entry.submitter(), entry.body(), entry.agreedMillis());
            invariants.executed(entry, executed, machine, reply);
            // No engine keeps replies for ever: a call that is ordered again gets what it comes to now.
            replies.put(entry.first(), reply);
            if (executed % checkpointEvery == 0) {
                disk.save(machine, executed + 1, replies);
            }
        }
        List<Effect> answers = new ArrayList<>();
        waiting.removeIf(asked -> {
            Bytes reply = replies.get(asked.place);
            if (reply != null) {
                answers.add(answer(asked.from, asked.requestId, asked.call, reply));
            }
            return reply != null;
        });
        return answers;
    }

    private static Effect answer(PrincipalId to, long requestId, long call, Bytes reply) {
        return new Effect.Send(to, requestId, new OrderingMessage.Reply(call, INCARNATION, reply));
    }

    @Override
    public List<Effect> onStored(long nowMillis, long token, Stored stored) {
        return List.of();
    }

    @Override
    public List<Effect> onLoaded(long nowMillis, long token, Loaded loaded) {
        return List.of();
    }

    @Override
    public List<Effect> onFact(long nowMillis, Fact fact) {
        return List.of();
    }
}
