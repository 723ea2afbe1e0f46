package io.bulwark.client.membership;

import io.bulwark.client.ClusterStatus;
import io.bulwark.client.Replicas;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.protocol.ordering.membership.Member;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Requests a change of the replicas and watches its progress. All lasting state is at the replicas, so that this may end
 * at any time and another one may continue.
 */
public final class ReplicaChangeExecutor {
    private final Replicas replicas;
    private final Supplier<ClusterStatus> status;
    private final ReplicaChange change;
    private final long pauseMillis;

    /** Nothing is done yet. */
    public ReplicaChangeExecutor(
            Replicas replicas, Supplier<ClusterStatus> status, ReplicaChange change, long pauseMillis) {
        this.replicas = replicas;
        this.status = status;
        this.change = change;
        this.pauseMillis = pauseMillis;
    }

    /**
     * Requests the change unless it was made before, or is agreed. Each coming replica must answer first.
     *
     * @throws io.bulwark.client.error.PreconditionFailedException if a coming replica is another one, or the replicas have changed meanwhile
     * @throws UnavailableException if a coming replica does not answer
     */
    public void begin() {
        Replicas.GroupMembership standing = replicas.standing();
        // A mistyped change may look done, as who never was a replica is none now: the replicas refuse that.
        if (!change.wasDone(ReplicaChange.with(replicas.history(), standing))) {
            for (Member coming : change.coming()) {
                CandidateReplica.require(coming, standing.now());
            }
            replicas.change(standing.now().number() + 1, change.leaving(), change.coming());
        }
    }

    /**
     * Waits until the change is in effect and all replicas answer.
     *
     * @param listener receives what is still missing, for people, after each look
     * @return the requirements that were not met in time; empty if the change is complete
     */
    public List<String> await(long timeoutMillis, Consumer<List<String>> listener) throws InterruptedException {
        long startedNanos = System.nanoTime();
        while (true) {
            List<String> missing;
            try {
                missing = missing();
            } catch (UnavailableException e) {
                missing = List.of("an answer of the replicas");
            }
            if (missing.isEmpty()) {
                return missing;
            }
            listener.accept(missing);
            if (System.nanoTime() - startedNanos >= TimeUnit.MILLISECONDS.toNanos(timeoutMillis)) {
                return missing;
            }
            Thread.sleep(pauseMillis);
        }
    }

    private List<String> missing() {
        if (!change.isDone(replicas.standing().now()) || !change.isDone(replicas.believed())) {
            return List.of("the next checkpoint");
        }
        return status.get().replicas().stream()
                .filter(replica -> !replica.reachable())
                .map(ClusterStatus.ReplicaStatus::replica)
                .map(number -> "replica-" + number)
                .toList();
    }
}
