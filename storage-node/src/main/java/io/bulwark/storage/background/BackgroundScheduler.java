package io.bulwark.storage.background;

import io.bulwark.protocol.completion.TokenBucket;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Decides when a node does background work. All re-readers of fragments ask here before each fragment, share one rate
 * in bytes per second, and take turns. Verification runs while the node is idle, and otherwise only if room is short.
 * Time is an argument, in milliseconds on any clock that never steps. Not thread-safe.
 */
final class BackgroundScheduler {
    /** Time after which a refused scrubber that has not asked again no longer counts as waiting. */
    private static final long WANTING_MILLIS = 500;

    private static final double BURST_SECONDS = 0.1;

    private final BackgroundPace pace;
    private final IdleTime idle;
    private final WriteCountTable unverified;
    private final int verificationsMax;
    private final Map<Scrubber, Turn> turns = new EnumMap<>(Scrubber.class);
    private final TokenBucket bytes;
    private long advancedMillis;
    private long begun;
    private int inFlight;
    private int verifying;
    private long idleUsedMillis;

    private static final class Turn {
        private long last;
        private boolean wanting;
        private long askedMillis;
    }

    BackgroundScheduler(BackgroundPace pace, VerificationPace verification, long nowMillis) {
        this.pace = pace;
        this.idle = new IdleTime(pace.idleAfterMillis(), nowMillis);
        this.unverified = new WriteCountTable(verification);
        this.verificationsMax = verification.atOnce();
        this.bytes = new TokenBucket((double) pace.scrubBytesPerSecond(), pace.scrubBytesPerSecond() * BURST_SECONDS);
        this.advancedMillis = nowMillis;
        for (Scrubber each : Scrubber.values()) {
            turns.put(each, new Turn());
        }
    }

    /** A client asked the node for something at this time, which may be a little while ago. */
    void onForeground(long atMillis) {
        advance(atMillis);
        idle.foreground(atMillis);
    }

    /** A client has asked for what it needs to know in order to write. */
    void writeBegins(long nowMillis, PrincipalId client, BlockId block) {
        advance(nowMillis);
        idle.expect(nowMillis, new ExpectedWrite(client, block));
    }

    /** Records the arrival of an expected write. */
    void writeCame(long nowMillis, PrincipalId client, BlockId block) {
        advance(nowMillis);
        idle.onWriteArrived(nowMillis, new ExpectedWrite(client, block));
    }

    /** Returns whether no client has sent a request for a while, and no write is expected. */
    boolean isIdle(long nowMillis) {
        return idle.isIdle(nowMillis);
    }

    /** Returns whether this scrubber may begin one more check now. If it does, it calls {@link #begin}. */
    boolean open(long nowMillis, Scrubber scrubber) {
        advance(nowMillis);
        Turn turn = of(scrubber);
        boolean open = bytes.left() > 0
                && turns.values().stream()
                        .noneMatch(other -> other.wanting
                                && nowMillis - other.askedMillis < WANTING_MILLIS
                                && other.last < turn.last);
        turn.wanting = !open;
        turn.askedMillis = nowMillis;
        return open;
    }

    /**
     * A look begins.
     *
     * @param bytes of the fragment that is re-read
     */
    void begin(long nowMillis, Scrubber scrubber, long bytes) {
        advance(nowMillis);
        this.bytes.take((double) Math.max(bytes, pace.lookBytesMin()));
        of(scrubber).last = ++begun;
        inFlight++;
    }

    /** A look that began is over. */
    void end(long nowMillis) {
        advance(nowMillis);
        if (inFlight == 0) {
            throw new IllegalStateException("more looks ended than started");
        }
        inFlight--;
    }

    /**
     * Records the number of unverified versions of a block, and whether this node is responsible for it.
     *
     * @return whether there are more than before
     */
    boolean possible(long nowMillis, BlockId block, int versions, boolean responsible) {
        advance(nowMillis);
        return unverified.possible(nowMillis, block, versions, responsible);
    }

    /** Returns a counter that rises when blocks forgotten for lack of room are to be reported again. */
    long forgotten() {
        return unverified.forgotten();
    }

    /**
     * Returns the block to verify next, if one is due; then {@link #verified} must follow.
     *
     * @param pressed whether room for more versions is short
     * @param cached whether a block's versions are still in the write-back cache
     */
    Optional<DueVerification> nextVerification(long nowMillis, boolean pressed, Predicate<BlockId> cached) {
        advance(nowMillis);
        if (verifying >= verificationsMax || (!pressed && !isIdle(nowMillis))) {
            return Optional.empty();
        }
        Optional<DueVerification> next = unverified.next(nowMillis, pressed, cached);
        if (next.isPresent()) {
            verifying++;
            inFlight++;
        }
        return next;
    }

    /**
     * Ends a verification.
     *
     * @param settled whether it had a result
     */
    void verified(long nowMillis, BlockId block, boolean settled) {
        end(nowMillis);
        verifying--;
        unverified.recordAttempt(nowMillis, block, settled);
    }

    /**
     * Returns the time until there is something to verify, unless a write, a request or a completion comes first; at
     * least 1.
     */
    long verificationWaitMillis(long nowMillis) {
        if (verifying >= verificationsMax) {
            return Long.MAX_VALUE / 2;
        }
        return Math.max(1, Math.max(unverified.waitMillis(nowMillis), idle.leftMillis(nowMillis)));
    }

    /** Returns the idle time during which background work was in progress. */
    long idleUsedMillis() {
        return idleUsedMillis;
    }

    private Turn of(Scrubber scrubber) {
        Turn turn = turns.get(scrubber);
        if (turn == null) {
            throw new IllegalStateException("no turn of " + scrubber);
        }
        return turn;
    }

    private void advance(long nowMillis) {
        if (nowMillis <= advancedMillis) {
            return;
        }
        long scrubMillis = idle.idleMillis(advancedMillis, nowMillis, pace.scrubIdleAfterMillis());
        double busyMillis = nowMillis - advancedMillis - scrubMillis;
        bytes.fill(scrubMillis + busyMillis / pace.busyDivisor());
        if (inFlight > 0) {
            idleUsedMillis += idle.idleMillis(advancedMillis, nowMillis, pace.idleAfterMillis());
        }
        advancedMillis = nowMillis;
    }
}
