package io.bulwark.storage.node;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.cluster.SessionState;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.LongSupplier;

/**
 * Keeps the replicas' answers for a moment and asks each question once at a time. What may still change against the
 * asker's interest, such as an unknown session or a missing grant, is kept only briefly. Thread-safe.
 */
final class FactCache {
    static final long POSITIVE_MILLIS = 5_000;
    static final long NEGATIVE_MILLIS = 250;
    static final int ENTRIES_MAX = 16_384;
    static final int OUTSTANDING_MAX = 4_096;

    private final FactSource source;
    private final LongSupplier clockMillis;
    private final Map<Question, CompletableFuture<Fact>> outstanding = new HashMap<>();
    private final Map<Question, Kept> kept = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Question, Kept> eldest) {
            return size() > ENTRIES_MAX;
        }
    };

    private record Kept(Fact fact, long untilMillis) {}

    FactCache(FactSource source, LongSupplier clockMillis) {
        this.source = source;
        this.clockMillis = clockMillis;
    }

    /** The answer; completes exceptionally if none comes, or too many questions are open. */
    CompletableFuture<Fact> ask(Question question) {
        CompletableFuture<Fact> answer = new CompletableFuture<>();
        synchronized (this) {
            Kept known = kept.get(question);
            if (known != null && known.untilMillis > clockMillis.getAsLong()) {
                return CompletableFuture.completedFuture(known.fact);
            }
            CompletableFuture<Fact> asked = outstanding.get(question);
            if (asked != null) {
                return asked;
            }
            if (outstanding.size() >= OUTSTANDING_MAX) {
                return CompletableFuture.failedFuture(
                        new IllegalStateException("more than " + OUTSTANDING_MAX + " open questions to the replicas"));
            }
            outstanding.put(question, answer);
        }
        var _ = source.ask(question).whenComplete((fact, error) -> {
            synchronized (this) {
                outstanding.remove(question);
                if (fact != null) {
                    kept.put(question, new Kept(fact, clockMillis.getAsLong() + keptMillis(question, fact)));
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
            kept.remove(new Question.OfSession(told.volume(), told.owner(), told.session()));
        } else if (fact instanceof Fact.ClosedWith told) {
            kept.remove(new Question.OfSession(told.volume(), told.owner(), told.session()));
        } else if (fact instanceof Fact.OfGrant told) {
            kept.remove(new Question.OfGrant(told.volume(), told.principal()));
        }
    }

    private static long keptMillis(Question question, Fact fact) {
        boolean positive = switch (fact) {
            case Fact.OfSession told -> told.state() != SessionState.UNKNOWN;
            case Fact.OfGrant told -> told.mayRead() && told.mayWrite();
            case Fact.OfVolume told -> isRecent(question, told);
            case Fact.OfPin told -> true;
            case Fact.Pending told -> true;
            case Fact.Freed told -> true;
            case Fact.ClosedWith told -> true;
        };
        return positive ? POSITIVE_MILLIS : NEGATIVE_MILLIS;
    }

    private static boolean isRecent(Question question, Fact.OfVolume told) {
        return question instanceof Question.OfVolume asked
                && told.known()
                        .filter(volume -> asked.group() < volume.groups().size()
                                && volume.groups().get(asked.group()).epoch() >= asked.epoch())
                        .isPresent();
    }
}
