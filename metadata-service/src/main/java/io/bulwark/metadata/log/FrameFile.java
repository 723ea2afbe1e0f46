package io.bulwark.metadata.log;

import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.file.AtomicFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * A file of records that is only appended to: a page with magic (8), mark (8), a number for its owner (8), how many
 * records it began with (8) and CRC-32C of these (4); then {@linkplain DiskFrame frames}, numbered from 0, and zeros.
 * Each record stands in it once. An empty frame after a sync makes the loss of any record before it visible.
 */
public final class FrameFile implements AutoCloseable {
    private static final int PAGE_BYTES = 4096;
    private static final int HEADER_BYTES = 36;

    /** Number of zero bytes that are prepared whenever those before are used up. */
    private static final int AHEAD_BYTES = 1 << 20;

    private static final int WRITE_BYTES_MAX = 4 << 20;

    /**
     * Content of a file.
     *
     * @param number the owner's number; 0 if the file is damaged
     * @param records in order up to the first that is missing
     * @param damage readable description of synced records that are missing; empty if none are
     */
    public record Contents(long number, List<Bytes> records, String damage) {
        public Contents {
            records = List.copyOf(records);
        }
    }

    private final FileChannel channel;
    private final long mark;
    private long end = PAGE_BYTES;
    private long allocated = PAGE_BYTES;
    private long frames;
    private long synced;

    private FrameFile(FileChannel channel, long mark) {
        this.channel = channel;
        this.mark = mark;
    }

    /** Creates a file with these records. It appears under its name, durably, with all of them or not at all. */
    public static FrameFile create(Path path, long magic, long number, List<Bytes> records) throws IOException {
        return create(FileChannel::open, path, magic, number, records);
    }

    static FrameFile create(WriteAheadLogSegment.Disk disk, Path path, long magic, long number, List<Bytes> records)
            throws IOException {
        Path beside = path.resolveSibling(path.getFileName() + ".new");
        Files.deleteIfExists(beside);
        FileChannel channel =
                disk.open(beside, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            FrameFile file = new FrameFile(channel, new SecureRandom().nextLong() | 1);
            ByteBuffer header = ByteBuffer.allocate(PAGE_BYTES)
                    .putLong(magic)
                    .putLong(file.mark)
                    .putLong(number)
                    .putLong(records.size());
            header.putInt(checksum(header)).rewind();
            DiskFrame.writeFully(channel, header, 0);
            file.append(records);
            file.force();
            AtomicFile.move(beside, path);
            return file;
        } catch (IOException e) {
            channel.close();
            Files.deleteIfExists(beside); // Gives back its room on a disk that is full.
            throw e;
        }
    }

    private static int checksum(ByteBuffer header) {
        CRC32C crc = new CRC32C();
        crc.update(header.slice(0, HEADER_BYTES - 4));
        return (int) crc.getValue();
    }

    /** Writes records, which {@link #force} makes durable. */
    public void append(List<Bytes> records) throws IOException {
        int next = 0;
        while (next < records.size()) {
            List<ByteBuffer> some = new ArrayList<>();
            int bytes = 0;
            do {
                ByteBuffer frame = DiskFrame.of(mark, frames++, synced, records.get(next++));
                some.add(frame);
                bytes += frame.remaining();
            } while (next < records.size() && bytes < WRITE_BYTES_MAX);
            ByteBuffer together = ByteBuffer.allocate(bytes);
            some.forEach(together::put);
            DiskFrame.writeFully(channel, together.flip(), end);
            end += bytes;
        }
        if (end >= allocated) {
            allocated = end + AHEAD_BYTES;
            DiskFrame.writeZeros(channel, end, allocated);
        }
    }

    public void force() throws IOException {
        channel.force(false);
        synced = frames;
    }

    /** Writes down, durably, that all records were synced: from then on the loss of the last ones is no torn tail. */
    public void seal() throws IOException {
        append(List.of(Bytes.EMPTY));
        force();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    /**
     * Reads a file, however damaged.
     *
     * @param bytesMax maximum length of a record
     * @throws IOException if it has the format of another version, or cannot be opened
     */
    public static Contents read(Path path, long magic, int bytesMax) throws IOException {
        return read(FileChannel::open, path, magic, bytesMax);
    }

    static Contents read(WriteAheadLogSegment.Disk disk, Path path, long magic, int bytesMax) throws IOException {
        try (FileChannel channel = disk.open(path, StandardOpenOption.READ)) {
            ByteBuffer header = ByteBuffer.allocate(PAGE_BYTES);
            FrameScan.read(channel, header, 0);
            if (header.getInt(HEADER_BYTES - 4) != checksum(header)) {
                return new Contents(0, List.of(), "it has no valid header");
            }
            if (header.getLong(0) != magic) {
                throw new IOException(path + " has the format of another version, "
                        + Long.toHexString(header.getLong(0)) + "; this build reads " + Long.toHexString(magic));
            }
            Map<Long, Bytes> found = new HashMap<>();
            long[] synced = {header.getLong(24)};
            new FrameScan(channel, header.getLong(8), bytesMax, (ordinal, syncedBefore, bytes) -> {
                        synced[0] = Math.max(synced[0], syncedBefore);
                        found.putIfAbsent(ordinal, bytes);
                        return true;
                    })
                    .scan(PAGE_BYTES, channel.size());
            List<Bytes> records = new ArrayList<>();
            long next = 0;
            for (Bytes bytes = found.get(next); bytes != null; bytes = found.get(++next)) {
                if (!bytes.isEmpty()) {
                    records.add(bytes);
                }
            }
            String damage =
                    next < synced[0] ? "of " + synced[0] + " records that were synced number " + next + " is lost" : "";
            return new Contents(header.getLong(16), records, damage);
        }
    }
}
