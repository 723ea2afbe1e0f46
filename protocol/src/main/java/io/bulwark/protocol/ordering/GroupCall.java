package io.bulwark.protocol.ordering;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.ConfigurationStart;
import io.bulwark.protocol.ordering.membership.MembershipMessage.AskSuccessor;
import io.bulwark.protocol.ordering.membership.MembershipMessage.Successor;
import io.bulwark.protocol.ordering.membership.Succession;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Request to a group whose replicas may change (docs/decisions/0020). Replies count within one configuration, of its
 * own replicas only: the last one that the client knows. When it hears of a later one, it asks for the proof; then it
 * repeats the request at the replicas of that configuration.
 */
public final class GroupCall implements ClientOperation<ReplicatedCall.Outcome> {
    /** Time without an outcome after which the client checks that it knows the right replicas. */
    static final long ASK_MILLIS = 1_000;

    /** Bound to which this time doubles: all calls of busy replicas wait, and would ask in vain. */
    static final long ASK_MILLIS_MAX = 16_000;

    private final Succession group;
    private final ReplicatedCall call;
    private long number;
    private long askMillis = ASK_MILLIS;
    private long askAtMillis;

    /**
     * A call that has not begun.
     *
     * @param group what the client knows of the group, with all its calls
     * @param call to the replicas of the last configuration of it
     */
    public GroupCall(Succession group, ReplicatedCall call) {
        this(group, group.term(), call);
    }

    /** As above, to the replicas of a configuration that may not be the last one any more. */
    public GroupCall(Succession group, ConfigurationStart term, ReplicatedCall call) {
        this.group = group;
        this.call = call;
        number = term.number();
    }

    @Override
    public List<Effect> start(long nowMillis) {
        askAtMillis = nowMillis + ASK_MILLIS;
        return call.start(nowMillis);
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        return switch (message) {
            case Successor said -> {
                if (said.proof().number() == group.term().number()
                        && !said.authorization().isEmpty()
                        && group.mayCheck(nowMillis, from)) {
                    var unused = group.accept(said);
                }
                yield follow(nowMillis);
            }
            case OrderingMessage.Reply reply ->
                onReply(nowMillis, from, Configuration.numberOf(reply.incarnation()), reply);
            case OrderingMessage.ReplyDigest reply ->
                onReply(nowMillis, from, Configuration.numberOf(reply.incarnation()), reply);
            default -> call.onMessage(nowMillis, from, message);
        };
    }

    private List<Effect> onReply(long nowMillis, PrincipalId from, long configuration, Message reply) {
        if (configuration == number) {
            return call.onMessage(nowMillis, from, reply);
        }
        return configuration > number && !call.isFinished()
                ? List.of(new Effect.Send(from, 0, new AskSuccessor(number)))
                : List.of();
    }

    /** Another call of this client may have learned of a configuration. */
    private List<Effect> follow(long nowMillis) {
        if (number == group.term().number() || call.isFinished()) {
            return List.of();
        }
        Configuration now = group.term().configuration();
        number = now.number();
        return call.moveTo(nowMillis, now.replicas());
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        List<Effect> effects = new ArrayList<>(follow(nowMillis));
        effects.addAll(call.onTick(nowMillis));
        if (nowMillis >= askAtMillis && !call.isFinished()) {
            askMillis = Math.min(2 * askMillis, ASK_MILLIS_MAX);
            askAtMillis = nowMillis + askMillis;
            for (PrincipalId replica : group.term().configuration().replicas()) {
                effects.add(new Effect.Send(replica, 0, new AskSuccessor(number)));
            }
        }
        return effects;
    }

    @Override
    public Optional<ReplicatedCall.Outcome> outcome() {
        return call.outcome();
    }

    @Override
    public boolean isFinished() {
        return call.isFinished();
    }
}
