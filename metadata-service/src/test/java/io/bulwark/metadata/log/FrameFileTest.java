package io.bulwark.metadata.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of frames that are torn or rot. */
@NullMarked
class FrameFileTest {
    private static final long MAGIC = 0x1122334455667788L;
    private static final int BYTES_MAX = 1 << 20;
    private static final int FIRST = 4096;

    @TempDir
    private Path directory = Path.of("");

    private Path path = Path.of("");

    @BeforeEach
    void setPath() {
        path = directory.resolve("frames");
    }

    private static Bytes record(long number) {
        return new WireWriter().i64(number).string("record " + number).toBytes();
    }

    private static List<Bytes> records(int from, int to) {
        List<Bytes> records = new ArrayList<>();
        for (int number = from; number < to; number++) {
            records.add(record(number));
        }
        return records;
    }

    private FrameFile.Contents read() throws IOException {
        return FrameFile.read(path, MAGIC, BYTES_MAX);
    }

    /** Two records at first, then groups up to 4 and 7, each synced. */
    private void write(boolean sealed) throws IOException {
        try (FrameFile file = FrameFile.create(path, MAGIC, 42, records(0, 2))) {
            for (int end : new int[] {4, 7}) {
                file.append(records(end == 4 ? 2 : 4, end));
                file.force();
            }
            if (sealed) {
                file.seal();
            }
        }
    }

    private long lengthOf(int record) {
        return (long) DiskFrame.HEAD_BYTES + record(record).length();
    }

    /** Offset of a record's frame. */
    private long at(int record) {
        long at = FIRST;
        for (int before = 0; before < record; before++) {
            at += lengthOf(before);
        }
        return at;
    }

    private void rot(long at) throws IOException {
        byte[] bytes = Files.readAllBytes(path);
        bytes[(int) at] ^= 1;
        Files.write(path, bytes);
    }

    @Test
    void aFileHasItsNumberAndItsRecordsInOrder() throws Exception {
        write(false);
        assertThat(read()).isEqualTo(new FrameFile.Contents(42, records(0, 7), ""));
    }

    @Test
    void manyAndLongRecordsComeBack() throws Exception {
        List<Bytes> records = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            byte[] bytes = new byte[700_000];
            Arrays.fill(bytes, (byte) i);
            records.add(Bytes.of(bytes));
        }
        try (FrameFile file = FrameFile.create(path, MAGIC, 0, records.subList(0, 10))) {
            file.append(records.subList(10, 20));
            file.force();
        }
        assertThat(read().records()).isEqualTo(records);
    }

    @Test
    void aTornTailIsCut() throws Exception {
        write(false);
        byte[] whole = Files.readAllBytes(path);
        for (long at = at(6); at < at(7); at++) {
            byte[] torn = whole.clone();
            Arrays.fill(torn, (int) at, torn.length, (byte) 0);
            Files.write(path, torn);
            assertThat(read()).as("from %d", at).isEqualTo(new FrameFile.Contents(42, records(0, 6), ""));
        }
    }

    @Test
    void anythingMissingInTheLastGroupIsATornTail() throws Exception {
        write(false);
        byte[] whole = Files.readAllBytes(path);
        for (int missing = 1; missing < 8; missing++) {
            byte[] torn = whole.clone();
            for (int i = 0; i < 3; i++) {
                if ((missing >> i & 1) != 0) {
                    Arrays.fill(torn, (int) at(4 + i), (int) at(5 + i), (byte) 0);
                }
            }
            Files.write(path, torn);
            int good = 4 + Integer.numberOfTrailingZeros(missing);
            assertThat(read()).as("%d", missing).isEqualTo(new FrameFile.Contents(42, records(0, good), ""));
        }
    }

    @PlantedBug(
            in = FrameFile.class,
            rule = "a synced record that is lost is damage, not a torn tail",
            replace = "next < synced[0] ?",
            with = "false ?")
    @Test
    void aSyncedRecordThatRotsIsDamage() throws Exception {
        write(false);
        for (int record = 0; record < 4; record++) {
            for (long at = at(record); at < at(record + 1); at++) {
                rot(at);
                assertThat(read().damage()).as("%d of record %d", at, record).isNotEmpty();
                rot(at);
            }
        }
    }

    @PlantedBug(
            in = FrameFile.class,
            rule = "what a file began with is synced",
            replace = "long[] synced = {header.getLong(24)};",
            with = "long[] synced = {0};")
    @Test
    void recordsThatAFileBeganWithAreSynced() throws Exception {
        FrameFile.create(path, MAGIC, 42, records(0, 2)).close();
        rot(at(1) + 20);
        assertThat(read().damage()).isNotEmpty();
    }

    @PlantedBug(
            in = FrameFile.class,
            rule = "a seal tells that all before it was synced",
            replace = "append(List.of(Bytes.EMPTY));",
            with = "append(List.of());")
    @Test
    void theLastRecordOfASealedFileThatRotsIsDamage() throws Exception {
        write(true);
        assertThat(read()).isEqualTo(new FrameFile.Contents(42, records(0, 7), ""));
        rot(at(6) + 20);
        assertThat(read().damage()).isNotEmpty();
    }

    @Test
    void aSealThatRotsTakesNothing() throws Exception {
        write(true);
        rot(at(7) + 3);
        assertThat(read()).isEqualTo(new FrameFile.Contents(42, records(0, 7), ""));
    }

    @Test
    void aHeaderThatRotsIsDamage() throws Exception {
        write(true);
        for (long at = 0; at < 36; at++) {
            rot(at);
            assertThat(read().damage()).as("%d", at).isNotEmpty();
            rot(at);
        }
    }

    @Test
    void anotherFormatIsNotRead() throws Exception {
        write(false);
        assertThatThrownBy(() -> FrameFile.read(path, MAGIC + 1, BYTES_MAX))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("another version");
    }

    @Test
    void unreadablePagesAreDamage() throws Exception {
        write(true);
        FailingDisk disk = new FailingDisk();
        disk.unreadable.add(1L);
        assertThat(FrameFile.read(disk, path, MAGIC, BYTES_MAX).records()).isEmpty();
        disk.unreadable.add(0L);
        assertThat(FrameFile.read(disk, path, MAGIC, BYTES_MAX).damage()).isNotEmpty();
    }

    @Test
    void aFileThatCannotBeWrittenIsNotThere() {
        for (int steps = 0; steps < 4; steps++) {
            FailingDisk disk = new FailingDisk();
            disk.stepsLeft = steps;
            assertThatThrownBy(() -> FrameFile.create(disk, path, MAGIC, 42, records(0, 2)))
                    .as("%d", steps)
                    .isInstanceOf(IOException.class);
            assertThat(directory).isEmptyDirectory();
        }
    }

    @Test
    void bytesOfAClientPassForNoFrame() throws Exception {
        try (FrameFile file = FrameFile.create(path, MAGIC, 42, records(0, 2))) {
            byte[] forged = DiskFrame.of(7, 3, 3, record(9)).array();
            file.append(List.of(Bytes.of(forged)));
            file.force();
        }
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
            // Its own frame loses its head; what is in it remains.
            DiskFrame.writeZeros(channel, at(2), at(2) + DiskFrame.HEAD_BYTES);
        }
        assertThat(read()).isEqualTo(new FrameFile.Contents(42, records(0, 2), ""));
    }
}
