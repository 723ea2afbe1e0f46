package io.bulwark.metadata.log;

import io.bulwark.protocol.wire.Bytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.zip.CRC32C;

/**
 * A record in a file: mark (8), length (4), ordinal (8), synced (8), CRC-32C of these and of the bytes (4), the bytes.
 * Big-endian. The mark is random and secret in each file, so that the content of a client's command cannot pass for a
 * frame. A frame records how many numbered frames were synced before it was written. So one that is missing was never
 * synced, or a later frame records that it was.
 */
final class DiskFrame {
    static final int HEAD_BYTES = 32;

    /** Offset of the checksum. */
    static final int COVERED_BYTES = HEAD_BYTES - 4;

    private DiskFrame() {}

    static ByteBuffer of(long mark, long ordinal, long synced, Bytes bytes) {
        ByteBuffer frame = ByteBuffer.allocate(HEAD_BYTES + bytes.length())
                .putLong(mark)
                .putInt(bytes.length())
                .putLong(ordinal)
                .putLong(synced)
                .putInt(0)
                .put(bytes.array(), bytes.offset(), bytes.length());
        return frame.putInt(COVERED_BYTES, checksum(frame.array())).rewind();
    }

    /** Returns the checksum of a whole frame. */
    static int checksum(byte[] frame) {
        CRC32C crc = new CRC32C();
        crc.update(frame, 0, COVERED_BYTES);
        crc.update(frame, HEAD_BYTES, frame.length - HEAD_BYTES);
        return (int) crc.getValue();
    }

    static void writeFully(FileChannel channel, ByteBuffer bytes, long offset) throws IOException {
        long at = offset - bytes.position();
        while (bytes.hasRemaining()) {
            channel.write(bytes, at + bytes.position());
        }
    }

    /** Writes zeros, so that later writes and syncs do not change the length of the file. */
    static void writeZeros(FileChannel channel, long from, long to) throws IOException {
        ByteBuffer zeros = ByteBuffer.allocate((int) Math.min(256 << 10, to - from));
        for (long at = from; at < to; at += zeros.capacity()) {
            writeFully(channel, zeros.clear().limit((int) Math.min(zeros.capacity(), to - at)), at);
        }
    }
}
