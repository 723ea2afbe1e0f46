package io.bulwark.metadata.log;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.bulwark.metadata.ordering.OrderedBatch;
import io.bulwark.metadata.ordering.Submission;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.PeerMessage;
import io.bulwark.protocol.ordering.Position;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.CodecFuzzing;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Fuzz test of the files in a replica's directory. A replica uses them as written, or truncated, or not at all; it
 * always starts.
 */
@NullMarked
class LogFuzzTest {
    private static final int HEADER_BYTES = 8 + 8 + PeerMessage.DIGEST_BYTES;
    private static final OrderedBatch BATCH = new OrderedBatch(
            17,
            List.of(
                    new Submission(PrincipalId.client(1), 5, false, Bytes.of((byte) 1, (byte) 2)),
                    new Submission(PrincipalId.node(2), 6, true, Bytes.EMPTY)));
    private static final Path DIRECTORY = directory();

    private static Path directory() {
        try {
            Path directory = Files.createTempDirectory("log-fuzz");
            directory.toFile().deleteOnExit();
            return directory;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Stream<byte[]> batches() {
        return Stream.of(new OrderedBatch(0, List.of()), BATCH)
                .map(batch -> batch.encoded().toByteArray());
    }

    @MethodSource("batches")
    @FuzzTest
    void batchRecords(byte[] bytes) {
        CodecFuzzing.malformedOrCanonical(
                bytes, encoded -> OrderedBatch.decode(encoded).encoded());
    }

    static Stream<byte[]> files() throws IOException {
        Path path = DIRECTORY.resolve("written");
        LogFile file = LogFile.create(path, Position.GENESIS);
        file.append(BATCH.encoded());
        file.append(Bytes.EMPTY);
        file.append(BATCH.encoded());
        file.close();
        byte[] whole = Files.readAllBytes(path);
        Files.delete(path);
        byte[] torn = Arrays.copyOf(whole, whole.length - 3);
        byte[] damaged = whole.clone();
        damaged[HEADER_BYTES + 4 + 12] ^= 1;
        byte[] elsewhere = whole.clone();
        elsewhere[15] = 9;
        byte[] nowhere = whole.clone();
        nowhere[8] = -1;
        return Stream.of(whole, torn, damaged, elsewhere, nowhere);
    }

    /** Corrects the header's checksum, so that the content behind it is reached. */
    @MethodSource("files")
    @FuzzTest
    void logFiles(byte[] bytes) throws IOException {
        byte[] content = bytes.clone();
        if (content.length >= HEADER_BYTES + 4) {
            CRC32C crc = new CRC32C();
            crc.update(content, 0, HEADER_BYTES);
            ByteBuffer.wrap(content).putInt(HEADER_BYTES, (int) crc.getValue());
        }
        Path path = DIRECTORY.resolve("log");
        Files.write(path, content);
        Optional<LogFile> opened = LogFile.open(path);
        if (opened.isEmpty()) {
            return;
        }
        LogFile file = opened.get();
        List<Bytes> found = new ArrayList<>();
        LogFile.Scan scan = file.scan((_, batchRecord) -> found.add(batchRecord));
        assertThat(scan == LogFile.Scan.WHOLE).isEqualTo(file.length() == content.length);
        file.truncate(file.length());
        file.close();
        Path again = DIRECTORY.resolve("again");
        LogFile copy = LogFile.create(again, file.start());
        for (Bytes batchRecord : found) {
            copy.append(batchRecord);
        }
        copy.close();
        assertThat(Files.readAllBytes(again)).isEqualTo(Files.readAllBytes(path));
    }

    static Stream<byte[]> snapshots() throws IOException {
        Position place = new Position(8192, SnapshotStore.sha256(Bytes.EMPTY));
        byte[] written = snapshotFile(place, Bytes.of(new byte[100]));
        byte[] nowhere = written.clone();
        nowhere[14] = 0;
        return Stream.of(written, nowhere, snapshotFile(Position.GENESIS, Bytes.EMPTY));
    }

    private static byte[] snapshotFile(Position place, Bytes state) throws IOException {
        Path directory = Files.createTempDirectory(DIRECTORY, "snapshot");
        SnapshotStore.open(directory).write(place, state);
        try (Stream<Path> files = Files.list(directory)) {
            return Files.readAllBytes(files.findFirst().orElseThrow());
        }
    }

    @MethodSource("snapshots")
    @FuzzTest
    void snapshotFiles(byte[] bytes) throws IOException {
        Path directory = Files.createDirectories(DIRECTORY.resolve("snapshots"));
        Path path = directory.resolve("snapshot-00000000000000008192");
        Files.write(path, bytes);
        SnapshotStore store = SnapshotStore.open(directory);
        if (store.held().isEmpty()) {
            assertThat(store.damaged()).isEqualTo(1);
            return;
        }
        PeerMessage.Snapshot held = store.held().getFirst();
        Path again = Files.createTempDirectory(DIRECTORY, "again");
        SnapshotStore copy = SnapshotStore.open(again);
        copy.write(held.position(), Bytes.of(bytes, bytes.length - (int) held.length(), (int) held.length()));
        Path copied =
                again.resolve(String.format("snapshot-%020d", held.position().sequence()));
        assertThat(Files.readAllBytes(copied)).isEqualTo(bytes);
        Files.delete(copied);
        Files.delete(again);
    }
}
