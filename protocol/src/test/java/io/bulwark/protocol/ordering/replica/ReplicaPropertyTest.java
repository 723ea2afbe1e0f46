package io.bulwark.protocol.ordering.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.wire.Bytes;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Replicas that crash at any time, also all at once, and come back. The network loses, delays and partitions, and keys
 * change. All execute one order; the cluster checks it at each step. Once the network is calm, every request is
 * executed and all replicas are equal. No acknowledged result ever changes.
 */
@NullMarked
@Tag("long")
class ReplicaPropertyTest {
    private static final long FAULTS_MILLIS = 12_000;

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void oneOrderAndAllIsDoneInTheEnd(int faulty) {
        long first = Long.getLong("bulwark.seed", 1);
        int seeds = System.getProperty("bulwark.seed") == null ? Integer.getInteger("bulwark.seeds", 8 / faulty) : 1;
        for (long seed = first; seed < first + seeds; seed++) {
            run(faulty, seed);
        }
    }

    private static void run(int faulty, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int interval = 1 << random.nextInt(1, 5);
        TestCluster cluster = new TestCluster(
                faulty,
                seed,
                config -> config.withLog(interval, interval * 2).withBatches(new ReplicaConfig.Batches(4, 1 << 20, 2)));
        cluster.syncMillis = random.nextLong(0, 40);
        int replicas = 3 * faulty + 1;
        int number = 0;
        while (cluster.nowMillis < FAULTS_MILLIS) {
            int what = random.nextInt(100);
            int replica = random.nextInt(replicas);
            if (what < 50) {
                cluster.submit(random.nextInt(4), number, TestCluster.operation(number++));
            } else if (what < 54) {
                restart(cluster, replica);
            } else if (what < 57) {
                cluster.loss = random.nextInt(3) * 0.15;
            } else if (what < 60) {
                cluster.maxDelayMillis = random.nextLong(2, 120);
            } else if (what < 66) {
                cluster.nodes.stream().filter(node -> node.replica != null).forEach(node -> {
                    if (node.self != replica) {
                        node.up().onKeyChange(replica);
                    }
                });
            } else if (what < 70) {
                Set<Integer> there = new HashSet<>();
                random.ints(random.nextInt(replicas), 0, replicas).forEach(there::add);
                cluster.wire = (from, to, message) ->
                        there.contains(from) == there.contains(to) ? List.of(message) : List.of();
            } else if (what < 76) {
                cluster.wire = (from, to, message) -> List.of(message);
            } else if (what < 80) {
                for (int i = 0; i < replicas; i++) {
                    if (random.nextInt(4) > 0) {
                        restart(cluster, i);
                        restart(cluster, i);
                    }
                }
            }
            cluster.run(random.nextLong(60));
        }
        calm(cluster);
        assertThat(cluster.runUntilDone(200_000))
                .as("seed %d, f %d: %s", seed, faulty, cluster)
                .isTrue();
        cluster.run(5_000);
        List<Bytes> journal = cluster.nodes.getFirst().application.journal();
        assertThat(journal).as("seed %d", seed).hasSize(number);
        for (TestCluster.Node node : cluster.nodes) {
            assertThat(node.application.journal())
                    .as("seed %d, f %d: %s", seed, faulty, cluster)
                    .isEqualTo(journal);
            assertThat(node.evidence).as("seed %d", seed).isEmpty();
        }
        for (TestCluster.Call call : cluster.calls) {
            long place = journal.indexOf(call.request.operation());
            assertThat(call.result).as("seed %d", seed).isEqualTo(TestCluster.operation(place));
        }
    }

    /** f replicas lie all the time, all crash and come back at first, the network is slow at times. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void fLiarsChangeNothing(int faulty) {
        long first = Long.getLong("bulwark.seed", 1);
        int seeds = System.getProperty("bulwark.seed") == null ? Integer.getInteger("bulwark.seeds", 6 / faulty) : 1;
        for (long seed = first; seed < first + seeds; seed++) {
            runWithLiars(faulty, seed);
        }
    }

    private static void runWithLiars(int faulty, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        TestCluster cluster = new TestCluster(faulty, seed, config -> config.withLog(4, 8));
        Liar liar = new Liar(random.split(), random.nextInt(2, 60));
        int firstLiar = random.nextInt(3 * faulty + 1);
        cluster.wire = (from, to, message) ->
                from >= firstLiar && from < firstLiar + faulty ? liar.say(message) : List.of(message);
        int number = 0;
        while (cluster.nowMillis < FAULTS_MILLIS) {
            int what = random.nextInt(20);
            if (what == 0) {
                cluster.maxDelayMillis = random.nextLong(2, 150);
            } else if (what == 1) {
                cluster.loss = random.nextInt(2) * 0.1;
            } else if (what == 2 && random.nextBoolean()) {
                restart(cluster, random.nextInt(3 * faulty + 1));
            } else {
                cluster.submit(random.nextInt(4), number, TestCluster.operation(number++));
            }
            cluster.run(random.nextLong(200));
        }
        cluster.loss = 0;
        cluster.maxDelayMillis = 5;
        startAll(cluster);
        assertThat(cluster.runUntilDone(3_000_000))
                .as("seed %d, f %d: %s", seed, faulty, cluster)
                .isTrue();
        cluster.run(20_000);
        for (TestCluster.Node node : cluster.nodes) {
            assertThat(node.application.journal().size())
                    .as("seed %d, f %d: %s", seed, faulty, cluster)
                    .isEqualTo(number);
        }
    }

    private static void restart(TestCluster cluster, int replica) {
        if (cluster.nodes.get(replica).replica == null) {
            cluster.start(replica);
        } else {
            cluster.crash(replica);
        }
    }

    private static void calm(TestCluster cluster) {
        cluster.loss = 0;
        cluster.maxDelayMillis = 5;
        cluster.wire = (from, to, message) -> List.of(message);
        startAll(cluster);
    }

    private static void startAll(TestCluster cluster) {
        for (TestCluster.Node node : cluster.nodes) {
            if (node.replica == null) {
                cluster.start(node.self);
            }
        }
    }
}
