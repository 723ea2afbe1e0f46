package io.bulwark.metadata.log;

import io.bulwark.protocol.ordering.PeerMessage;
import io.bulwark.protocol.ordering.Position;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import io.bulwark.transport.file.AtomicFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * One file of the applied-command log: magic (8), the position it starts from (8 + 32), CRC-32C of these (4); then
 * records, each its length (4), the CRC-32C of length and bytes (4), the bytes. Big-endian.
 */
final class LogFile {
    private static final long MAGIC = 0x42574B4C4F473031L;
    private static final int HEADER_BYTES = 8 + 8 + PeerMessage.DIGEST_BYTES + 4;
    private static final int FRAME_BYTES = 8;

    /** Distance behind a bad record within which a good one is searched: the bad one may have the maximum length. */
    private static final int SEARCH_BYTES = PeerMessage.RECORD_BYTES_MAX + (1 << 20);

    /** Limit of the bytes that the search checks; an undecided result then counts as damage. */
    private static final long CHECKED_BYTES_MAX = 256L << 20;

    /** Result of a scan. */
    enum Scan {
        WHOLE,
        /** The last record is not complete. */
        TORN,
        /** A record is bad, and a good one follows. */
        DAMAGED
    }

    @FunctionalInterface
    interface Visitor {
        void onRecord(long offset, Bytes batchRecord);
    }

    private final Path path;
    private final FileChannel channel;
    private final Position start;
    private long length;

    private LogFile(Path path, FileChannel channel, Position start) throws IOException {
        this.path = path;
        this.channel = channel;
        this.start = start;
        this.length = channel.size();
    }

    static LogFile create(Path path, Position start) throws IOException {
        AtomicFile.replace(path, header(start));
        return new LogFile(path, openChannel(path), start);
    }

    private static ByteBuffer header(Position start) {
        WireWriter header = new WireWriter(HEADER_BYTES).i64(MAGIC);
        start.write(header);
        Bytes head = header.toBytes();
        return ByteBuffer.allocate(HEADER_BYTES)
                .put(head.array(), head.offset(), head.length())
                .putInt(checksum(ByteBuffer.wrap(head.array(), head.offset(), head.length())))
                .flip();
    }

    /**
     * Opens a file that exists; empty if its header is not right.
     *
     * @throws IOException also if it is of another version, which is no damage: that build has to read it
     */
    static Optional<LogFile> open(Path path) throws IOException {
        FileChannel channel = openChannel(path);
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
        readFully(channel, header, 0);
        int covered = HEADER_BYTES - 4;
        if (header.position() < HEADER_BYTES
                || header.getLong(0) >>> 8 != MAGIC >>> 8
                || header.getInt(covered) != checksum(ByteBuffer.wrap(header.array(), 0, covered))) {
            channel.close();
            return Optional.empty();
        }
        if (header.getLong(0) != MAGIC) {
            channel.close();
            throw new IOException(path + " has the format of another version, " + (char) (header.getLong(0) & 0xFF)
                    + "; this build reads " + (char) (MAGIC & 0xFF));
        }
        try {
            Position start = Position.read(new WireReader(Bytes.of(header.array(), 8, covered - 8)));
            return Optional.of(new LogFile(path, channel, start));
        } catch (MalformedException e) {
            channel.close();
            return Optional.empty();
        }
    }

    Position start() {
        return start;
    }

    /** Returns the offset of the record's bytes. */
    long append(Bytes batchRecord) throws IOException {
        if (batchRecord.length() > PeerMessage.RECORD_BYTES_MAX) {
            throw new IllegalArgumentException("record of " + batchRecord.length() + " bytes");
        }
        ByteBuffer frame = ByteBuffer.allocate(FRAME_BYTES + batchRecord.length())
                .putInt(batchRecord.length())
                .putInt(checksum(batchRecord))
                .put(batchRecord.array(), batchRecord.offset(), batchRecord.length());
        long offset = length;
        writeFully(channel, frame.flip(), offset);
        length += frame.capacity();
        return offset + FRAME_BYTES;
    }

    /** Returns the bytes of the header and the records; after a scan, of those that it found whole. */
    long length() {
        return length;
    }

