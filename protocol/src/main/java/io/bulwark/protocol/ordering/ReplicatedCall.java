package io.bulwark.protocol.ordering;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.OrderingMessage.OrderedQuery;
import io.bulwark.protocol.ordering.OrderingMessage.Query;
import io.bulwark.protocol.ordering.OrderingMessage.Submit;
import io.bulwark.protocol.ordering.OrderingMessage.ToReplica;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Request to the replicated state machine (docs/ordering): sent to all 3f+1 replicas, and sent again until enough
 * of them have answered the same. One replica, a different one each time, sends the whole of a long reply, while the
 * others send its digest (4.2). If enough digests agree and the reply to them does not arrive, one of the agreeing
 * replicas is asked for it. Replicas stand at different places of the order, so a query may find no agreement in time.
 * It is then repeated as an ordered one, unless that is excluded.
 */
public final class ReplicatedCall implements ClientOperation<ReplicatedCall.Outcome> {
    static final long RESEND_FIRST_MILLIS = 300;
    static final long RESEND_MAX_MILLIS = 2_400;

    /** A query waits so long for agreement before it is ordered. */
    static final long QUERY_MILLIS = 200;

    /** Such a time of a query that nobody waits for. */
    static final long PATIENT_QUERY_MILLIS = 5_000;

    /** Time that the other replicas get to bring agreement, once 2f+1 have answered a query differently. */
    static final long DISAGREEMENT_MILLIS = 40;

    /** Time that the replica with the whole reply gets, once enough have answered the same. */
    static final long REPLIER_MILLIS = 40;

    /** Outcome of the call. */
    public sealed interface Outcome {}

    /** Enough replicas gave this reply. */
    public record Agreed(Bytes reply) implements Outcome {}

    /** The state machine fails on this request: f+1 replicas say so. */
    public record Rejected() implements Outcome {}

    /** Time was up; what the call knows of each replica, in their order. For a command the result is not known. */
    public record TimedOut(SortedMap<PrincipalId, ReplicaState> replicas) implements Outcome {}

    /** Latest answer of one replica to a call. */
    public enum ReplicaState {
        SILENT,
        NOT_READY,
        OVERLOADED,
        FAILED,
        ANSWERED
    }

    private record GivenReply(
            long incarnation, Bytes digest, @Nullable Bytes reply) {
        private boolean agrees(GivenReply other) {
            return incarnation == other.incarnation && digest.equals(other.digest);
        }
    }

    private final SortedMap<PrincipalId, @Nullable Object> answers = new TreeMap<>();
    private final SortedSet<PrincipalId> late = new TreeSet<>();
    private final Set<PrincipalId> avoided = new HashSet<>();
    private final RandomGenerator random;
    private int needed;
    private int faulty;
    private final long timeoutMillis;
    private boolean neverOrdered;
    private long queryMillis = QUERY_MILLIS;
    private ToReplica request;
    private @Nullable PrincipalId replier;
    private long wholeAtMillis = Long.MAX_VALUE;
    private long orderAtMillis = Long.MAX_VALUE;
    private long deadlineMillis;
    private long resendAtMillis;
    private long resendMillis;
    private @Nullable Outcome outcome;

    private ReplicatedCall(
            List<PrincipalId> replicas, int needed, ToReplica request, long timeoutMillis, RandomGenerator random) {
        this.faulty = faultyOf(replicas.size());
        this.needed = needed;
        this.request = request;
        this.timeoutMillis = timeoutMillis;
        this.random = random;
        replicas.forEach(replica -> answers.put(replica, null));
        if (answers.size() != replicas.size()) {
            throw new IllegalArgumentException("a replica is named twice: " + replicas);
        }
    }

    /** A command; done at 2f+1 equal replies. */
    public static ReplicatedCall command(
            List<PrincipalId> replicas, Bytes command, long timeoutMillis, RandomGenerator random) {
        int needed = 2 * faultyOf(replicas.size()) + 1;
        return new ReplicatedCall(replicas, needed, new Submit(random.nextLong(), command), timeoutMillis, random);
    }

    /**
     * A linearizable query; done at 2f+1 equal replies. For a fact that never reverts f+1 would be enough only under an engine
     * that never drops what a correct replica has executed; an incarnation may end with what fewer than 2f+1 hold.
     */
    public static ReplicatedCall query(
            List<PrincipalId> replicas, Bytes query, long timeoutMillis, RandomGenerator random) {
        int needed = 2 * faultyOf(replicas.size()) + 1;
        return new ReplicatedCall(replicas, needed, new Query(random.nextLong(), query), timeoutMillis, random);
    }

