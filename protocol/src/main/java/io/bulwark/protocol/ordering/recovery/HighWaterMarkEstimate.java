package io.bulwark.protocol.ordering.recovery;

import io.bulwark.protocol.ordering.view.ViewGroup;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The estimate of H_M (4.4): the high water mark that a recovering replica's log has at most if it is correct. Of each
 * replica the least checkpoint and the greatest prepared number that it ever said count.
 */
public final class HighWaterMarkEstimate {
    private record ReportedMarks(long checkpoint, long prepared) {}

    private final ViewGroup group;
    private final @Nullable ReportedMarks[] said;

    public HighWaterMarkEstimate(ViewGroup group) {
        this.group = group;
        said = new ReportedMarks[group.replicas()];
    }

    /**
     * Records the report of a replica. The recovering replica counts too, unless it has lost its log.
     *
     * @param checkpoint c, the number of its last checkpoint
     * @param prepared p, the last number that prepared there
     */
    public void onReply(int replica, long checkpoint, long prepared) {
        boolean plausible = checkpoint >= 0
                && checkpoint % group.checkpointInterval() == 0
                && checkpoint <= Long.MAX_VALUE / 2
                && prepared >= 0;
        if (plausible) {
            ReportedMarks before = said[replica];
            said[replica] = before == null
                    ? new ReportedMarks(checkpoint, prepared)
                    : new ReportedMarks(Math.min(before.checkpoint, checkpoint), Math.max(before.prepared, prepared));
        }
    }

    /** Discards what this replica reported under its old keys. */
    public void forget(int replica) {
        said[replica] = null;
    }

    /**
     * Returns H_M = L + c_M, for the least c_M that fits. At 2f replicas other than its sender the checkpoint is not
     * later, so that no stable one is. At f others the prepared number is no smaller, so that a liar cannot prolong the
     * recovery.
     */
    public OptionalLong estimate() {
        OptionalLong least = OptionalLong.empty();
        for (int replica = 0; replica < said.length; replica++) {
            ReportedMarks candidate = said[replica];
            if (candidate != null
                    && (least.isEmpty() || candidate.checkpoint < least.getAsLong())
                    && fits(replica, candidate.checkpoint)) {
                least = OptionalLong.of(candidate.checkpoint);
            }
        }
        return least.isEmpty() ? least : OptionalLong.of(least.getAsLong() + group.logSize());
    }

    private boolean fits(int replica, long checkpoint) {
        int noLater = 0;
        int prepared = 0;
        for (int other = 0; other < said.length; other++) {
            ReportedMarks each = said[other];
            if (each != null && other != replica) {
                noLater += each.checkpoint <= checkpoint ? 1 : 0;
                prepared += each.prepared >= checkpoint ? 1 : 0;
            }
        }
        return noLater >= 2 * group.faulty() && prepared >= group.faulty();
    }
}
