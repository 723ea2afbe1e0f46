package io.bulwark.simulation.metadata;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.ProtocolServer;
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

    private final int self;
    private final CommandOrder order;
    private final ReplicaDisk disk;
    private final ReplicaInvariants invariants;
    private final Random random;
    private final int lateOneIn;
    private final int checkpointEvery;
    private final MetadataStateMachine machine;
    private final NavigableMap<Integer, Bytes> replies;
    private final List<ReceivedCall> waiting = new ArrayList<>();
    private int executed;

    private record ReceivedCall(PrincipalId from, long requestId, OrderingMessage.ToReplica request, int place) {}

    /** Starts from the disk. */
    public SimulatedReplica(int self, CommandOrder order, ReplicaDisk disk, ReplicaInvariants invariants, long seed) {
        this.self = self;
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

    /** Returns how much of the order it has executed. */
    public int executed() {
        return executed;
    }

    /** Returns whether it has executed all that it has helped to decide, in its earlier lives too. */
    public boolean isReadable() {
        return executed >= disk.known();
    }

    /** Returns the number of commands in the state from which the next life begins, or a later one. */
    public long stableCommands() {
        return disk.commands();
    }

    /** Has a submission of this replica ordered. */
    public void submit(Bytes submission) {
        order.order(PrincipalId.replica(self), random.nextLong(), submission, false, false);
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, long requestId, Message message) {
        if (!(message instanceof OrderingMessage.ToReplica asked)) {
            return List.of();
        }
        switch (asked) {
            case OrderingMessage.Submit submit -> order(from, requestId, submit, submit.command(), false);
            case OrderingMessage.OrderedQuery query -> order(from, requestId, query, query.query(), true);
            case OrderingMessage.Query query -> {
                List<Effect> effects = new ArrayList<>(execute());
                effects.add(answer(from, requestId, query, machine.query(from, query.query())));
                return effects;
            }
        }
        return execute();
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        return execute();
    }

    private void order(PrincipalId from, long requestId, OrderingMessage.ToReplica request, Bytes body, boolean query) {
        int place = order.order(from, request.call(), body, query, random.nextInt(AGAIN_ONE_IN * 4) == 0);
        waiting.add(new ReceivedCall(from, requestId, request, place));
    }

    private List<Effect> execute() {
        int until = random.nextInt(lateOneIn) == 0 ? order.size() : executed + (order.size() - executed) / 2;
        for (; executed < until; executed++) {
            CommandOrder.Entry entry = order.at(executed);
            Bytes reply = entry.query()
                    ? machine.query(entry.submitter(), entry.body())
                    : machine.execute(entry.submitter(), entry.body(), entry.agreedMillis());
            CommandOrder.reconfigure(machine, executed);
            invariants.executed(entry, executed, machine, reply);
            // No engine keeps replies for ever: a call that is ordered again gets the reply of its latest execution.
            replies.put(entry.first(), reply);
            if (executed % checkpointEvery == 0) {
                disk.save(machine, executed + 1, replies);
            }
        }
        disk.setKnown(executed);
        List<Effect> answers = new ArrayList<>();
        waiting.removeIf(asked -> {
            Bytes reply = replies.get(asked.place);
            if (reply != null) {
                answers.add(answer(asked.from, asked.requestId, asked.request, reply));
            }
            return reply != null;
        });
        return answers;
    }

    private Effect answer(PrincipalId to, long requestId, OrderingMessage.ToReplica request, Bytes reply) {
        OrderingMessage.Reply whole = new OrderingMessage.Reply(request.call(), INCARNATION, reply);
        return new Effect.Send(to, requestId, whole.by(self, request.replier()));
    }
}
