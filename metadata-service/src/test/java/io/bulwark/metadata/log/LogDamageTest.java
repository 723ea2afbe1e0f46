package io.bulwark.metadata.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.ordering.Position;
import io.bulwark.protocol.wire.Bytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The applied-command log on a disk that tears, loses, flips, zeroes and repeats. */
@NullMarked
class LogDamageTest {
    private static final int HEADER_BYTES = 52;
    private static final int FRAME_BYTES = 8;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path temporary;

    private int directories;

    @Test
    void aRecordTornAtAnyByteIsCutAndWhatIsBeforeStays() throws IOException {
        List<Bytes> records = List.of(text("first"), text("second"), text("the third and last"));
        byte[] whole = Files.readAllBytes(only(write(records)));
        int lastAt = whole.length - FRAME_BYTES - records.getLast().length();
        for (int length = lastAt; length < whole.length; length++) {
            for (byte[] tail : List.of(new byte[0], new byte[whole.length - length], new byte[4096])) {
                Path directory = write(List.of());
                try (FileChannel channel = FileChannel.open(only(directory), StandardOpenOption.WRITE)) {
                    channel.write(ByteBuffer.wrap(whole, 0, length), 0);
                    channel.write(ByteBuffer.wrap(tail), length);
                }
                assertLog(directory, records.subList(0, 2), false);
            }
        }
    }

    @Test
    void afterACutTheLogGoesOn() throws IOException {
        Path directory = write(List.of(text("one"), text("two")));
        Path file = only(directory);
        truncate(file, Files.size(file) - 1);
        try (AppliedLog log = open(directory)) {
            log.append(text("three"));
            log.flush();
        }
        assertLog(directory, List.of(text("one"), text("three")), false);
    }

    @Test
    void anUnsyncedTailThatIsLostTakesOnlyItselfAlong() throws IOException {
        List<Bytes> records = List.of(text("one"), text("two"), text("three"));
        Path directory = write(records);
        truncate(only(directory), HEADER_BYTES + 2L * (FRAME_BYTES + 3));
        assertLog(directory, records.subList(0, 2), false);
    }

    @Test
    void aBitFlippedAnywhereInTheMiddleIsDamageAndNothingBehindIsUsed() throws IOException {
        List<Bytes> records = List.of(text("one"), text("two"), text("three"));
        for (int at = HEADER_BYTES + FRAME_BYTES + 3; at < HEADER_BYTES + 2 * (FRAME_BYTES + 3); at++) {
            for (int bit = 0; bit < 8; bit += 7) {
                Path directory = write(records);
                flip(only(directory), at, bit);
                assertLog(directory, records.subList(0, 1), true);
            }
        }
    }

    @Test
    void damageInALargeRecordIsSeenToo() throws IOException {
        List<Bytes> records = List.of(text("one"), Bytes.of(new byte[3 << 20]), text("three"));
        int large = HEADER_BYTES + FRAME_BYTES + 3;
        for (int at : new int[] {large, large + 3, large + 4, large + FRAME_BYTES, large + (2 << 20)}) {
            Path directory = write(records);
            flip(only(directory), at, 5);
            assertLog(directory, records.subList(0, 1), true);
        }
    }

