package io.bulwark.storage.node;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.id.PrincipalId;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.LongSupplier;

/**
 * A short-lived cache of the replicas' answers, with one query at a time for each question. Answers that may still
 * change against the asker's interest, such as an unknown session or a missing grant, are kept only briefly. They are
 * kept apart, so that invented questions evict no valuable answer. Thread-safe.
 */
final class FactCache {
    static final long POSITIVE_MILLIS = 5_000;
    static final long NEGATIVE_MILLIS = 250;
    static final int ENTRIES_MAX = 16_384;
    static final int OUTSTANDING_MAX = 4_096;

    /** Open questions about one principal, or about volumes: its sessions are its own to invent. */
    static final int OUTSTANDING_PER_PRINCIPAL_MAX = 256;

    private final FactSource source;
    private final LongSupplier clockMillis;
    private final Map<Question, CompletableFuture<Fact>> outstanding = new HashMap<>();
    private final Map<PrincipalId, Integer> outstandingOf = new HashMap<>();
    private final Map<Question, CachedFact> positive = new BoundedCache();
    private final Map<Question, CachedFact> negative = new BoundedCache();

    private static final class BoundedCache extends LinkedHashMap<Question, CachedFact> {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Question, CachedFact> eldest) {
            return size() > ENTRIES_MAX;
        }
    }

    private record CachedFact(Fact fact, long untilMillis) {
        boolean holds(long nowMillis) {
            return untilMillis > nowMillis;
        }
    }

    FactCache(FactSource source, LongSupplier clockMillis) {
        this.source = source;
        this.clockMillis = clockMillis;
    }

    /** The answer; completes exceptionally if none comes, or too many questions are open. */
    CompletableFuture<Fact> ask(Question question) {
        CompletableFuture<Fact> answer = new CompletableFuture<>();
        synchronized (this) {
            long now = clockMillis.getAsLong();
            CachedFact known = positive.get(question);
            if (known == null || !known.holds(now)) {
                known = negative.get(question);
            }
            if (known != null && known.holds(now)) {
                return CompletableFuture.completedFuture(known.fact);
            }
            CompletableFuture<Fact> asked = outstanding.get(question);
            if (asked != null) {
                return asked;
            }
            int own = outstandingOf.getOrDefault(principalOf(question), 0);
            if (outstanding.size() >= OUTSTANDING_MAX || own >= OUTSTANDING_PER_PRINCIPAL_MAX) {
                return CompletableFuture.failedFuture(new IllegalStateException(outstanding.size()
                        + " open queries to the replicas, " + own + " about " + principalOf(question)));
            }
            outstanding.put(question, answer);
            outstandingOf.merge(principalOf(question), 1, Integer::sum);
        }
        var _ = source.ask(question).whenComplete((fact, error) -> {
            synchronized (this) {
                outstanding.remove(question);
                outstandingOf.merge(principalOf(question), -1, (a, b) -> a + b == 0 ? null : (Integer) (a + b));
                if (fact != null) {
                    keep(question, fact);
                }
            }
            if (fact != null) {
                answer.complete(fact);
            } else {
                answer.completeExceptionally(
                        error instanceof CompletionException wrapped && wrapped.getCause() != null
                                ? wrapped.getCause()
                                : error);
            }
        });
        return answer;
    }

    /** A fact that came unasked makes older answers about the same session worthless. */
    synchronized void told(Fact fact) {
        if (fact instanceof Fact.OfSession told) {
            forget(new Question.OfSession(told.volume(), told.owner(), told.session()));
        } else if (fact instanceof Fact.ClosedWith told) {
            forget(new Question.OfSession(told.volume(), told.owner(), told.session()));
        } else if (fact instanceof Fact.Collapsed told) {
            positive.keySet().removeIf(question -> covers(told, question));
            negative.keySet().removeIf(question -> covers(told, question));
        } else if (fact instanceof Fact.Revoked told) {
            positive.keySet().removeIf(question -> principalOf(question).equals(told.principal()));
            negative.keySet().removeIf(question -> principalOf(question).equals(told.principal()));
        } else if (fact instanceof Fact.OfGrant told) {
            forget(new Question.OfGrant(told.volume(), told.principal()));
        }
    }

    private static boolean covers(Fact.Collapsed told, Question question) {
        return question instanceof Question.OfSession of && told.covers(of.owner(), of.session());
    }

    private void forget(Question question) {
        positive.remove(question);
        negative.remove(question);
    }

    private void keep(Question question, Fact fact) {
        boolean lasts = isPositive(question, fact);
        forget(question);
        long until = clockMillis.getAsLong() + (lasts ? POSITIVE_MILLIS : NEGATIVE_MILLIS);
        (lasts ? positive : negative).put(question, new CachedFact(fact, until));
    }

    private static PrincipalId principalOf(Question question) {
        return switch (question) {
            case Question.OfSession of -> of.owner();
            case Question.OfGrant of -> of.principal();
            case Question.OfVolume _ -> PrincipalId.NOBODY;
        };
    }

    private static boolean isPositive(Question question, Fact fact) {
        return switch (fact) {
            case Fact.OfSession told -> told.state() != SessionState.UNKNOWN;
            case Fact.OfGrant told -> told.mayRead() && told.mayWrite();
            case Fact.OfVolume told -> isRecent(question, told);
            case Fact.OfPin _, Fact.Pending _, Fact.Freed _, Fact.ClosedWith _, Fact.Collapsed _, Fact.Revoked _ ->
                true;
        };
    }

    private static boolean isRecent(Question question, Fact.OfVolume told) {
        return question instanceof Question.OfVolume asked
                && told.known()
                        .filter(volume -> asked.group() < volume.groups().size()
                                && volume.groups().get(asked.group()).epoch() >= asked.epoch())
                        .isPresent();
    }
}
