package io.bulwark.metadata.locking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bulwark.protocol.locking.LockingMessage.Append;
import io.bulwark.protocol.locking.LogChain;
import io.bulwark.protocol.locking.LogEntry;
import io.bulwark.protocol.locking.LogHead;
import io.bulwark.protocol.locking.LogId;
import io.bulwark.protocol.locking.LogLimits;
import io.bulwark.protocol.locking.LogStoreRecord;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The store of logs on disk, over restarts and damage. */
@NullMarked
class LogStoreTest {
    @TempDir
    private Path directory = Path.of("");

    private final AtomicLong stored = new AtomicLong();
    private final CompletableFuture<IOException> failed = new CompletableFuture<>();
    private long token;

    private LogStore open() throws IOException {
        return open(LogStore.Past.KEPT);
    }

    private LogStore open(LogStore.Past past) throws IOException {
        token = 0;
        stored.set(0);
        return LogStore.open(directory, past, new LogStore.Listener() {
            @Override
            public void onStored(long upTo) {
                stored.set(upTo);
            }

            @Override
            public void onFailure(IOException e) {
                failed.complete(e);
            }
        });
    }

    private static LogId log(long lock) {
        return new LogId(CountingLocks.HOLDER, 3, lock);
    }

    private static LogStoreRecord record(long lock, int first, int bytes) {
        LogEntry entry = new LogEntry(first, Optional.empty(), Bytes.of(new byte[bytes]));
        Bytes hash = LogChain.root(CountingLocks.CLUSTER, log(lock));
        return new LogStoreRecord.Batch(
                new Append(log(lock), List.of(entry), new LogHead(first, hash, Bytes.of(new byte[64]))));
    }

    private void append(LogStore store, LogStoreRecord record) {
        store.append(++token, record);
    }

