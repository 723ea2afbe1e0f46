package io.bulwark.metadata;

import io.bulwark.protocol.ordering.Phase;
import java.util.Optional;

/**
 * Status of a replica by its own report, for status and metrics.
 *
 * @param phase {@link Phase#RUNNING} when it counts
 * @param leader the engine's leader, -1 if there is no engine
 * @param view the view in which it is, -1 if its engine counts none
 * @param lagBatches number of batches by which f+1 peers are ahead of it
 * @param logs number of logs of holders that its log server keeps
 * @param damaged whether its log or snapshots were damaged or missing when it started
 * @param failure why it stopped for good, empty if it did not
 * @param waiting reason for a wait so long that the group may make no progress; empty if there is none
 * @param recovery empty if it neither recovers nor lets others recover: its engine has no recoveries, or its group no
 *     identities to sign with
 */
public record ReplicaStatus(
        int replica,
        Phase phase,
        int leader,
        long view,
        long lagBatches,
        int logs,
        boolean damaged,
        String failure,
        String waiting,
        Optional<RecoveryProgress> recovery) {
    /** The same of a life that has ended by a failure. */
    public ReplicaStatus failed(boolean isDamaged, String why) {
        return new ReplicaStatus(
                replica, Phase.FOLLOWING, leader, view, lagBatches, logs, isDamaged, why, "", recovery);
    }

    /** The same of a life that is over: nothing takes part any more. */
    public ReplicaStatus ended() {
        return new ReplicaStatus(
                replica, Phase.FOLLOWING, leader, view, lagBatches, logs, damaged, failure, waiting, recovery);
    }
}
