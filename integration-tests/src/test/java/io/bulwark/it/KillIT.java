package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.appliance.cluster.Member;
import io.bulwark.client.Bucket;
import io.bulwark.client.ClusterStatus;
import io.bulwark.client.error.BulwarkException;
import java.util.Random;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** kill -9 of members that are processes, while reads and writes go on: nothing acknowledged is lost. */
@NullMarked
@Tag("campaign")
class KillIT {
    private static final int NODES = 5;
    private static final int REPLICAS = 4;
    private static final int THREADS = 3;
    /** The load must get so far with a member dead, and again when it is back. */
    private static final long OPERATIONS = 30;

    private static final long WAIT_MILLIS_MAX = 120_000;

    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.ofProcesses(NODES);

    @Test
    void serviceGoesOnWhileAnyOneMemberIsKilled() throws Exception {
        Bucket bucket = CLUSTER.client().createBucket("kill-one");
        try (CheckedLoad load = CheckedLoad.start(bucket, THREADS, LiveCluster.SEED)) {
            load.awaitOperations(OPERATIONS);
            killAndRestart(CLUSTER.member("node-" + new Random(LiveCluster.SEED).nextInt(NODES)), load);
            CLUSTER.awaitFullFaults();
            for (int replica = 0; replica < REPLICAS; replica++) {
                killAndRestart(CLUSTER.member("replica-" + replica), load);
                awaitCounts(replica);
            }
            load.stop();
            assertThat(load.failures()).as("no operation failed").isEmpty();
            assertThat(load.wrong(bucket)).isEmpty();
        }
    }

    @Test
    void nothingAcknowledgedIsLostWhenAllAreKilledAtOnce() throws Exception {
        Bucket bucket = CLUSTER.client().createBucket("kill-all");
        try (CheckedLoad load = CheckedLoad.start(bucket, THREADS, LiveCluster.SEED + 1)) {
            load.awaitOperations(2 * OPERATIONS);
            for (Member member : CLUSTER.members()) {
                member.pid().ifPresent(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
            }
            load.stop();
            CLUSTER.down();
            CLUSTER.up();
            assertThat(load.wrong(CLUSTER.client().bucket("kill-all"))).isEmpty();
        }
        CLUSTER.client().bucket("kill-all").put("afterwards", new byte[1]);
        CLUSTER.awaitFullFaults();
    }

    private static void killAndRestart(Member member, CheckedLoad load) throws Exception {
        CLUSTER.kill(member);
        load.awaitOperations(OPERATIONS);
        member.start();
        member.awaitListening();
        load.awaitOperations(OPERATIONS);
    }

    /** Waits until the replica has executed what the others had when it was asked first, and agrees with them. */
    private static void awaitCounts(int replica) throws InterruptedException {
        long end = System.nanoTime() + WAIT_MILLIS_MAX * 1_000_000;
        long wanted = -1;
        while (System.nanoTime() < end) {
            try {
                ClusterStatus status = CLUSTER.client().status();
                ClusterStatus.ReplicaStatus own = status.replicas().get(replica);
                if (wanted < 0) {
                    wanted = status.replicas().stream()
                            .mapToLong(ClusterStatus.ReplicaStatus::applied)
                            .max()
                            .orElseThrow();
                }
                if (own.reachable() && own.agrees() && own.applied() >= wanted) {
                    return;
                }
            } catch (BulwarkException e) {
                // Asked again below; the time is limited.
            }
            Thread.sleep(100);
        }
        throw new AssertionError("replica-" + replica + " does not catch up: "
                + CLUSTER.client().status().replicas());
    }
}
