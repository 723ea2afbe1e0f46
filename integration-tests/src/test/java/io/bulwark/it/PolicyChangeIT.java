package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bulwark.client.Volume;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A volume under masking quorums comes to tolerate two faults, one and two again while it is read and written; then two
 * nodes are down. A volume under FP gets other numbers of faults and fragments.
 */
@NullMarked
@Tag("long")
class PolicyChangeIT {
    private static final int BLOCKS = 20;
    private static final int BLOCK_BYTES = 4096;

    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.embedded(9);

    private static byte[] content(long round) {
        byte[] content = new byte[BLOCK_BYTES];
        new Random(LiveCluster.SEED + round).nextBytes(content);
        return content;
    }

    private static CommandRun run(String... arguments) {
        return new CommandRun(CLUSTER, arguments);
    }

    @ParameterizedTest
    @ValueSource(strings = {"masking", "pasis"})
    void otherFaultsAreToleratedFromASealedEpochOnAndNoOperationFails(String protocol) throws Exception {
        run("volume", "create", protocol, "--blocks", String.valueOf(BLOCKS), "--protocol", protocol)
                .with("--faults", "1", "--fragments", "9", "--block-size", String.valueOf(BLOCK_BYTES))
                .json();
        Volume volume = CLUSTER.client().volume(protocol);
        for (int block = 0; block < BLOCKS; block++) {
            volume.writeBlock(block, content(block));
        }
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger rounds = new AtomicInteger();
        CompletableFuture<Integer> load = load(volume, over, rounds);
        CommandRun tooMany = run("volume", "set", protocol, "--faults", "3").go();
        assertThat(tooMany.exitCode()).isEqualTo(2);
        assertThat(tooMany.err()).contains("needs 13 nodes, there are 9");
        for (int faults : new int[] {2, 1, 2}) {
            assertThat(run("volume", "set", protocol, "--faults", String.valueOf(faults))
                            .json()
                            .get("faults")
                            .asInt())
                    .isEqualTo(faults);
            awaitConfirmations(protocol);
        }
        int before = rounds.get();
        await().until(() -> rounds.get() > before + 3 || load.isDone());
        over.set(true);
        int last = load.get();
        assertThat(run("status").go().out()).contains(protocol + " b=2 ");

        CLUSTER.stopNode(2);
        CLUSTER.stopNode(6);
        assertThat(volume.readBlock(0)).isEqualTo(content(1_000 + last));
        for (int block = 1; block < BLOCKS; block++) {
            assertThat(volume.readBlock(block)).isEqualTo(content(block));
            volume.writeBlock(block, content(2_000 + block));
            assertThat(volume.readBlock(block)).isEqualTo(content(2_000 + block));
        }
        CommandRun fewer = run("volume", "set", protocol, "--faults", "1").go();
        assertThat(fewer.exitCode()).as(fewer.err()).isEqualTo(2);
        assertThat(fewer.err()).contains("n - 1 = 8 of 9 holders, and 2 of a group");
        CLUSTER.startNode(2);
        CLUSTER.startNode(6);
    }

    /** Writes and reads one block again and again, and reads the others. */
    private static CompletableFuture<Integer> load(Volume volume, AtomicBoolean over, AtomicInteger rounds) {
        return CompletableFuture.supplyAsync(() -> {
            int last = 0;
            for (int round = 1; !over.get(); round++) {
                volume.writeBlock(0, content(1_000 + round));
                assertThat(volume.readBlock(0)).isEqualTo(content(1_000 + round));
                assertThat(volume.readBlock(1 + round % (BLOCKS - 1))).isEqualTo(content(1 + round % (BLOCKS - 1)));
                last = round;
                rounds.incrementAndGet();
            }
            return last;
        });
    }

    @Test
    void otherNumbersOfFragmentsAreUsedFromASealedEpochOn() throws Exception {
        run(
                        "volume",
                        "create",
                        "fp-blocks",
                        "--blocks",
                        String.valueOf(BLOCKS),
                        "--block-size",
                        String.valueOf(BLOCK_BYTES))
                .json();
        Volume volume = CLUSTER.client().volume("fp-blocks");
        for (int block = 0; block < BLOCKS; block++) {
            volume.writeBlock(block, content(block));
        }
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger rounds = new AtomicInteger();
        CompletableFuture<Integer> load = load(volume, over, rounds);
        assertThat(run("volume", "set", "fp-blocks", "--faults", "2")
                        .json()
                        .get("fragments")
                        .asInt())
                .isEqualTo(7);
        assertThat(run("volume", "set", "fp-blocks", "--fragments", "9")
                        .json()
                        .get("dataFragments")
                        .asInt())
                .isEqualTo(5);
        int before = rounds.get();
        await().until(() -> rounds.get() > before + 3 || load.isDone());
        over.set(true);
        int last = load.get();

        awaitConfirmations("fp-blocks");
        CommandRun early = run("volume", "settle", "fp-blocks", "1").go();
        assertThat(early.exitCode()).isEqualTo(2);
        assertThat(early.err()).contains("write it first");
        CLUSTER.stopNode(2);
        assertThat(volume.readBlock(0)).isEqualTo(content(1_000 + last));
        for (int block = 1; block < BLOCKS; block++) {
            assertThat(volume.readBlock(block)).isEqualTo(content(block));
            volume.writeBlock(block, content(2_000 + block));
            assertThat(volume.readBlock(block)).isEqualTo(content(2_000 + block));
        }
        assertThat(run("volume", "settle", "fp-blocks", "1").go().exitCode()).isZero();
        assertThat(volume.readBlock(1)).isEqualTo(content(2_001));
        CommandRun refill = run("volume", "refill", "fp-blocks").go();
        assertThat(refill.exitCode()).isEqualTo(2);
        assertThat(refill.err()).contains("as they are written");
        CLUSTER.stopNode(3);
        CLUSTER.stopNode(4);
        CommandRun away = run("volume", "set", "fp-blocks", "--faults", "1").go();
        assertThat(away.exitCode()).isEqualTo(2);
        assertThat(away.err()).contains("3 of a group do not serve");
        CLUSTER.startNode(3);
        CLUSTER.startNode(4);
        CLUSTER.startNode(2);
    }

    private static void awaitConfirmations(String volume) {
        await().until(() -> CLUSTER.client().nodes().map().volume(volume).orElseThrow().groups().stream()
                .allMatch(group -> group.unconfirmed().isEmpty()));
    }
}
