package io.bulwark.appliance.supervisor;

/** Back-off before a process that has ended by itself is started again. The pause grows with each early end. */
public final class RestartPauses {
    private static final long FIRST_MILLIS = 1_000;
    private static final long MAX_MILLIS = 60_000;

    private final long firstMillis;
    private long nextMillis;

    public RestartPauses() {
        this(FIRST_MILLIS);
    }

    RestartPauses(long firstMillis) {
        this.firstMillis = firstMillis;
        this.nextMillis = firstMillis;
    }

    /**
     * It has ended.
     *
     * @param lastedMillis how long it ran
     */
    public long afterEnd(long lastedMillis) {
        long pause = lastedMillis >= MAX_MILLIS ? firstMillis : nextMillis;
        nextMillis = Math.min(2 * pause, MAX_MILLIS);
        return pause;
    }
}
