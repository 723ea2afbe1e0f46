package io.bulwark.metadata.log;

import static io.bulwark.metadata.log.WriteAheadLogFiles.PROMISES;
import static io.bulwark.metadata.log.WriteAheadLogFiles.SUMMARY;
import static io.bulwark.metadata.log.WriteAheadLogFiles.bodies;
import static io.bulwark.metadata.log.WriteAheadLogFiles.commit;
import static io.bulwark.metadata.log.WriteAheadLogFiles.directoryOf;
import static io.bulwark.metadata.log.WriteAheadLogFiles.frameOf;
import static io.bulwark.metadata.log.WriteAheadLogFiles.frames;
import static io.bulwark.metadata.log.WriteAheadLogFiles.only;
import static io.bulwark.metadata.log.WriteAheadLogFiles.prepare;
import static io.bulwark.metadata.log.WriteAheadLogFiles.promises;
import static io.bulwark.metadata.log.WriteAheadLogFiles.rot;
import static io.bulwark.metadata.log.WriteAheadLogFiles.scan;
import static io.bulwark.metadata.log.WriteAheadLogFiles.written;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.metadata.log.WriteAheadLogFiles.Frame;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.ordering.driver.LogRecord;
import io.bulwark.protocol.ordering.driver.StartReason;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The log of promises over lives that end in a crash, on a disk that fails at any step (docs/ordering/checkpoints.md, damage). */
@NullMarked
class WriteAheadLogTest {
    private static final LogRecord.Recovery FORGOTTEN = new LogRecord.Recovery(true, true, 0);

    @TempDir
    private Path temporary = Path.of("");

    private int directories;

    /** A log that is written, with a record of what has become durable. */
    static final class Writing implements AutoCloseable {
        private final CompletableFuture<IOException> failed = new CompletableFuture<>();
        private final Semaphore told = new Semaphore(0);
        final WriteAheadLog log;
        private long index;
        private volatile long durable;

        Writing(Path directory, WriteAheadLogSegment.Disk disk) throws IOException {
            log = WriteAheadLog.open(
                    directory,
                    false,
                    disk,
                    upTo -> {
                        durable = upTo;
                        told.release();
                    },
                    failure -> {
                        failed.complete(failure);
                        told.release();
                    });
        }

        /** Returns once the records are synced, and whether they are: else the disk has failed. */
        boolean append(LogRecord... records) throws InterruptedException {
            for (LogRecord record : records) {
                log.append(++index, record);
            }
            return awaitDurable();
        }

        boolean roll(LogRecord... summary) throws InterruptedException {
            log.roll(++index, List.of(summary));
            return awaitDurable();
        }

        private boolean awaitDurable() throws InterruptedException {
            while (durable < index && !failed.isDone()) {
                assertThat(told.tryAcquire(1, TimeUnit.MINUTES)).isTrue();
            }
            return durable == index;
        }

        @Override
        public void close() throws IOException {
            log.close();
        }
    }

    private Path directory() {
        return temporary.resolve("log-" + directories++);
    }

