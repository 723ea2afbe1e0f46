package io.bulwark.metadata.pages;

import io.bulwark.protocol.wire.Bytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Scanner for everything that looks like a page in a blob file of RocksDB, damaged or not. A record is {@code key
 * length i64, value length i64, expiration i64, two checksums i32}, little-endian, then key and value. The digest
 * decides whether it is a page.
 */
final class BlobScan implements AutoCloseable {
    private static final int HEADER_BYTES = 32;
    private static final int KEY_BYTES = 32;
    private static final int VALUE_BYTES_MAX = 2 << 20;
    private static final int WINDOW_BYTES = 8 << 20;

    /** Size of the pieces that the scan skips where the file cannot be read. */
    private static final int READ_BYTES = 4 << 10;

    private static final int SEVERAL_READS = 64 << 10;

    private final FileChannel channel;
    private final long size;
    private final ByteBuffer window = ByteBuffer.allocate(WINDOW_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private long read;
    private int at = -1;

    BlobScan(Path file) throws IOException {
        channel = FileChannel.open(file, StandardOpenOption.READ);
        size = channel.size();
        window.limit(0);
    }

    /** Goes to the next thing that looks like a page; false at the end. */
    boolean next() throws IOException {
        at++;
        while (true) {
            if (window.limit() - at < HEADER_BYTES + KEY_BYTES + VALUE_BYTES_MAX && read < size) {
                fill();
            }
            if (window.limit() - at < HEADER_BYTES + KEY_BYTES) {
                return false;
            }
            if (window.getLong(at) == KEY_BYTES && isThere(window.getLong(at + 8)) && window.getLong(at + 16) == 0) {
                return true;
            }
            at++;
        }
    }

    private boolean isThere(long length) {
        return length > 0 && length <= VALUE_BYTES_MAX && length <= window.limit() - at - HEADER_BYTES - KEY_BYTES;
    }

    /** Skips the page at the current position; the scan resumes behind it. */
    void skip() {
        at += HEADER_BYTES + KEY_BYTES + (int) window.getLong(at + 8) - 1;
    }

    Bytes key() {
        return bytes(at + HEADER_BYTES, KEY_BYTES);
    }

    Bytes value() {
        return bytes(at + HEADER_BYTES + KEY_BYTES, (int) window.getLong(at + 8));
    }

    private Bytes bytes(int from, int length) {
        byte[] copied = new byte[length];
        window.get(from, copied);
        return Bytes.of(copied);
    }

    private void fill() throws IOException {
        window.position(Math.min(at, window.limit())).compact();
        at = 0;
        while (window.hasRemaining() && read < size) {
            int limit = window.limit();
            int before = window.position();
            window.limit(Math.min(limit, before + SEVERAL_READS));
            int got = readAt(before);
            window.limit(limit);
            window.position(before + got);
            read += got;
        }
        window.flip();
    }

    /** Reads some; what the disk does not give is zeros. */
    private int readAt(int before) throws IOException {
        int wanted = (int) Math.min(window.remaining(), size - read);
        try {
            int got = channel.read(window, read);
            if (got > 0) {
                return got;
            }
        } catch (ClosedChannelException e) {
            throw e;
        } catch (IOException e) {
            wanted = Math.min(wanted, READ_BYTES);
        }
        for (int i = 0; i < wanted; i++) {
            window.put(before + i, (byte) 0);
        }
        return wanted;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
