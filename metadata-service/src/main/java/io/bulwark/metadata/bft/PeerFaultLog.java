package io.bulwark.metadata.bft;

import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Misbehaviour of other replicas, for the log: at most one line per replica in 10 s, with the number of suppressed
 * ones. A liar repeats its lies as fast as its connection takes them, and the thread that orders writes the lines. Used
 * by one thread.
 */
final class PeerFaultLog {
    private static final long PAUSE_MILLIS = 10_000;

    private final Consumer<String> log;
    private final long[] nextMillis;
    private final long[] unsaid;

    PeerFaultLog(int replicas, Consumer<String> log) {
        this.log = log;
        nextMillis = new long[replicas];
        Arrays.fill(nextMillis, Long.MIN_VALUE);
        unsaid = new long[replicas];
    }

    void add(long nowMillis, int replica, String what) {
        if (nowMillis < nextMillis[replica]) {
            unsaid[replica]++;
            return;
        }
        log.accept(unsaid[replica] == 0 ? what : what + " (and " + unsaid[replica] + " earlier faults)");
        nextMillis[replica] = nowMillis + PAUSE_MILLIS;
        unsaid[replica] = 0;
    }
}