    Bytes read(long offset, int count) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(count);
        readFully(channel, bytes, offset);
        Bytes batchRecord = Bytes.of(bytes.array());
        ByteBuffer frame = ByteBuffer.allocate(FRAME_BYTES);
        readFully(channel, frame, offset - FRAME_BYTES);
        if (bytes.hasRemaining() || frame.getInt(0) != count || frame.getInt(4) != checksum(batchRecord)) {
            throw new IOException(path + " is damaged at " + offset);
        }
        return batchRecord;
    }

    void force() throws IOException {
        try {
            channel.force(false);
        } catch (ClosedChannelException e) {
            // Deleted by the writing thread meanwhile: nothing in it counts any more.
            return;
        }
    }

    /** Cuts a record, named by the offset that {@link #append} returned, and all that follow. */
    void truncateFrom(long offset) throws IOException {
        truncate(offset - FRAME_BYTES);
    }

    void truncate(long bytes) throws IOException {
        length = bytes;
        channel.truncate(bytes);
    }

    void delete() throws IOException {
        channel.close();
        Files.deleteIfExists(path);
    }

    void close() throws IOException {
        channel.close();
    }

    /** Visits the whole records from the start of the file; what follows them is no longer counted as its length. */
    Scan scan(Visitor visitor) throws IOException {
        long size = channel.size();
        long at = HEADER_BYTES;
        while (at < size) {
            Optional<Bytes> found = recordAt(at, size);
            if (found.isEmpty()) {
                length = at;
                return hasGoodRecordAfter(at, size) ? Scan.DAMAGED : Scan.TORN;
            }
            visitor.onRecord(at + FRAME_BYTES, found.get());
            at += FRAME_BYTES + found.get().length();
        }
        length = at;
        return Scan.WHOLE;
    }

    private boolean hasGoodRecordAfter(long from, long size) throws IOException {
        int span = (int) Math.min(size - from, SEARCH_BYTES);
        ByteBuffer tail = ByteBuffer.allocate(span);
        readFully(channel, tail, from);
        long checked = 0;
        for (int skip = 1; skip + FRAME_BYTES < tail.position(); skip++) {
            int claimed = tail.getInt(skip);
            if (claimed > 0 && claimed <= Math.min(PeerMessage.RECORD_BYTES_MAX, size - from - skip - FRAME_BYTES)) {
                checked += claimed;
                if (checked > CHECKED_BYTES_MAX || recordAt(from + skip, size).isPresent()) {
                    return true;
                }
            }
        }
        return false;
    }

    private Optional<Bytes> recordAt(long at, long size) throws IOException {
        if (size - at < FRAME_BYTES) {
            return Optional.empty();
        }
        ByteBuffer frame = ByteBuffer.allocate(FRAME_BYTES);
        readFully(channel, frame, at);
        int claimed = frame.getInt(0);
        if (claimed < 0 || claimed > PeerMessage.RECORD_BYTES_MAX || claimed > size - at - FRAME_BYTES) {
            return Optional.empty();
        }
        ByteBuffer bytes = ByteBuffer.allocate(claimed);
        readFully(channel, bytes, at + FRAME_BYTES);
        Bytes batchRecord = Bytes.of(bytes.array());
        boolean right = !bytes.hasRemaining() && frame.getInt(4) == checksum(batchRecord);
        return right ? Optional.of(batchRecord) : Optional.empty();
    }

    private static FileChannel openChannel(Path path) throws IOException {
        return FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    private static void readFully(FileChannel channel, ByteBuffer into, long offset) throws IOException {
        while (into.hasRemaining() && channel.read(into, offset + into.position()) >= 0) {
            // Reads on until the buffer is full or the file ends.
        }
    }

    private static void writeFully(FileChannel channel, ByteBuffer bytes, long offset) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes, offset + bytes.position());
        }
    }

    private static int checksum(Bytes batchRecord) {
        CRC32C crc = new CRC32C();
        crc.update(ByteBuffer.allocate(4).putInt(batchRecord.length()).flip());
        crc.update(batchRecord.array(), batchRecord.offset(), batchRecord.length());
        return (int) crc.getValue();
    }

    private static int checksum(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }
}
