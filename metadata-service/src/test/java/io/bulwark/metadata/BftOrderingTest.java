package io.bulwark.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.metadata.pages.RocksPageStore;
import io.bulwark.protocol.ordering.driver.ReplicaConfig.Recoveries;
import io.bulwark.protocol.state.PageBatch;
import io.bulwark.protocol.wire.Bytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** The engine after the proactive recovery paper: the contract, and its promises beyond. */
@NullMarked
final class BftOrderingTest extends OrderingContract {
    private static final int PAGE_BYTES = 4096;

    @Override
    ReplicaGroup.Starter starter() {
        return ReplicaGroup.Starter.bft();
    }

    /** Over TLS and under session keys, as an appliance runs it. */
    @Override
    ReplicaGroup open() {
        return ReplicaGroup.withIdentities(directory, starter(), SNAPSHOT_BATCHES, Recoveries.DEFAULT);
    }

    @Test
    void pagesOfTheStateThatRotAreFetchedFromTheOthers() throws Exception {
        int sent = 0;
        for (int i = 0; i < 2 * SNAPSHOT_BATCHES; i++) {
            sent += write(1, "single-" + i).size();
        }
        group.stop(1);
        try (RocksPageStore store = RocksPageStore.open(group.directoryOf(1).resolve("pages"))) {
            Map<Bytes, Bytes> rotten = new HashMap<>();
            store.forEach(digest -> rotten.put(digest, Bytes.of((byte) 7, (byte) 7)));
            assertThat(rotten).isNotEmpty();
            store.write(new PageBatch(rotten, Map.of(), List.of(), Map.of(), Set.of(), true, false));
        }
        group.start(1);
        for (int i = 0; i < 2 * SNAPSHOT_BATCHES; i++) {
            sent += write(1, "after-" + i).size();
        }
        assertAllEqual(sent);
    }

    @Test
    void promisesThatRotInOnePlaceAreReadFromTheOther() throws Exception {
        write(20, "before");
        for (int replica = 0; replica < ReplicaGroup.REPLICAS; replica++) {
            group.stop(replica);
            Path promises = segment(replica);
            byte[] bytes = Files.readAllBytes(promises);
            // The first header, and the second place whole.
            Arrays.fill(bytes, 0, PAGE_BYTES, (byte) 0);
            Arrays.fill(bytes, 2 * PAGE_BYTES, firstPlace(bytes, PAGE_BYTES), (byte) 0x5A);
            Files.write(promises, bytes);
        }
        group.startAll();
        write(5, "after");
        assertAllEqual(25);
    }

    @Test
    void bodiesThatRotAreFetchedFromTheOthers() throws Exception {
        write(20, "before");
        group.stop(3);
        Path promises = segment(3);
        byte[] bytes = Files.readAllBytes(promises);
        Arrays.fill(bytes, firstPlace(bytes, 0), bytes.length, (byte) 0x5A);
        Files.write(promises, bytes);
        group.start(3);
        write(5, "after");
        assertAllEqual(25);
    }

    @Test
    void aPrimaryWhoseDiskFailsStepsAsideAndTakesPartAgainOnceItIsMended() throws Exception {
        int sent = write(5, "before").size();
        int victim = group.replica(0).status().leader();
        // The next segments cannot be made.
        Path promises = group.directoryOf(victim).resolve("promises");
        long number = number(segment(victim));
        for (int next = 1; next <= 3; next++) {
            Files.createDirectories(promises.resolve(String.format("promises-%020d.log.new/full", number + next)));
        }
        for (int i = 0; group.replica(victim).status().failure().isEmpty(); i++) {
            assertThat(i).isLessThan(8 * SNAPSHOT_BATCHES);
            sent += write(1, "failing-" + i).size();
        }
        sent += write(2 * SNAPSHOT_BATCHES, "without").size();
        for (int next = 1; next <= 3; next++) {
            Path full = promises.resolve(String.format("promises-%020d.log.new", number + next));
            Files.deleteIfExists(full.resolve("full"));
            Files.deleteIfExists(full);
        }
        sent += write(5, "again").size();
        assertAllEqual(sent);
    }

    @Test
    void aTornTailOfEveryLogIsCut() throws Exception {
        write(20, "before");
        for (int replica = 0; replica < ReplicaGroup.REPLICAS; replica++) {
            group.stop(replica);
            tear(segment(replica));
        }
        group.startAll();
        write(5, "after");
        assertAllEqual(25);
    }

    /** Something was being written: not a record yet. */
    private static void tear(Path promises) throws IOException {
        byte[] half = {0, 0, 1, 0, 5, 5, 5, 5, 1, 2, 3};
        Files.write(promises, half, StandardOpenOption.APPEND);
    }

    private Path segment(int replica) throws IOException {
        try (var files = Files.list(group.directoryOf(replica).resolve("promises"))) {
            return files.filter(file -> file.toString().endsWith(".log"))
                    .sorted()
                    .toList()
                    .getLast();
        }
    }

    private static long number(Path segment) {
        String name = segment.getFileName().toString();
        return Long.parseLong(name.substring(name.indexOf('-') + 1, name.indexOf('.')));
    }

    /** Returns the offset at which the second place ends, after a header at this offset. */
    private static int firstPlace(byte[] file, int header) {
        return 2 * PAGE_BYTES + (int) ByteBuffer.wrap(file).getLong(header + 24);
    }
}
