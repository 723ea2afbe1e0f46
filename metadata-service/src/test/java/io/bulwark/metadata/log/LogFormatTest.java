package io.bulwark.metadata.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.ordering.Position;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Logs that another build has left: no damage, which would be cut off, but a reason not to start. */
@NullMarked
class LogFormatTest {
    private static final int LOG_HEADER_BYTES = 52;
    private static final int PROMISES_HEADER_BYTES = 44;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    @Test
    void aLogOfAnotherVersionIsRefused() throws IOException {
        Path file = directory.resolve("log");
        LogFile.create(file, Position.GENESIS).close();
        byte[] whole = Files.readAllBytes(file);
        Files.write(file, relabelled(whole, LOG_HEADER_BYTES));
        assertThatThrownBy(() -> LogFile.open(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("format of another version");
        // A version that rot has made is damage.
        whole[7]++;
        Files.write(file, whole);
        assertThat(LogFile.open(file)).isEmpty();
    }

    @Test
    void promisesOfAnotherVersionAreRefused() throws IOException {
        byte[] header = new byte[WriteAheadLogSegment.PAGE_BYTES];
        ByteBuffer.wrap(header).putLong(0, 0x42574B5052303032L).putLong(16, 1);
        ByteBuffer later = ByteBuffer.wrap(checked(header, PROMISES_HEADER_BYTES));
        assertThatThrownBy(() -> WriteAheadLogSegment.SegmentHeader.read(later, 1 << 20))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("format of another version");
        ByteBuffer rotten = ByteBuffer.wrap(header.clone()).put(20, (byte) 1);
        assertThat(WriteAheadLogSegment.SegmentHeader.read(rotten, 1 << 20)).isEmpty();
    }

    /** The same of the next version, as that would write it. */
    private static byte[] relabelled(byte[] file, int headerBytes) {
        byte[] next = file.clone();
        next[7]++;
        return checked(next, headerBytes);
    }

    private static byte[] checked(byte[] file, int headerBytes) {
        CRC32C crc = new CRC32C();
        crc.update(file, 0, headerBytes - 4);
        ByteBuffer.wrap(file).putInt(headerBytes - 4, (int) crc.getValue());
        return file;
    }
}
