package io.bulwark.protocol.ordering;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.MembershipMessage.AskSuccessor;
import io.bulwark.protocol.ordering.membership.MembershipMessage.Successor;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Call for the history from the replicas of the genesis to the present ones, for a client that believes its source of
 * the latter. It checks no signature. It asks each replica for the whole history, which must lead step by step from the
 * genesis to the known configuration.
 */
public final class HistoryCall implements ClientOperation<Optional<List<Successor>>> {
    /**
     * Interval of questions, since replicas ignore questions that come too often. They show the last of many changes
     * one by one.
     */
    private static final long ASK_MILLIS = 100;

    private final Configuration genesis;
    private final Configuration now;
    private final long timeoutMillis;
    private final Map<PrincipalId, List<Successor>> shown = new TreeMap<>();
    private long deadlineMillis;
    private long askAtMillis;
    private Optional<Optional<List<Successor>>> outcome = Optional.empty();

    /** @param now a later one than that of the genesis */
    public HistoryCall(Configuration genesis, Configuration now, long timeoutMillis) {
        this.genesis = genesis;
        this.now = now;
        this.timeoutMillis = timeoutMillis;
        now.replicas().forEach(replica -> shown.put(replica, new ArrayList<>()));
    }

    @Override
    public List<Effect> start(long nowMillis) {
        deadlineMillis = nowMillis + timeoutMillis;
        askAtMillis = nowMillis + ASK_MILLIS;
        return shown.keySet().stream().map(this::ask).toList();
    }

    private Effect ask(PrincipalId replica) {
        return new Effect.Send(replica, 0, new AskSuccessor(lastOf(replica).number()));
    }

    private Configuration lastOf(PrincipalId replica) {
        List<Successor> before = shown.getOrDefault(replica, List.of());
        return before.isEmpty() ? genesis : before.getLast().proof().handover().next();
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        List<Successor> before = shown.get(from);
        Configuration last = lastOf(from);
        if (before == null
                || outcome.isPresent()
                || !(message instanceof Successor said)
                || last.number() >= now.number()
                || said.proof().number() != last.number()
                || !said.proof().handover().previous().equals(last.digest())) {
            return List.of();
        }
        before.add(said);
        Configuration next = said.proof().handover().next();
        if (next.number() < now.number()) {
            return List.of(ask(from));
        }
        if (next.equals(now)) {
            outcome = Optional.of(Optional.of(List.copyOf(before)));
        }
        return List.of();
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        if (outcome.isEmpty() && nowMillis >= deadlineMillis) {
            outcome = Optional.of(Optional.empty());
        }
        if (outcome.isPresent() || nowMillis < askAtMillis) {
            return List.of();
        }
        askAtMillis = nowMillis + ASK_MILLIS;
        return shown.keySet().stream()
                .filter(replica -> lastOf(replica).number() < now.number())
                .map(this::ask)
                .toList();
    }

    @Override
    public Optional<Optional<List<Successor>>> outcome() {
        return outcome;
    }
}
