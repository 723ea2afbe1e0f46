package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bulwark.client.Bucket;
import io.bulwark.client.BucketSpec;
import io.bulwark.client.GetOptions;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.PutOptions;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/**
 * An object volume gets another policy while it is read and written, its older objects are refilled, and as many nodes
 * as the new policy tolerates are down.
 */
@NullMarked
class VolumePolicyIT {
    private static final int OBJECTS = 6;
    private static final int BYTES = 50_000;

    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.embedded(9);

    private static byte[] content(long number) {
        byte[] content = new byte[BYTES];
        new Random(LiveCluster.SEED + number).nextBytes(content);
        return content;
    }

    private static CommandRun run(String... arguments) {
        return new CommandRun(CLUSTER, arguments);
    }

    /** Takes more than a minute: replaced extents are freed after a grace. */
    @Test
    @Tag("long")
    void olderObjectsAreRewrittenInPlaceAndNoOperationFails() throws Exception {
        changeAndRefill("fp", 0);
    }

    @ParameterizedTest
    @CsvSource({"pasis, 0", "masking, 0", "archive, 6"})
    @Tag("nightly")
    void soItIsUnderOtherProtocols(String protocol, int fragments) throws Exception {
        changeAndRefill(protocol, fragments);
    }

    private static void changeAndRefill(String protocol, int fragments) throws Exception {
        String volume = "with-" + protocol;
        CommandRun create = run("volume", "create", volume, "--protocol", protocol, "--faults", "1");
        create.with("--block-size", "8192");
        if (fragments > 0) {
            create.with("--fragments", String.valueOf(fragments));
        }
        create.json();
        Bucket bucket = CLUSTER.client()
                .createBucket(BucketSpec.of(volume).inVolume(volume).keepingVersions());
        for (int object = 0; object < OBJECTS; object++) {
            bucket.put("old-" + object, content(object), PutOptions.DEFAULT);
        }
        ObjectInfo before = bucket.head("old-0", 0);
        AtomicBoolean over = new AtomicBoolean();
        CompletableFuture<Integer> load = CompletableFuture.supplyAsync(() -> {
            int round = 0;
            while (!over.get()) {
                bucket.put("new", content(1_000 + round), PutOptions.DEFAULT);
                assertThat(bucket.getBytes("new", GetOptions.DEFAULT)).isEqualTo(content(1_000 + round));
                assertThat(bucket.getBytes("old-" + round % OBJECTS, GetOptions.DEFAULT))
                        .isEqualTo(content(round % OBJECTS));
                round++;
            }
            return round;
        });
        CommandRun tooMany = run("volume", "set", volume, "--faults", "4").go();
        assertThat(tooMany.exitCode()).as(tooMany.out()).isNotZero();
        assertThat(tooMany.err()).contains("nodes");
        assertThat(run("volume", "set", volume, "--faults", "2")
                        .json()
                        .get("faults")
                        .asInt())
                .isEqualTo(2);
        JsonNode older = run("volume", "stat", volume).json();
        assertThat(older.get("leastFaults").asInt()).isOne();
        assertThat(older.get("older").get(0).get("extents").asLong()).isPositive();
        assertThat(run("status").go().out()).contains("older");
        JsonNode refill = run("volume", "refill", volume).json();
        assertThat(refill.get("failures")).isEmpty();
        assertThat(refill.get("refilled").asLong()).isGreaterThanOrEqualTo(OBJECTS);
        over.set(true);
        int rounds = load.get();
        assertThat(rounds).isPositive();
        assertThat(bucket.head("old-0", 0))
                .usingRecursiveComparison()
                .ignoringFields("blocks")
                .isEqualTo(before);
        await().atMost(Duration.ofMinutes(3))
                .untilAsserted(() -> assertThat(run("volume", "stat", volume)
                                .json()
                                .get("leastFaults")
                                .asInt())
                        .isEqualTo(2));

        CLUSTER.stopNode(2);
        CLUSTER.stopNode(6);
        for (int object = 0; object < OBJECTS; object++) {
            assertThat(bucket.getBytes("old-" + object, GetOptions.DEFAULT)).isEqualTo(content(object));
        }
        bucket.put("after", content(7), PutOptions.DEFAULT);
        assertThat(bucket.getBytes("after", GetOptions.DEFAULT)).isEqualTo(content(7));
        CLUSTER.startNode(2);
        CLUSTER.startNode(6);
    }
}