    private void awaitStored() {
        await().until(() -> stored.get() == token);
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.sorted().toList();
        }
    }

    /** Offsets of the frames in the newest file. */
    private List<Integer> frames() throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(files().getLast()));
        List<Integer> frames = new ArrayList<>();
        for (int at = 4096; at + 8 <= bytes.capacity(); at++) {
            if (bytes.getLong(at) == bytes.getLong(8)) {
                frames.add(at);
            }
        }
        return frames;
    }

    private void zero(int from, int to) throws IOException {
        byte[] bytes = Files.readAllBytes(files().getLast());
        Arrays.fill(bytes, from, Math.min(to, bytes.length), (byte) 0);
        Files.write(files().getLast(), bytes);
    }

    /** Three records of two logs, from which nothing is abstained. */
    private List<LogStoreRecord> written() throws IOException {
        List<LogStoreRecord> records =
                List.of(record(11, 1, 100), record(11, 2, 0), new LogStoreRecord.Closure(log(11)), record(12, 1, 5));
        try (LogStore store = open()) {
            store.abstainUpTo(0);
            for (LogStoreRecord record : List.of(records.get(0), records.get(3), records.get(1), records.get(2))) {
                append(store, record);
                awaitStored();
            }
        }
        return records;
    }

    @Test
    void recordsOfALogComeBackInTheirOrder() throws Exception {
        List<LogStoreRecord> records = written();
        for (int restart = 0; restart < 3; restart++) {
            try (LogStore store = open()) {
                assertThat(store.records()).isEqualTo(records);
                assertThat(store.abstains()).isZero();
                assertThat(store.logs()).isEqualTo(2);
            }
            assertThat(files()).hasSize(1);
        }
    }

    @Test
    void aNewStoreAbstainsFromAllUntilItIsToldUpToWhere() throws Exception {
        for (int restart = 0; restart < 2; restart++) {
            try (LogStore store = open()) {
                assertThat(store.abstains()).isEqualTo(LogStore.UNKNOWN);
            }
        }
        try (LogStore store = open()) {
            store.abstainUpTo(17);
            append(store, record(18, 1, 5));
        }
        try (LogStore store = open()) {
            assertThat(store.abstains()).isEqualTo(17);
            assertThat(store.records()).hasSize(1);
        }
    }

    @PlantedBug(
            in = LogStore.class,
            rule = "(11) only the store of a new member abstains from nothing",
            replace = "past == Past.NONE && files.isEmpty() ? 0 : UNKNOWN",
            with = "files.isEmpty() ? 0 : UNKNOWN")
    @Test
    void theStoreOfANewMemberAbstainsFromNothing() throws Exception {
        open(LogStore.Past.NONE).close();
        try (LogStore store = open()) {
            assertThat(store.abstains()).isZero();
        }
        Files.delete(files().getLast());
        try (LogStore store = open()) {
            assertThat(store.abstains()).isEqualTo(LogStore.UNKNOWN);
        }
    }

    @Test
    void aTornTailIsCutAndNothingAbstainsForIt() throws Exception {
        List<LogStoreRecord> records = written();
        // The seal is lost with the last record: both are written after its sync began.
        int last = frames().get(3);
        zero(last + 20, Integer.MAX_VALUE);
        try (LogStore store = open()) {
            assertThat(store.records()).containsExactly(records.get(0), records.get(1), records.get(3));
            assertThat(store.abstains()).isZero();
        }
    }

    @Test
    void aDamagedStoreKeepsNothingAndAbstainsFromAll() throws Exception {
        for (int record = 0; record < 4; record++) {
            written();
            int at = frames().get(record);
            zero(at + 33, at + 40);
            try (LogStore store = open()) {
                assertThat(store.records()).as("record %d", record).isEmpty();
                assertThat(store.abstains()).isEqualTo(LogStore.UNKNOWN);
            }
            Files.delete(files().getLast());
        }
    }

    @Test
    void aReplicaThatHasForgottenItsPromisesAbstainsAnew() throws Exception {
        List<LogStoreRecord> records = written();
        try (LogStore store = open(LogStore.Past.FORGOTTEN)) {
            assertThat(store.abstains()).isEqualTo(LogStore.UNKNOWN);
            assertThat(store.records()).isEqualTo(records);
        }
        try (LogStore store = open()) {
            assertThat(store.abstains()).as("until it is told").isEqualTo(LogStore.UNKNOWN);
        }
    }

    @Test
    void deletedLogsLeaveTheDisk() throws Exception {
        try (LogStore store = open()) {
            store.abstainUpTo(0);
            append(store, record(1, 1, 5));
            for (int log = 2; log < 40; log++) {
                for (int i = 1; i <= 17; i++) {
                    append(store, record(log, i, LogEntry.COMMAND_BYTES_MAX));
                }
                store.delete(log(log));
            }
            awaitStored();
            assertThat(store.logs()).isEqualTo(1);
            append(store, record(50, 1, 5));
            awaitStored();
            assertThat(files()).hasSize(1);
            assertThat(Files.size(files().getFirst())).isLessThan(20L * LogLimits.BYTES_MAX);
        }
        try (LogStore store = open()) {
            // Logs that were deleted after the file was begun are in it still.
            assertThat(store.records()).contains(record(1, 1, 5), record(50, 1, 5));
            assertThat(store.logs()).isLessThan(20);
        }
    }

    @Test
    void aDiskThatFailsIsReportedAndHoldsNobodyUp() throws Exception {
        try (LogStore store = open()) {
            append(store, record(1, 1, 5));
            awaitStored();
            // The next file cannot be made.
            String next = String.format("logs-%020d.new", 2);
            Files.createDirectories(directory.resolve(next).resolve("full"));
            store.abstainUpTo(5);
            for (int i = 2; i < 100; i++) {
                append(store, record(1, i, 5));
            }
            assertThat(failed.join()).isNotNull();
            assertThat(stored.get()).isEqualTo(1);
        }
    }
}
