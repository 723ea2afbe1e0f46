package io.bulwark.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.metadata.log.PromiseLog;
import io.bulwark.metadata.pages.RocksPageStore;
import io.bulwark.protocol.state.PageBatch;
import io.bulwark.protocol.wire.Bytes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** The engine after the proactive recovery paper keeps the contract, and what it promises beyond. */
@NullMarked
final class BftOrderingTest extends OrderingContract {
    @Override
    ReplicaGroup.Starter starter() {
        return ReplicaGroup.Starter.bft();
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
    void promisesThatRotKeepAReplicaFromStarting() throws Exception {
        write(20, "before");
        group.stop(3);
        Path promises;
        try (var files = Files.list(group.directoryOf(3).resolve("promises"))) {
            promises = files.sorted().toList().getLast();
        }
        byte[] bytes = Files.readAllBytes(promises);
        bytes[bytes.length / 2] ^= 1;
        Files.write(promises, bytes);
        assertThatThrownBy(() -> group.start(3))
                .isInstanceOf(UncheckedIOException.class)
                .hasCauseInstanceOf(PromiseLog.DamagedException.class);
        assertThat(write(5, "without")).hasSize(5);
    }

    @Test
    void aTornTailOfEveryLogIsCut() throws Exception {
        write(20, "before");
        for (int replica = 0; replica < ReplicaGroup.REPLICAS; replica++) {
            group.stop(replica);
            tear(group.directoryOf(replica).resolve("promises"));
        }
        group.startAll();
        write(5, "after");
        assertAllEqual(25);
    }

    /** Something was being written: not a record yet. */
    private static void tear(Path promises) throws IOException {
        try (var files = Files.list(promises)) {
            Path last = files.sorted().toList().getLast();
            byte[] half = {0, 0, 1, 0, 5, 5, 5, 5, 1, 2, 3};
            Files.write(last, half, StandardOpenOption.APPEND);
        }
    }
}
