package io.bulwark.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bulwark.metadata.pages.PageFiles;
import io.bulwark.metadata.pages.RocksPageStore;
import io.bulwark.protocol.ordering.Phase;
import io.bulwark.protocol.ordering.driver.ReplicaConfig.Recoveries;
import io.bulwark.protocol.wire.Bytes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Corruption of the RocksDB files that hold the state, at one replica and at all. The group recovers by itself
 * (docs/ordering/checkpoints.md, damage).
 */
@NullMarked
@Tag("long")
@Execution(ExecutionMode.CONCURRENT)
class BftDamageTest {
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final int SNAPSHOT_BATCHES = 16;
    private static final int WRITTEN = 15 * SNAPSHOT_BATCHES;

    @TempDir
    private Path directory = Path.of("");

    @SuppressWarnings("NullAway.Init")
    private ReplicaGroup group;

    private int numbers;

    @BeforeEach
    void start() {
        group = ReplicaGroup.withIdentities(
                directory, ReplicaGroup.Starter.bft(), SNAPSHOT_BATCHES, Recoveries.DEFAULT);
        group.startAll();
        write(WRITTEN);
        await().atMost(LONG).untilAsserted(() -> {
            for (int replica = 0; replica < ReplicaGroup.REPLICAS; replica++) {
                assertThat(group.texts(replica)).hasSize(WRITTEN);
            }
        });
        group.stopAll();
    }

    @AfterEach
    void stop() {
        group.close();
    }

    private Path pages(int replica) {
        return group.directoryOf(replica).resolve("pages");
    }

    private void write(int count) {
        List<CompletableFuture<Bytes>> open = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String text = "text-" + numbers + "-" + "x".repeat(500);
            open.add(group.client().submit(RecordingApplication.command(numbers++, text)));
            if (i % 4 == 3) {
                open.getLast().orTimeout(LONG.toSeconds(), TimeUnit.SECONDS).join();
            }
        }
        open.forEach(each -> each.orTimeout(LONG.toSeconds(), TimeUnit.SECONDS).join());
    }

    private void assertWhole() {
        write(SNAPSHOT_BATCHES);
        await().atMost(LONG).untilAsserted(() -> {
            for (int replica = 0; replica < ReplicaGroup.REPLICAS; replica++) {
                assertThat(group.texts(replica)).hasSize(numbers).isEqualTo(group.texts(0));
                assertThat(group.replica(replica).status().phase()).isEqualTo(Phase.RUNNING);
            }
        });
    }

    /** The page is read at the start; each replica has lost another one. */
    @Test
    void allReplicasLoseADifferentPageAndNothingIsLost() throws Exception {
        List<Bytes> shared = sharedPages();
        assertThat(shared).hasSizeGreaterThanOrEqualTo(ReplicaGroup.REPLICAS);
        for (int replica = 0; replica < ReplicaGroup.REPLICAS; replica++) {
            PageFiles.rot(pages(replica), shared.get(replica));
        }
        group.startAll();
        assertWhole();
    }

    private List<Bytes> sharedPages() throws IOException {
        List<Bytes> shared = new ArrayList<>();
        for (int replica = 0; replica < ReplicaGroup.REPLICAS; replica++) {
            PageFiles.flush(pages(replica));
            try (RocksPageStore store = RocksPageStore.open(pages(replica))) {
                List<Bytes> own = new ArrayList<>();
                store.forEach(digest -> own.add(store.get(digest).orElseThrow()));
                if (replica == 0) {
                    shared.addAll(own);
                } else {
                    shared.retainAll(own);
                }
            }
        }
        return shared;
    }

    @Test
    void aByteOfEachManifestRotsAndNothingIsLost() throws Exception {
        for (int replica = 0; replica < ReplicaGroup.REPLICAS; replica++) {
            Path manifest = PageFiles.files(pages(replica), "MANIFEST-.*").getLast();
            PageFiles.flip(manifest, Files.size(manifest) / 2);
        }
        group.startAll();
        for (int replica = 0; replica < ReplicaGroup.REPLICAS; replica++) {
            assertThat(group.replica(replica).status().damaged()).isTrue();
        }
        assertWhole();
        for (int replica = 0; replica < ReplicaGroup.REPLICAS; replica++) {
            assertThat(pages(replica).resolveSibling("pages-damaged")).exists();
            group.stop(replica);
            group.start(replica);
            assertThat(group.replica(replica).status().damaged()).isFalse();
            assertThat(pages(replica).resolveSibling("pages-damaged")).doesNotExist();
        }
        assertWhole();
    }

    @Test
    void eachTableOfOneReplicaRotsAndItRecoversByItself() throws Exception {
        PageFiles.flush(pages(2));
        for (Path table : PageFiles.files(pages(2), ".*\\.sst")) {
            PageFiles.flip(table, 40);
        }
        group.startAll();
        assertThat(group.replica(2).status().damaged()).isTrue();
        assertWhole();
    }

    /** A state that is damaged shows that something was promised. */
    @Test
    void whoLostItsPromisesAndFindsItsStateDamagedHasForgotten() throws Exception {
        for (Path file : PageFiles.files(pages(1).resolveSibling("promises"), ".*")) {
            Files.delete(file);
        }
        Path manifest = PageFiles.files(pages(1), "MANIFEST-.*").getLast();
        PageFiles.flip(manifest, Files.size(manifest) / 2);
        group.startAll();
        assertThat(group.recovery(1).forgotten()).isTrue();
        assertThat(group.replica(1).status().damaged()).isTrue();
    }

    @Test
    void whereNoReplicaHasTheStateAnyMoreTheGroupStopsAndSaysWhy() throws Exception {
        for (int replica = 0; replica < ReplicaGroup.REPLICAS; replica++) {
            for (Path file : PageFiles.files(pages(replica), ".*")) {
                Files.delete(file);
            }
        }
        group.startAll();
        CompletableFuture<Bytes> asked = group.client().submit(RecordingApplication.command(9_999, "late"));
        await().atMost(LONG).untilAsserted(() -> {
            for (int replica = 0; replica < ReplicaGroup.REPLICAS; replica++) {
                assertThat(group.replica(replica).status().waiting()).contains("pages", "no replica has");
                assertThat(group.replica(replica).status().phase()).isEqualTo(Phase.FOLLOWING);
            }
        });
        assertThat(asked).isNotDone();
    }
}
