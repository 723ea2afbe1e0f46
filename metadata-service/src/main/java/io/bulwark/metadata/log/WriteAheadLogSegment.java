package io.bulwark.metadata.log;

import io.bulwark.protocol.ordering.PeerMessage;
import io.bulwark.protocol.ordering.driver.LogRecord;
import io.bulwark.protocol.ordering.driver.LogRecordCodec;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import io.bulwark.transport.file.AtomicFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * One file of the log of promises. A promise stands in it twice, in two places far apart that are written before one
 * sync. Bodies stand in it once, since the other replicas have them.
 *
 * <pre>
 * pages 0 and 1   the header, twice: magic (8), number (8), mark (8), bytes of the second place (8), number of promises in the
 *                 summary (8), CRC-32C of these (4)
 * second place    {@linkplain DiskFrame frames} of promises, then zeros
 * first place     frames of promises and bodies, then zeros, to the end of the file
 * </pre>
 *
 * Big-endian, pages of 4,096 bytes. Promises are numbered from 0; a body has the ordinal -1.
 */
final class WriteAheadLogSegment {
    static final int PAGE_BYTES = 4096;
    private static final long MAGIC = 0x42574B5052303031L; // BWKPR001
    private static final int HEADER_BYTES = 44;
    private static final int BODY = -1;

    /** The second place has room for as much as the summary again, and for this. */
    private static final int ROOM_BYTES = 64 << 10;

    /** One write takes no more at once, but for a single record. */
    private static final int WRITE_BYTES_MAX = 4 << 20;

    /** Opens files: of a disk that fails, in tests. */
    @FunctionalInterface
    interface Disk {
        FileChannel open(Path path, OpenOption... options) throws IOException;
    }

    private final Path path;
    private final FileChannel channel;
    private final long mark;
    private final long firstPlace;
    private final int aheadBytes;
    private long copiesEnd;
    private long end;
    private long allocated;
    private long promises;
    private long synced;

    private WriteAheadLogSegment(Path path, FileChannel channel, long mark, long firstPlace, int aheadBytes) {
        this.path = path;
        this.channel = channel;
        this.mark = mark;
        this.firstPlace = firstPlace;
        this.aheadBytes = aheadBytes;
        copiesEnd = 2 * PAGE_BYTES;
        end = firstPlace;
        allocated = firstPlace;
    }

