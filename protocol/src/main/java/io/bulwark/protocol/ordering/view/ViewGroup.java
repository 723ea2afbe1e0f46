package io.bulwark.protocol.ordering.view;

import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.message.ReplicaMessage;

/**
 * Common parameters of a group for its view changes: n = 3f+1 replicas, numbered from 0.
 *
 * @param faulty f, 1 to 8
 * @param checkpointInterval K: a checkpoint is made at every K-th number
 * @param logSize L: the high water mark lies L above the low one; a multiple of K
 */
public record ViewGroup(int faulty, int checkpointInterval, int logSize) {
    static final int FAULTY_MAX = 8;
    static final int LOG_SIZE_MAX = ReplicaMessage.NUMBERS_MAX;

    /**
     * Number of digests pre-prepared for one number after which a replica accepts a further one from a NEW-VIEW only.
     * Most numbers have one; another is added only by a view whose NEW-VIEW ended below the number. None ends below the
     * numbers that its own primary has pre-prepared. After a view without progress, none ends below a number in any log
     * (docs/decisions/0022, "Why it ends").
     */
    static final int FRESH_DIGESTS_MAX = 4;

    public ViewGroup {
        if (faulty < 1 || faulty > FAULTY_MAX) {
            throw new IllegalArgumentException("f = " + faulty);
        }
        if (checkpointInterval < 1 || logSize < 1 || logSize > LOG_SIZE_MAX || logSize % checkpointInterval != 0) {
            throw new IllegalArgumentException("a log of " + logSize + ", a checkpoint each " + checkpointInterval);
        }
    }

    public static ViewGroup of(ReplicaConfig config) {
        return new ViewGroup(config.faulty(), config.checkpointInterval(), config.logSize());
    }

    public int replicas() {
        return 3 * faulty + 1;
    }

    /** The size of a certificate that others can be convinced with, 2f+1. */
    public int quorum() {
        return 2 * faulty + 1;
    }

    /** Returns f+1: any set of this many replicas has a correct one. */
    public int weakQuorum() {
        return faulty + 1;
    }

    public int primary(long view) {
        return (int) (view % replicas());
    }

    /** C names the low mark, the checkpoints of the log, and those of the log before that are still kept. */
    int checkpointsMax() {
        return 2 * (logSize / checkpointInterval + 1);
    }

    /**
     * Returns the maximum number of digests that one number can have in Q at a correct replica. A digest that a
     * NEW-VIEW chooses pre-prepared at a correct replica before (A2), or is null. So some replica once accepted every
     * digest but null from a PRE-PREPARE.
     */
    int digestsMax() {
        return replicas() * FRESH_DIGESTS_MAX + 1;
    }
}