    /**
     * Asks on until the deadline instead of having a query ordered; to be called before it starts.
     */
    public ReplicatedCall withoutOrdering() {
        neverOrdered = true;
        return this;
    }

    /**
     * Asks again for a while before the query is ordered, also if the replicas answer differently; to be called before it
     * starts. Ordering costs many times as much. Busy replicas become slow, and would become busier if all background
     * queries were ordered then.
     */
    public ReplicatedCall patiently() {
        queryMillis = PATIENT_QUERY_MILLIS;
        return this;
    }

    /** Names none of these as the replier, unless it must; to be called before it starts. */
    public ReplicatedCall avoidRepliers(Set<PrincipalId> replicas) {
        avoided.addAll(replicas);
        return this;
    }

    /** Returns the replicas that did not send the whole reply in their turn, while enough others agreed on it. */
    public Set<PrincipalId> late() {
        return Set.copyOf(late);
    }

    /** The f of n = 3f+1. */
    public static int faultyOf(int replicas) {
        if (replicas < 1 || replicas % 3 != 1) {
            throw new IllegalArgumentException(replicas + " replicas are not 3f+1");
        }
        return replicas / 3;
    }

    /** Moves the call to other replicas; answers of the previous ones do not count. */
    List<Effect> moveTo(long nowMillis, List<PrincipalId> replicas) {
        faulty = faultyOf(replicas.size());
        needed = 2 * faulty + 1;
        answers.clear();
        replicas.forEach(replica -> answers.put(replica, null));
        return begin(nowMillis);
    }

    @Override
    public List<Effect> start(long nowMillis) {
        deadlineMillis = nowMillis + timeoutMillis;
        if (mayBeOrdered()) {
            orderAtMillis = nowMillis + queryMillis;
        }
        return begin(nowMillis);
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        if (outcome != null
                || !answers.containsKey(from)
                || !(message instanceof OrderingMessage.ToClient answer)
                || answer.call() != request.call()) {
            return List.of();
        }
        switch (answer) {
            case OrderingMessage.Reply reply ->
                onGiven(
                        nowMillis,
                        from,
                        new GivenReply(reply.incarnation(), Hashes.sha256(reply.reply()), reply.reply()));
            case OrderingMessage.ReplyDigest said ->
                onGiven(nowMillis, from, new GivenReply(said.incarnation(), said.digest(), null));
            case OrderingMessage.Refused refused -> {
                if (!(answers.get(from) instanceof GivenReply)) {
                    answers.put(from, refused.reason());
                }
                if (count(CallRefusal.FAILED) > faulty) {
                    outcome = new Rejected();
                }
            }
        }
        boolean isOpen = outcome == null && wholeAtMillis == Long.MAX_VALUE;
        return isOpen && mayBeOrdered() && queryMillis == QUERY_MILLIS ? onDisagreement(nowMillis) : List.of();
    }

    private boolean mayBeOrdered() {
        return request instanceof Query && !neverOrdered;
    }

    private void onGiven(long nowMillis, PrincipalId from, GivenReply now) {
        // A replica that repeats its answer on a retry takes nothing back.
        if (now.reply != null || !(answers.get(from) instanceof GivenReply before) || !before.agrees(now)) {
            answers.put(from, now);
        }
        if (count(now) >= needed) {
            Bytes whole = fullReply(now);
            if (whole != null) {
                outcome = new Agreed(whole);
            } else {
                wholeAtMillis = Math.min(wholeAtMillis, nowMillis + REPLIER_MILLIS);
            }
        }
    }

    /** The reply that these agree on, whoever has sent it. */
    private @Nullable Bytes fullReply(GivenReply agreed) {
        for (Object answer : answers.values()) {
            if (answer instanceof GivenReply given && given.agrees(agreed) && given.reply != null) {
                return given.reply;
            }
        }
        return null;
    }

    /** Enough agree, and the whole reply has not come: another one of them is to send it. */
    private List<Effect> askForWhole(long nowMillis) {
        wholeAtMillis = Long.MAX_VALUE;
        List<PrincipalId> agreeing = new ArrayList<>();
        answers.forEach((replica, answer) -> {
            if (answer instanceof GivenReply given && count(given) >= needed) {
                agreeing.add(replica);
            }
        });
        if (agreeing.isEmpty()) {
            return List.of();
        }
        PrincipalId last = replier;
        if (last != null) {
            late.add(last);
        }
        wholeAtMillis = nowMillis + REPLIER_MILLIS;
        return sendTo(List.of(name(agreeing)));
    }

