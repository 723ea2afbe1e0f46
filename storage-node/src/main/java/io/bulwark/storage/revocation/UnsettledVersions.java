package io.bulwark.storage.revocation;

import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Names to the node's log the blocks that somebody has to write so that rounds end, or so that leftovers go: each version that is not
 * settled soon, once in a while, and few in a minute. The rest follows when these are written.
 */
final class UnsettledVersions {
    private static final long SOON_MILLIS = 10_000;
    private static final long AGAIN_MILLIS = 600_000;
    private static final long WINDOW_MILLIS = 60_000;
    private static final int PER_WINDOW_MAX = 20;
    private static final int REMEMBERED_MAX = 1_024;

    /** Log of a node. */
    interface Log {
        /**
         * Logs that an operation has waited for this block for more than a moment.
         *
         * @param timestamp in the order of the block's writes, unsigned
         * @param peers the nodes whose word on leftovers of a closed session is missing; none if the end of a
         *     revocation waits
         */
        void waitsFor(BlockId block, long timestamp, List<PrincipalId> peers);
    }

    private record VersionKey(BlockId block, long timestamp) implements Comparable<VersionKey> {
        private static final Comparator<VersionKey> ORDER =
                Comparator.comparing(VersionKey::block).thenComparing(VersionKey::timestamp, Long::compareUnsigned);

        @Override
        public int compareTo(VersionKey other) {
            return ORDER.compare(this, other);
        }
    }

    private final Log log;
    private final LongSupplier clock;
    /** Time at which each is logged if it is still waited for. */
    private final LinkedHashMap<VersionKey, Long> due = new LinkedHashMap<>();

    private long windowMillis = Long.MIN_VALUE;
    private int inWindow;

    UnsettledVersions(Log log, LongSupplier clock) {
        this.log = log;
        this.clock = clock;
    }

    /** Called by each of the node's servers. */
    synchronized void waitsFor(BlockId block, long timestamp, List<PrincipalId> peers) {
        long now = clock.getAsLong();
        VersionKey which = new VersionKey(block, timestamp);
        Map.Entry<VersionKey, Long> oldest = due.firstEntry();
        if (oldest != null && now - oldest.getValue() >= AGAIN_MILLIS) {
            due.remove(oldest.getKey());
        }
        if (due.size() < REMEMBERED_MAX && due.putIfAbsent(which, now + SOON_MILLIS) == null) {
            return;
        }
        if (now < due.getOrDefault(which, now)) {
            return;
        }
        if (inWindow == 0 || now - windowMillis >= WINDOW_MILLIS) {
            windowMillis = now;
            inWindow = 0;
        }
        if (inWindow == PER_WINDOW_MAX) {
            return;
        }
        inWindow++;
        if (due.remove(which) != null) {
            due.put(which, now + AGAIN_MILLIS);
        }
        log.waitsFor(block, timestamp, peers);
    }
}
