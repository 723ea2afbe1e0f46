package io.bulwark.transport;

import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Schedule of a link's retries, and of the lines in the log about failed attempts. A peer that the other side does not
 * know yet, or no longer trusts, retries ever more seldom. Each attempt costs that side a handshake, and a line in its
 * log. Failures that an attacker in between can cause give no longer pause than a broken link.
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
     * Ends an attempt and returns the series of refusals that includes it, or null. An attempt that ends otherwise ends
     * the series, and so does another certificate. A side that this one does not trust was shown nothing, so refusals
     * by this side and by the other belong to different series.
     *
     * @param certificate stands for the certificate shown in the attempt
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
     * Returns the pause until the next attempt, after one more failure. Consecutive refusals are counted apart. After a
     * long outage, a single refusal by a server that has yet to learn the trusted keys gives a short pause.
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