    @Test
    void aZeroedPageIsDamage() throws IOException {
        List<Bytes> records = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            records.add(text("record number " + i + " ".repeat(300)));
        }
        Path directory = write(records);
        try (FileChannel channel = FileChannel.open(only(directory), StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.allocate(4096), 4096);
        }
        int kept = (4096 - HEADER_BYTES) / (FRAME_BYTES + records.getFirst().length());
        assertLog(directory, records.subList(0, kept), true);
    }

    @Test
    void theEndOfAFileThatHasASuccessorWasSyncedSoItIsNoTornTail() throws IOException {
        List<Bytes> first = List.of(text("one"), text("two"));
        for (int shorter : new int[] {0, 1, FRAME_BYTES + 3}) {
            Path directory = write(first, List.of(text("three")));
            Path file = files(directory).getFirst();
            if (shorter == 0) {
                flip(file, Files.size(file) - 1, 0);
            } else {
                truncate(file, Files.size(file) - shorter);
            }
            assertLog(directory, first.subList(0, 1), true);
        }
    }

    @Test
    void aFileWithoutARightHeaderIsDamage() throws IOException {
        for (int at = 0; at < HEADER_BYTES; at++) {
            Path directory = write(List.of(text("one")), List.of(text("two")));
            flip(files(directory).getLast(), at, 1);
            assertLog(directory, List.of(text("one")), true);
            Path other = write(List.of(text("one")), List.of(text("two")));
            flip(files(other).getFirst(), at, 1);
            assertLog(other, List.of(), true);
        }
    }

    @Test
    void aFileCutToNothingIsDamage() throws IOException {
        Path directory = write(List.of(text("one")), List.of(text("two")));
        truncate(files(directory).getLast(), 0);
        assertLog(directory, List.of(text("one")), true);
        Path single = write(List.of(text("one")));
        truncate(only(single), 0);
        assertLog(single, List.of(), true);
    }

    @Test
    void aFileThatIsThereTwiceOrMissingIsDamage() throws IOException {
        Path twice = write(List.of(text("one")), List.of(text("two")));
        Files.copy(files(twice).getFirst(), twice.resolve(String.format("log-%020d", 2)));
        assertLog(twice, List.of(text("one"), text("two")), true);
        Path missing = write(List.of(text("one")), List.of(text("two")), List.of(text("three")));
        Files.delete(files(missing).get(1));
        assertLog(missing, List.of(text("one")), true);
    }

    @Test
    void aFileThatACrashLeftHalfMadeIsNoDamage() throws IOException {
        Path directory = write(List.of(text("one")));
        Path file = only(directory);
        Files.write(directory.resolve(String.format("log-%020d.tmp", 1)), new byte[10]);
        assertLog(directory, List.of(text("one")), false);
        Path other = write(List.of(text("one")), List.of());
        Files.copy(files(other).getLast(), other.resolve(file.getFileName() + ".tmp"));
        assertLog(other, List.of(text("one")), false);
        assertThat(files(other)).noneMatch(left -> left.toString().endsWith(".tmp"));
    }

    @Test
    void whatRotsWhileTheLogIsOpenIsNotHandedOut() throws IOException {
        Path directory = write(List.of(text("one"), text("two")));
        try (AppliedLog log = open(directory)) {
            flip(only(directory), HEADER_BYTES + FRAME_BYTES, 0);
            assertThatThrownBy(() -> log.read(0))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("is damaged");
        }
    }

    /** Asserts twice in a row that the log holds these records and reports whether it was damaged. */
    private static void assertLog(Path directory, List<Bytes> records, boolean damaged) throws IOException {
        Position end = Position.GENESIS;
        for (Bytes each : records) {
            end = end.after(each);
        }
        try (AppliedLog log = open(directory)) {
            assertThat(log.damaged()).isEqualTo(damaged);
            assertThat(log.end()).isEqualTo(end);
            assertThat(log.read(0)).isEqualTo(records);
        }
        try (AppliedLog again = open(directory)) {
            assertThat(again.damaged()).isFalse();
            assertThat(again.end()).isEqualTo(end);
        }
    }

    @SafeVarargs
    private Path write(List<Bytes>... files) throws IOException {
        Path directory = Files.createDirectory(temporary.resolve("log-" + directories++));
        try (AppliedLog log = open(directory)) {
            for (int i = 0; i < files.length; i++) {
                for (Bytes each : files[i]) {
                    log.append(each);
                }
                if (i + 1 < files.length) {
                    log.roll();
                }
            }
            log.flush();
        }
        return directory;
    }

    private static AppliedLog open(Path directory) throws IOException {
        return AppliedLog.open(directory, () -> {});
    }

    private static List<Path> files(Path directory) throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.sorted().toList();
        }
    }

    private static Path only(Path directory) throws IOException {
        assertThat(files(directory)).hasSize(1);
        return files(directory).getFirst();
    }

    private static void truncate(Path file, long bytes) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(bytes);
        }
    }

    private static void flip(Path file, long at, int bit) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            channel.read(one, at);
            one.put(0, (byte) (one.get(0) ^ 1 << bit)).rewind();
            channel.write(one, at);
        }
    }

    private static Bytes text(String text) {
        return Bytes.of(text.getBytes(StandardCharsets.UTF_8));
    }
}
