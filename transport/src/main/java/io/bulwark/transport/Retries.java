package io.bulwark.transport;

import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * When a link tries again, and whether what ended its last attempt is worth a line in the log. Who is refused, as one whom the other side does
 * not know yet or does not believe any more, comes back ever more seldom: each attempt costs that side a handshake, and a line in its log. What
 * somebody in between can cause does not have it wait longer than one who is only cut off.
 */
final class Retries {
    /** The longest pause of who is refused; a link that is only down has its own. */
    static final long REFUSED_MILLIS_MAX = 15_000;

    private int failures;
    private int refusals;
    private boolean refused;
    private @Nullable Fault last;
    /** Reason for the end of this attempt, if one side rejects the other. */
    private LinkRefusal.@Nullable Reason disbelief;

    private @Nullable LinkRefusal refusal;
    /** Identity that was presented in the attempts of this series. */
    private @Nullable Object shown;

    /** Returns whether the previous attempt did not fail for this reason. */
    boolean isNews(Fault fault) {
        return fault != last;
    }

    /** An attempt failed for this reason. */
    void failed(Fault fault) {
        last = fault;
        disbelief = fault.refusal();
        refused = disbelief != null && disbelief.isTheirWord();
    }

    /**
     * The attempt is over: the row of refusals that it ends or goes on with. Anything else that ends an attempt ends the row, and so does another
     * certificate. Whom this side does not believe was shown nothing, so what this side finds and what the other one says are not of one row.
     *
     * @param certificate stands for what was shown in the attempt
     * @param nowNanos by {@link System#nanoTime()}
     */
    @Nullable
    LinkRefusal ended(Object certificate, long nowNanos) {
        LinkRefusal before = certificate.equals(shown) ? refusal : null;
        shown = certificate;
        LinkRefusal.Reason why = disbelief;
        disbelief = null;
        if (why == null) {
            refusal = null;
        } else {
            long sinceNanos = before != null && before.reason().isTheirWord() == why.isTheirWord()
                    ? before.sinceNanos()
                    : nowNanos;
            refusal = new LinkRefusal(why, sinceNanos, nowNanos);
        }
        return refusal;
    }

    boolean any() {
        return failures + refusals > 0;
    }

    /** The next pause is a first one again. */
    void forget() {
        failures = 0;
        refusals = 0;
    }

    /** There is a connection. */
    void up() {
        last = null;
        refusals = 0;
        refused = false;
        disbelief = null;
        refusal = null;
    }

    /**
     * Until the next attempt, after one more that has failed. Refusals count by themselves, those in a row: whom nobody answered for long, and who is
     * refused once by a server that has yet to learn whom it believes, is back soon.
     */
    long pauseMillis(TransportSettings settings, RandomGenerator random) {
        int before = refused ? refusals++ : failures++;
        long max =
                refused ? Math.max(REFUSED_MILLIS_MAX, settings.reconnectMaxMillis()) : settings.reconnectMaxMillis();
        if (!refused) {
            refusals = 0;
        }
        // The next failure is no refusal, unless reported as one.
        refused = false;
        return Backoff.pauseMillis(before, settings.reconnectMinMillis(), max, random);
    }
}
