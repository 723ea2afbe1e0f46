package io.bulwark.storage.background;

import java.util.LinkedHashMap;

/**
 * Tells idle periods by a timer (lazy verification paper, 3.1: the simple detector predicts them well): the node is idle from so
 * long after a client's last request on, until the next one. A write of which the first round was served counts as a request that
 * goes on until the second one comes: on a slow network it may take long, and what the node did meanwhile would take its bandwidth.
 */
final class IdleTime {
    /** A write that has not come after so long is not waited for any more. */
    static final long EXPECTED_MILLIS = 1_000;

    /** Beyond so many the eldest are not waited for. */
    static final int EXPECTED_MAX = 4_096;

    private final long afterMillis;
    /** When each began, by rising time. */
    private final LinkedHashMap<ExpectedWrite, Long> expected = new LinkedHashMap<>();

    private long foregroundMillis;

    /** @param nowMillis counts as a request */
    IdleTime(long afterMillis, long nowMillis) {
        this.afterMillis = afterMillis;
        this.foregroundMillis = nowMillis;
    }

    /** A client asked for something; may be told late and out of order. */
    void foreground(long atMillis) {
        foregroundMillis = Math.max(foregroundMillis, atMillis);
    }

    /** A client is going to write. */
    void expect(long nowMillis, ExpectedWrite write) {
        foreground(nowMillis);
        expected.remove(write);
        expected.put(write, nowMillis);
        if (expected.size() > EXPECTED_MAX) {
            expected.pollFirstEntry();
        }
    }

    /** The write has come. */
    void came(long nowMillis, ExpectedWrite write) {
        foreground(nowMillis);
        expected.remove(write);
    }

    boolean idle(long nowMillis) {
        return leftMillis(nowMillis) == 0;
    }

    /** How long it takes until the node is idle, if no client asks for anything. */
    long leftMillis(long nowMillis) {
        return Math.max(0, busyUntil(nowMillis) + afterMillis - nowMillis);
    }

    /** How much of a stretch of time that ends now was idle, as far as it follows the last request. */
    long idleMillis(long fromMillis, long nowMillis) {
        return Math.max(0, nowMillis - Math.max(fromMillis, busyUntil(nowMillis) + afterMillis));
    }

    private long busyUntil(long nowMillis) {
        while (!expected.isEmpty() && nowMillis - expected.firstEntry().getValue() >= EXPECTED_MILLIS) {
            foreground(expected.pollFirstEntry().getValue() + EXPECTED_MILLIS);
        }
        return expected.isEmpty() ? foregroundMillis : expected.lastEntry().getValue() + EXPECTED_MILLIS;
    }
}
