package io.bulwark.storage.background;

/**
 * Pace of a node's background work.
 *
 * @param idleAfterMillis time without client requests after which a node is idle
 * @param scrubIdleAfterMillis time without client requests after which a node re-reads fragments at the whole rate:
 *     verification saves work of readers, scrubbing takes from clients that pause between two requests
 * @param scrubBytesPerSecond fragments re-read while idle; 0 for no scrubbing
 * @param rebuildBytesPerSecond fragments rebuilt, idle or not: until then the system tolerates one fault less
 * @param disseminateBytesPerSecond segments of the archive class that a node reads while idle, to hand their fragments to all
 *     slots that lack them
 * @param busyDivisor divisor of these rates while not idle, so that corruption is found on a busy node, too
 * @param lookBytesMin least bytes that one check counts as, as each check asks peers
 */
public record BackgroundPace(
        long idleAfterMillis,
        long scrubIdleAfterMillis,
        long scrubBytesPerSecond,
        long rebuildBytesPerSecond,
        long disseminateBytesPerSecond,
        int busyDivisor,
        int lookBytesMin) {
    public static final long SCRUB_BYTES_PER_SECOND = 8L << 20;
    public static final long REBUILD_BYTES_PER_SECOND = 32L << 20;
    public static final long DISSEMINATE_BYTES_PER_SECOND = 16L << 20;

    public BackgroundPace {
        if (idleAfterMillis < 1
                || scrubIdleAfterMillis < idleAfterMillis
                || scrubBytesPerSecond < 0
                || rebuildBytesPerSecond < 1
                || disseminateBytesPerSecond < 1
                || busyDivisor < 1
                || lookBytesMin < 1) {
            throw new IllegalArgumentException("idle after " + idleAfterMillis + " and " + scrubIdleAfterMillis
                    + " ms, rebuilding "
                    + rebuildBytesPerSecond + " bytes/s, disseminating " + disseminateBytesPerSecond
                    + " bytes/s, scrubbing " + scrubBytesPerSecond + " bytes/s divided by "
                    + busyDivisor + ", looks of " + lookBytesMin + " bytes");
        }
    }

    /** Idle after 5 ms, for scrubbing after 100, and at an eighth of its rate before. A look counts as 64 KiB at least. */
    public static BackgroundPace of(long scrubBytesPerSecond, long rebuildBytesPerSecond) {
        return new BackgroundPace(
                5, 100, scrubBytesPerSecond, rebuildBytesPerSecond, DISSEMINATE_BYTES_PER_SECOND, 8, 64 << 10);
    }

    public BackgroundPace withDisseminateBytesPerSecond(long bytesPerSecond) {
        return new BackgroundPace(
                idleAfterMillis,
                scrubIdleAfterMillis,
                scrubBytesPerSecond,
                rebuildBytesPerSecond,
                bytesPerSecond,
                busyDivisor,
                lookBytesMin);
    }

    /** The same with the rate of dissemination as that of scrubbing. */
    BackgroundPace ofDissemination() {
        return new BackgroundPace(
                idleAfterMillis,
                scrubIdleAfterMillis,
                disseminateBytesPerSecond,
                rebuildBytesPerSecond,
                disseminateBytesPerSecond,
                busyDivisor,
                lookBytesMin);
    }
}
