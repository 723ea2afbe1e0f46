package io.bulwark.storage.background;

/**
 * Tells idle periods by a timer (lazy verification paper, 3.1: the simple detector predicts them well): the node is idle from so
 * long after a client's last request on, until the next one.
 */
final class IdleTime {
    private final long afterMillis;
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

    boolean idle(long nowMillis) {
        return nowMillis - foregroundMillis >= afterMillis;
    }

    /** How long it takes until the node is idle, if no client asks for anything. */
    long leftMillis(long nowMillis) {
        return Math.max(0, foregroundMillis + afterMillis - nowMillis);
    }

    /** How much of a stretch of time that ends now was idle, as far as it follows the last request. */
    long idleMillis(long fromMillis, long nowMillis) {
        return Math.max(0, nowMillis - Math.max(fromMillis, foregroundMillis + afterMillis));
    }
}
