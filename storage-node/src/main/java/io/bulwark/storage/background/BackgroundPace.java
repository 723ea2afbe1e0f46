package io.bulwark.storage.background;

/**
 * How fast a node works unasked.
 *
 * @param idleAfterMillis a node is idle once no client has asked it for anything for so long
 * @param scrubBytesPerSecond fragments re-read while idle; 0 for no scrubbing
 * @param rebuildBytesPerSecond fragments made again, idle or not: until they are there one fault less can be borne
 * @param busyDivisor while not idle the rate is so many times smaller, so that rot is found on a busy node, too
 * @param lookBytesMin a look counts as so many bytes at least, as each asks peers
 */
public record BackgroundPace(
        long idleAfterMillis, long scrubBytesPerSecond, long rebuildBytesPerSecond, int busyDivisor, int lookBytesMin) {
    public static final long SCRUB_BYTES_PER_SECOND = 8L << 20;
    public static final long REBUILD_BYTES_PER_SECOND = 32L << 20;

    public BackgroundPace {
        if (idleAfterMillis < 1
                || scrubBytesPerSecond < 0
                || rebuildBytesPerSecond < 1
                || busyDivisor < 1
                || lookBytesMin < 1) {
            throw new IllegalArgumentException("idle after " + idleAfterMillis + " ms, rebuilding "
                    + rebuildBytesPerSecond + " bytes/s, scrubbing " + scrubBytesPerSecond + " bytes/s divided by "
                    + busyDivisor + ", looks of " + lookBytesMin + " bytes");
        }
    }

    /** Idle after 5 ms, an eighth of the rate of scrubbing while not idle, a look counts as 64 KiB at least. */
    public static BackgroundPace of(long scrubBytesPerSecond, long rebuildBytesPerSecond) {
        return new BackgroundPace(5, scrubBytesPerSecond, rebuildBytesPerSecond, 8, 64 << 10);
    }
}
