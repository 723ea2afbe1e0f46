package io.bulwark.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bulwark.protocol.ordering.Phase;
import io.bulwark.protocol.ordering.Settlement;
import io.bulwark.protocol.wire.Bytes;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Contract of a group of replicas, independent of the ordering engine. */
@NullMarked
@Execution(ExecutionMode.CONCURRENT)
abstract class OrderingContract {
    private static final Duration LONG = Duration.ofMinutes(2);
    static final int SNAPSHOT_BATCHES = 16;

    @TempDir
    Path directory;

    ReplicaGroup group;
    private long number;

    abstract ReplicaGroup.Starter starter();

    ReplicaGroup open() {
        return new ReplicaGroup(directory, starter(), SNAPSHOT_BATCHES);
    }

    @BeforeEach
    void start() {
        group = open();
        group.startAll();
    }

    @AfterEach
    void stop() {
        group.close();
    }

    @Test
    void allReplicasExecuteTheSameInTheSameOrder() {
        List<String> sent = write(200, "a");
        assertThat(new HashSet<>(RecordingApplication.texts(ask()))).isEqualTo(new HashSet<>(sent));
        assertAllEqual(sent.size());
    }

    @Test
    void aRepeatedCommandIsExecutedOnceAndGetsTheSameReply() {
        Bytes command = RecordingApplication.command(99, "once");
        long place = RecordingApplication.place(group.client().submit(command).join());
        write(5, "b");
        assertThat(RecordingApplication.place(group.client().submit(command).join()))
                .isEqualTo(place);
        assertAllEqual(6);
    }

    @Test
    void theLossOfAnyOneIsSurvivedAndItCountsAgainWhenItIsBack() {
        int sent = write(20, "before").size();
        for (int victim = 0; victim < ReplicaGroup.REPLICAS; victim++) {
            group.stop(victim);
            sent += write(20, "without-" + victim).size();
            group.start(victim);
            sent += write(20, "again-" + victim).size();
            int back = victim;
            await().atMost(LONG).until(() -> group.replica(back).status().phase() == Phase.RUNNING);
        }
        assertAllEqual(sent);
    }

    @Test
    void theLeaderMayDieWhileCommandsAreUnderWay() {
        write(5, "warm");
        await().atMost(LONG).until(() -> group.replica(0).status().leader() >= 0);
        int leader = group.replica(0).status().leader();
        List<CompletableFuture<Bytes>> open = submit(100, "under-way");
        group.stop(leader);
        open.forEach(CompletableFuture::join);
        assertThat(RecordingApplication.texts(ask())).hasSize(105);
    }

    @Test
    void whenAllStopAndStartAgainNothingAcknowledgedIsLost() {
        for (int round = 0; round < 3; round++) {
            write(25, "round-" + round);
            for (int replica = 0; replica < ReplicaGroup.REPLICAS; replica++) {
                group.stop(replica);
            }
            group.startAll();
        }
        assertThat(RecordingApplication.texts(ask())).hasSize(75);
        assertAllEqual(75);
    }

    @Test
    void threeOfFourComeBackAndServe() {
        write(10, "before");
        for (int replica = 0; replica < ReplicaGroup.REPLICAS; replica++) {
            group.stop(replica);
        }
        group.start(3);
        group.start(1);
        group.start(2);
        write(10, "three");
        assertThat(RecordingApplication.texts(ask())).hasSize(20);
        group.start(0);
        write(10, "four");
        assertAllEqual(30);
    }

    @Test
    void aReplicaThatMissedMoreThanItMayLackWhenItJoinsCatchesUpFirst() {
        write(5, "before");
        group.stop(1);
        int missed = (int) Settlement.NEAR_BATCHES + SNAPSHOT_BATCHES;
        for (int i = 0; i < missed; i++) {
            write(1, "missed-" + i);
        }
        group.start(1);
        assertAllEqual(5 + missed);
    }

    @Test
    void aReplicaThatLostItsDiskTakesTheStateFromItsPeers() throws Exception {
        for (int i = 0; i < 3 * SNAPSHOT_BATCHES; i++) {
            write(1, "single-" + i);
        }
        group.stop(2);
        try (var files = Files.walk(group.directoryOf(2))) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
        group.start(2);
        write(5, "after");
        assertAllEqual(3 * SNAPSHOT_BATCHES + 5);
    }

    List<String> write(int count, String prefix) {
        List<String> texts =
                IntStream.range(0, count).mapToObj(i -> prefix + "-" + i).toList();
        submit(count, prefix)
                .forEach(future ->
                        future.orTimeout(LONG.toSeconds(), TimeUnit.SECONDS).join());
        return texts;
    }

    private List<CompletableFuture<Bytes>> submit(int count, String prefix) {
        List<CompletableFuture<Bytes>> open = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            open.add(group.client().submit(RecordingApplication.command(1000 + number++, prefix + "-" + i)));
        }
        return open;
    }

    private Bytes ask() {
        return group.client()
                .query(Bytes.EMPTY)
                .orTimeout(LONG.toSeconds(), TimeUnit.SECONDS)
                .join();
    }

    void assertAllEqual(int count) {
        await().atMost(LONG).untilAsserted(() -> {
            List<String> first = group.texts(0);
            assertThat(first).hasSize(count).doesNotHaveDuplicates();
            for (int replica = 1; replica < ReplicaGroup.REPLICAS; replica++) {
                assertThat(group.texts(replica)).isEqualTo(first);
                assertThat(group.replica(replica).status().phase()).isEqualTo(Phase.RUNNING);
            }
        });
    }
}
