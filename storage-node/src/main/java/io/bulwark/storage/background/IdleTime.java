package io.bulwark.storage.background;

import io.bulwark.protocol.id.PrincipalId;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Detects idle periods by a timer (lazy verification paper, 3.1: the simple detector predicts them well). The node is
 * idle from a fixed time after a client's last request until the next one. A write whose first round was served counts
 * as a request that lasts until the second one arrives. On a slow network that may take long, and background work would
 * take its bandwidth. If a client announced a write and sent none, its next announcements are ignored for a while.
 */
final class IdleTime {
    /** Longest wait for an announced write. */
    static final long EXPECTED_MILLIS = 1_000;

    /** Beyond so many the eldest are not waited for. */
    static final int EXPECTED_MAX = 4_096;

    /** Time for which announcements of a client are ignored after its write did not come. */
    static final long UNKEPT_MILLIS = 60_000;

    private static final int UNKEPT_MAX = 4_096;

    private final long afterMillis;
    /** Time at which each began, in rising order. */
    private final LinkedHashMap<ExpectedWrite, Long> expected = new LinkedHashMap<>();

    /** Clients whose expected write did not come, and the time until which no further one is expected. */
    private final LinkedHashMap<PrincipalId, Long> unkept = new LinkedHashMap<>();

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
        busyUntil(nowMillis);
        if (unkept.getOrDefault(write.client(), nowMillis) > nowMillis) {
            return;
        }
        expected.remove(write);
        expected.put(write, nowMillis);
        if (expected.size() > EXPECTED_MAX) {
            expected.pollFirstEntry();
        }
    }

    /** The write has come. */
    void onWriteArrived(long nowMillis, ExpectedWrite write) {
        foreground(nowMillis);
        expected.remove(write);
    }

    boolean isIdle(long nowMillis) {
        return leftMillis(nowMillis) == 0;
    }

    /** Returns the time until the node is idle, if no client sends a request. */
    long leftMillis(long nowMillis) {
        return Math.max(0, busyUntil(nowMillis) + afterMillis - nowMillis);
    }

    /**
     * Returns the idle part of a period that ends now, as far as it follows the last request.
     *
     * @param quietMillis time after the last request that is not idle yet
     */
    long idleMillis(long fromMillis, long nowMillis, long quietMillis) {
        return Math.max(0, nowMillis - Math.max(fromMillis, busyUntil(nowMillis) + quietMillis));
    }

    private void recordUnkept(PrincipalId client, long atMillis) {
        unkept.remove(client);
        unkept.put(client, atMillis + UNKEPT_MILLIS);
        expected.keySet().removeIf(write -> write.client().equals(client));
        if (unkept.size() > UNKEPT_MAX) {
            unkept.pollFirstEntry();
        }
    }

    private long busyUntil(long nowMillis) {
        while (!expected.isEmpty() && nowMillis - expected.firstEntry().getValue() >= EXPECTED_MILLIS) {
            Map.Entry<ExpectedWrite, Long> over = expected.pollFirstEntry();
            foreground(over.getValue() + EXPECTED_MILLIS);
            recordUnkept(over.getKey().client(), over.getValue() + EXPECTED_MILLIS);
        }
        return expected.isEmpty() ? foregroundMillis : expected.lastEntry().getValue() + EXPECTED_MILLIS;
    }
}