    /**
     * Creates a file that begins with these records. It appears under its name, durably, with all of them or not at
     * all.
     *
     * @param mark random
     * @param expectedBytes space prepared for appending, so that a sync does not change the file's length
     * @param aheadBytes further space prepared whenever that is used up
     */
    static WriteAheadLogSegment create(
            Disk disk, Path path, long number, long mark, List<LogRecord> summary, int expectedBytes, int aheadBytes)
            throws IOException {
        Path beside = path.resolveSibling(path.getFileName() + ".new");
        Files.deleteIfExists(beside);
        FileChannel channel =
                disk.open(beside, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            List<Bytes> encoded = encoded(summary);
            long copies = copiesBytes(summary, encoded);
            long secondBytes = (copies + Math.max(copies, ROOM_BYTES) + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
            WriteAheadLogSegment segment =
                    new WriteAheadLogSegment(path, channel, mark, 2 * PAGE_BYTES + secondBytes, aheadBytes);
            segment.write(summary, encoded);
            ByteBuffer header = header(number, mark, secondBytes, segment.promises);
            DiskFrame.writeFully(channel, header.duplicate(), 0);
            DiskFrame.writeFully(channel, header, PAGE_BYTES);
            DiskFrame.writeZeros(channel, segment.copiesEnd, segment.firstPlace);
            segment.allocate(expectedBytes);
            segment.force();
            AtomicFile.move(beside, path);
            return segment;
        } catch (IOException e) {
            channel.close();
            Files.deleteIfExists(beside); // Gives back its room on a disk that is full.
            throw e;
        }
    }

    /** Returns the length of its records' first copies, in bytes. */
    long length() {
        return end - firstPlace;
    }

    Path path() {
        return path;
    }

    /**
     * Writes records in both places, or none if the second place has no room for them.
     *
     * @return whether there was room
     */
    boolean append(List<LogRecord> records) throws IOException {
        List<Bytes> encoded = encoded(records);
        if (copiesEnd + copiesBytes(records, encoded) > firstPlace) {
            return false;
        }
        write(records, encoded);
        if (end >= allocated) {
            allocated = end;
            allocate(aheadBytes);
        }
        return true;
    }

    private void write(List<LogRecord> records, List<Bytes> encoded) throws IOException {
        List<ByteBuffer> all = new ArrayList<>();
        List<ByteBuffer> copies = new ArrayList<>();
        for (int i = 0; i < encoded.size(); i++) {
            if (isPromise(records.get(i))) {
                ByteBuffer frame = DiskFrame.of(mark, promises++, synced, encoded.get(i));
                all.add(frame);
                copies.add(frame);
            } else {
                all.add(DiskFrame.of(mark, BODY, synced, encoded.get(i)));
            }
        }
        end = write(all, end);
        copiesEnd = write(copies, copiesEnd);
    }

    private long write(List<ByteBuffer> frames, long from) throws IOException {
        long at = from;
        int next = 0;
        while (next < frames.size()) {
            int first = next;
            int bytes = 0;
            do {
                bytes += frames.get(next++).remaining();
            } while (next < frames.size() && bytes + frames.get(next).remaining() <= WRITE_BYTES_MAX);
            ByteBuffer together = ByteBuffer.allocate(bytes);
            frames.subList(first, next).forEach(frame -> together.put(frame.duplicate()));
            DiskFrame.writeFully(channel, together.flip(), at);
            at += bytes;
        }
        return at;
    }

    private void allocate(int bytes) throws IOException {
        if (allocated < end + bytes) {
            DiskFrame.writeZeros(channel, Math.max(allocated, end), end + bytes);
            allocated = end + bytes;
        }
    }

    /** One sync for both places. */
    void force() throws IOException {
        channel.force(false);
        synced = promises;
    }

    void close() throws IOException {
        channel.close();
    }

    private static boolean isPromise(LogRecord record) {
        return !(record instanceof LogRecord.Bodies);
    }

    private static List<Bytes> encoded(List<LogRecord> records) {
        List<Bytes> encoded = new ArrayList<>(records.size());
        for (LogRecord record : records) {
            WireWriter out = new WireWriter(256);
            LogRecordCodec.write(record, out);
            Bytes bytes = out.toBytes();
            if (bytes.length() > PeerMessage.RECORD_BYTES_MAX) {
                throw new IllegalArgumentException("a record of " + bytes.length() + " bytes");
            }
            encoded.add(bytes);
        }
        return encoded;
    }

    private static long copiesBytes(List<LogRecord> records, List<Bytes> encoded) {
        long bytes = 0;
        for (int i = 0; i < encoded.size(); i++) {
            bytes += isPromise(records.get(i))
                    ? DiskFrame.HEAD_BYTES + encoded.get(i).length()
                    : 0;
        }
        return bytes;
    }

    private static ByteBuffer header(long number, long mark, long secondBytes, long summaryPromises) {
        ByteBuffer header = ByteBuffer.allocate(PAGE_BYTES)
                .putLong(MAGIC)
                .putLong(number)
                .putLong(mark)
                .putLong(secondBytes)
                .putLong(summaryPromises);
        CRC32C crc = new CRC32C();
        crc.update(header.array(), 0, HEADER_BYTES - 4);
        return header.putInt((int) crc.getValue()).rewind();
    }

    /** Content of a header. */
    record SegmentHeader(long mark, long secondBytes, long summaryPromises) {
        /** Empty if these bytes are no header of a file that is so long. */
        static Optional<SegmentHeader> read(ByteBuffer page, long fileBytes) throws IOException {
            CRC32C crc = new CRC32C();
            crc.update(page.slice(0, HEADER_BYTES - 4));
            long magic = page.getLong(0);
            if (magic >>> 8 != MAGIC >>> 8 || page.getInt(HEADER_BYTES - 4) != (int) crc.getValue()) {
                return Optional.empty();
            }
            if (magic != MAGIC) {
                throw new IOException("a log of promises has the format of another version, " + Long.toHexString(magic)
                        + "; this build reads " + Long.toHexString(MAGIC));
            }
            SegmentHeader head = new SegmentHeader(page.getLong(16), page.getLong(24), page.getLong(32));
            boolean isRight = head.mark != 0 && head.secondBytes >= 0 && head.secondBytes <= fileBytes;
            return isRight ? Optional.of(head) : Optional.empty();
        }

        long firstPlace() {
            return 2 * PAGE_BYTES + secondBytes;
        }
    }
}