    @PlantedBug(
            in = WriteAheadLog.class,
            rule = "no promise is missing between others in the log",
            replace = "if (index != handedOver + 1) {",
            with = "if (index <= handedOver) {")
    @Test
    void aPromiseThatDoesNotFollowTheLastIsRefused() throws Exception {
        try (Writing writing = new Writing(directory(), FileChannel::open)) {
            assertThat(writing.roll()).isTrue();
            assertThat(writing.append(prepare(1))).isTrue();
            assertThatThrownBy(() -> writing.log.append(4, prepare(2))).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> writing.log.roll(4, List.of())).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> writing.log.append(2, prepare(2))).isInstanceOf(IllegalArgumentException.class);
            assertThat(writing.append(prepare(3))).isTrue();
        }
    }

    /** Promises handed over while the disk syncs share the next sync. */
    @Test
    void manyPromisesShareFewSyncs() throws Exception {
        Path directory = directory();
        FailingDisk disk = new FailingDisk();
        List<LogRecord> expected = new ArrayList<>(List.of(SUMMARY));
        try (Writing writing = new Writing(directory, disk)) {
            assertThat(writing.roll(SUMMARY)).isTrue();
            int before = disk.syncs;
            CompletableFuture<Void> handedOver = new CompletableFuture<>();
            disk.beforeSync = handedOver::join;
            for (int i = 0; i < 300; i++) {
                expected.add(prepare(i));
                writing.log.append(++writing.index, prepare(i));
            }
            handedOver.complete(null);
            assertThat(writing.awaitDurable()).isTrue();
            assertThat(disk.syncs - before).isBetween(1, 2);
        }
        assertThat(scan(only(directory)).records()).isEqualTo(expected);
    }

    @Test
    void aLogThatIsDamagedBeginsAnewAndSaysSoUntilASummaryDoes() throws Exception {
        Path file = damaged();
        Path directory = directoryOf(file);
        for (int life = 0; life < 2; life++) {
            try (Writing writing = new Writing(directory, FileChannel::open)) {
                assertThat(writing.log.start()).isEqualTo(StartReason.FORGOTTEN);
                assertThat(writing.log.found()).isEmpty();
                writing.log.append(1, prepare(9)); // Without a summary it counts for nothing.
            }
        }
        try (Writing writing = new Writing(directory, FileChannel::open)) {
            assertThat(writing.log.start()).isEqualTo(StartReason.FORGOTTEN);
            writing.roll(FORGOTTEN);
        }
        try (Writing writing = new Writing(directory, FileChannel::open)) {
            assertThat(writing.log.start()).isEqualTo(StartReason.NORMAL);
            assertThat(writing.log.found()).containsExactly(FORGOTTEN);
        }
        assertThat(file).doesNotExist();
    }

    @PlantedBug(
            in = WriteAheadLog.class,
            rule = "a missing log is a lost log",
            replace = "hasPromised ? \"it has no file\" : \"\"",
            with = "\"\"")
    @Test
    void aLogThatIsGoneIsForgottenIfThereWasOne() throws Exception {
        for (boolean hasPromised : new boolean[] {false, true}) {
            try (WriteAheadLog log = WriteAheadLog.open(directory(), hasPromised, _ -> {}, _ -> {})) {
                assertThat(log.start()).isEqualTo(hasPromised ? StartReason.FORGOTTEN : StartReason.NORMAL);
            }
        }
    }

    @Test
    void aCrashAnywhereInBeginningAnewForgetsNothingOfIt() throws Exception {
        boolean done = false;
        for (int steps = 0; !done; steps++) {
            Path file = damaged();
            FailingDisk disk = new FailingDisk();
            disk.stepsLeft = steps;
            disk.bytesOfLast = 3;
            try (Writing writing = new Writing(directoryOf(file), disk)) {
                assertThat(writing.log.start()).isEqualTo(StartReason.FORGOTTEN);
                done = writing.roll(FORGOTTEN);
                assertThat(done || steps < 20).isTrue();
            }
            if (!done) {
                // The damaged file is readable again, but must still not be used.
                Files.delete(file);
            }
            try (Writing writing = new Writing(directoryOf(file), FileChannel::open)) {
                assertThat(writing.log.start()).isEqualTo(done ? StartReason.NORMAL : StartReason.FORGOTTEN);
            }
        }
    }

    @PlantedBug(
            in = WriteAheadLog.class,
            rule = "promises that were lost once stay forgotten",
            replace = "Files.exists(forgottenMark) || contents.isDamaged();",
            with = "contents.isDamaged();")
    @Test
    void aLogThatIsForgedIsForgotten() throws Exception {
        Path directory = directoryOf(written(directory()));
        try (Writing writing = new Writing(directory, FileChannel::open)) {
            assertThat(writing.log.start()).isEqualTo(StartReason.NORMAL);
            writing.roll(SUMMARY);
            writing.log.forget();
            writing.log.append(2, prepare(1));
        }
        try (Writing writing = new Writing(directory, FileChannel::open)) {
            assertThat(writing.log.start()).isEqualTo(StartReason.FORGOTTEN);
            assertThat(writing.log.found()).isEmpty();
        }
    }

    @Test
    void eachLifeBeginsASegmentAndTheOneBeforeGoes() throws Exception {
        Path file = written(directory());
        Path directory = directoryOf(file);
        try (Writing writing = new Writing(directory, FileChannel::open)) {
            assertThat(promises(writing.log.found())).isEqualTo(PROMISES);
            assertThat(writing.log.found()).contains(bodies(1), bodies(2), bodies(3));
            assertThat(file).exists();
            writing.roll(SUMMARY, commit(7));
            assertThat(file).doesNotExist();
            writing.append(prepare(8));
            writing.roll(SUMMARY, commit(8));
        }
        assertThat(scan(only(directory)).records()).containsExactly(SUMMARY, commit(8));
    }

    @Test
    void aSecondPlaceThatIsFullGrows() throws Exception {
        Path directory = directory();
        List<LogRecord> expected = new ArrayList<>(List.of(SUMMARY));
        try (Writing writing = new Writing(directory, FileChannel::open)) {
            writing.roll(SUMMARY);
            for (int group = 0; group < 30; group++) {
                LogRecord[] records = new LogRecord[100];
                for (int i = 0; i < records.length; i++) {
                    records[i] = prepare(100 * group + i);
                    expected.add(records[i]);
                }
                writing.append(records);
            }
        }
        WriteAheadLogScan.Contents contents = scan(only(directory));
        assertThat(contents.mended()).isZero();
        assertThat(contents.records()).isEqualTo(expected);
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void onAFullDiskNothingMoreBecomesDurableAndWhatWasStays(int steps) throws Exception {
        Path directory = directory();
        FailingDisk disk = new FailingDisk();
        try (Writing writing = new Writing(directory, disk)) {
            writing.roll(SUMMARY);
            writing.append(bodies(1), prepare(1));
            disk.bytesOfLast = 11;
            disk.stepsLeft = steps;
            assertThat(writing.roll(SUMMARY, commit(1))).isFalse();
            assertThat(writing.append(prepare(2))).isFalse();
        }
        try (Writing writing = new Writing(directory, FileChannel::open)) {
            assertThat(writing.log.start()).isEqualTo(StartReason.NORMAL);
            assertThat(writing.log.found()).containsExactly(bodies(1), SUMMARY, prepare(1));
        }
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files)
                    .as("a segment that was begun leaves nothing on a full disk")
                    .hasSize(1);
        }
    }

    @Test
    void aGroupThatDoesNotFitOnTheDiskIsNotDurable() throws Exception {
        Path directory = directory();
        FailingDisk disk = new FailingDisk();
        try (Writing writing = new Writing(directory, disk)) {
            writing.roll(SUMMARY);
            disk.bytesOfLast = 40;
            disk.stepsLeft = 0;
            assertThat(writing.append(bodies(1), prepare(1))).isFalse();
            assertThat(writing.failed.join()).hasMessageContaining("No space");
            assertThat(writing.durable).isEqualTo(1);
        }
        assertThat(scan(only(directory)).damage()).isEmpty();
        assertThat(promises(scan(only(directory)).records())).startsWith(SUMMARY);
    }

    private Path damaged() throws Exception {
        Path file = written(directory());
        for (List<Frame> place : frames(file)) {
            rot(file, frameOf(place, 2).at() + 40);
        }
        return file;
    }
}