    /** Names the replier: any of these but the last one, and none to be avoided if it can be helped. */
    private PrincipalId name(List<PrincipalId> candidates) {
        List<PrincipalId> better = candidates.stream()
                .filter(each -> !each.equals(replier) && !avoided.contains(each) && !late.contains(each))
                .toList();
        List<PrincipalId> those = better.isEmpty() ? candidates : better;
        PrincipalId named = those.get(random.nextInt(those.size()));
        replier = named;
        request = request.withReplier(named.number());
        return named;
    }

    private List<Effect> onDisagreement(long nowMillis) {
        if (isAgreementLost()) {
            return order(nowMillis);
        }
        long replies =
                answers.values().stream().filter(GivenReply.class::isInstance).count();
        if (replies > 2L * faulty) {
            orderAtMillis = Math.min(orderAtMillis, nowMillis + DISAGREEMENT_MILLIS);
        }
        return List.of();
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        if (outcome != null) {
            return List.of();
        }
        if (nowMillis >= deadlineMillis) {
            outcome = new TimedOut(standings());
            return List.of();
        }
        if (nowMillis >= orderAtMillis) {
            return order(nowMillis);
        }
        if (nowMillis >= wholeAtMillis) {
            return askForWhole(nowMillis);
        }
        return nowMillis >= resendAtMillis ? resend(nowMillis) : List.of();
    }

    @Override
    public Optional<Outcome> outcome() {
        return Optional.ofNullable(outcome);
    }

    /** Returns whether no reply can reach the count any more, even with the answers still pending. */
    private boolean isAgreementLost() {
        int open = 0;
        int best = 0;
        for (Object answer : answers.values()) {
            if (answer instanceof GivenReply reply) {
                best = Math.max(best, count(reply));
            } else {
                open++;
            }
        }
        return best + open < needed;
    }

    private List<Effect> order(long nowMillis) {
        orderAtMillis = Long.MAX_VALUE;
        if (request instanceof Query query) {
            request = new OrderedQuery(random.nextLong(), query.query());
        }
        return begin(nowMillis);
    }

    private List<Effect> begin(long nowMillis) {
        answers.replaceAll((ignored1, ignored2) -> null);
        wholeAtMillis = Long.MAX_VALUE;
        var unused = name(List.copyOf(answers.keySet()));
        resendMillis = RESEND_FIRST_MILLIS;
        resendAtMillis = nowMillis + resendMillis;
        return sendTo(List.copyOf(answers.keySet()));
    }

    private List<Effect> resend(long nowMillis) {
        resendMillis = Math.min(2 * resendMillis, RESEND_MAX_MILLIS);
        // Clients that lost the same replica do not come back in step.
        resendAtMillis = nowMillis + resendMillis / 2 + random.nextLong(resendMillis / 2 + 1);
        var unused = name(List.copyOf(answers.keySet()));
        // All are asked again: an answer may be wrong, out of date, or of an incarnation that is over.
        return sendTo(List.copyOf(answers.keySet()));
    }

    private List<Effect> sendTo(List<PrincipalId> replicas) {
        List<Effect> sends = new ArrayList<>(replicas.size());
        for (PrincipalId replica : replicas) {
            sends.add(new Effect.Send(replica, 0, request));
        }
        return sends;
    }

    private int count(Object answer) {
        int count = 0;
        for (Object each : answers.values()) {
            boolean same = answer instanceof GivenReply one
                    ? each instanceof GivenReply other && one.agrees(other)
                    : answer.equals(each);
            count += same ? 1 : 0;
        }
        return count;
    }

    private SortedMap<PrincipalId, ReplicaState> standings() {
        SortedMap<PrincipalId, ReplicaState> standings = new TreeMap<>();
        for (Map.Entry<PrincipalId, @Nullable Object> answer : answers.entrySet()) {
            standings.put(answer.getKey(), standing(answer.getValue()));
        }
        return standings;
    }

    private static ReplicaState standing(@Nullable Object answer) {
        return switch (answer) {
            case CallRefusal refusal ->
                switch (refusal) {
                    case NOT_READY -> ReplicaState.NOT_READY;
                    case OVERLOADED -> ReplicaState.OVERLOADED;
                    case FAILED -> ReplicaState.FAILED;
                };
            case null -> ReplicaState.SILENT;
            default -> ReplicaState.ANSWERED;
        };
    }
}
