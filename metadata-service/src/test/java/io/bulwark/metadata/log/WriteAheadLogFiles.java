package io.bulwark.metadata.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.driver.LogRecord;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;

/** Files of the log of promises, and where what lies in them. */
@NullMarked
final class WriteAheadLogFiles {
    static final LogRecord.Stable SUMMARY = new LogRecord.Stable(128, Hashes.sha256(Bytes.EMPTY));

    static final List<LogRecord> PROMISES =
            List.of(SUMMARY, commit(0), prepare(1), commit(1), prepare(2), prepare(3), commit(2));

    /** Position of a record in a file. */
    record Frame(long at, int length, long ordinal) {}

    private WriteAheadLogFiles() {}

    static LogRecord.Bodies bodies(int number) {
        Request request = new Request(
                PrincipalId.client(1),
                number,
                false,
                new WireWriter().i64(number).i64(-1).toBytes());
        return new LogRecord.Bodies(new Batch(number, List.of(request.id())), List.of(request));
    }

    static LogRecord.Prepare prepare(int number) {
        return new LogRecord.Prepare(0, 128 + number, bodies(number).batch().digest());
    }

    static LogRecord.Commit commit(int number) {
        return new LogRecord.Commit(0, 128 + number, bodies(number).batch().digest());
    }

    /** A summary, then a group with a body, one of one promise, and one with two bodies and three promises. */
    static Path written(Path directory) throws IOException {
        Path file = Files.createDirectories(directory).resolve(String.format("promises-%020d.log", 0));
        WriteAheadLogSegment segment = WriteAheadLogSegment.create(
                FileChannel::open, file, 0, new SecureRandom().nextLong() | 1, List.of(SUMMARY, commit(0)), 4096, 4096);
        List<List<LogRecord>> groups = List.of(
                List.of(bodies(1), prepare(1)),
                List.of(commit(1)),
                List.of(bodies(2), prepare(2), bodies(3), prepare(3), commit(2)));
        for (List<LogRecord> group : groups) {
            assertThat(segment.append(group)).isTrue();
            segment.force();
        }
        segment.close();
        return file;
    }

    static Path directoryOf(Path file) {
        return Objects.requireNonNull(file.getParent());
    }

    static Path only(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(".log"))
                    .sorted()
                    .toList()
                    .getLast();
        }
    }

    static WriteAheadLogScan.Contents scan(Path file) throws IOException {
        return WriteAheadLogScan.read(FileChannel::open, file);
    }

    static List<LogRecord> promises(List<LogRecord> records) {
        return records.stream()
                .filter(record -> !(record instanceof LogRecord.Bodies))
                .toList();
    }

    /** The frames of the second place, then those of the first. */
    static List<List<Frame>> frames(Path file) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
        int firstPlace = (int) (2 * WriteAheadLogSegment.PAGE_BYTES + bytes.getLong(24));
        List<List<Frame>> places = new ArrayList<>();
        for (int at : new int[] {2 * WriteAheadLogSegment.PAGE_BYTES, firstPlace}) {
            List<Frame> frames = new ArrayList<>();
            int next = at;
            while (bytes.getLong(next) == bytes.getLong(16)) {
                frames.add(new Frame(next, DiskFrame.HEAD_BYTES + bytes.getInt(next + 8), bytes.getLong(next + 12)));
                next += frames.getLast().length();
            }
            places.add(frames);
        }
        return places;
    }

    static void overwrite(Path file, long at, byte[] bytes) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(bytes), at);
        }
    }

    static void rot(Path file, long at) throws IOException {
        overwrite(file, at, new byte[] {(byte) ~Files.readAllBytes(file)[(int) at]});
    }

    static Frame frameOf(List<Frame> place, long ordinal) {
        return place.stream()
                .filter(frame -> frame.ordinal() == ordinal)
                .findFirst()
                .orElseThrow();
    }
}
