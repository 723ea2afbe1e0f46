package io.bulwark.storage.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicLong;

/** One segment file. All but reading belongs to the writer thread. */
final class Segment {
    private static final String SUFFIX = ".seg";

    final int number;
    private final Path path;
    private final FileChannel channel;
    /** Position of the next batch; beyond the last live record. */
    private int position;
    /** The footprints of all records since it was begun; those of before the start and their padding count as well. */
    private int recordBytes;
    /** The footprints of live records; read by the compaction. */
    private final AtomicLong liveBytes = new AtomicLong();
    /** True once nothing is appended any more; read by the compaction. */
    private volatile boolean sealed;

    private Segment(int number, Path path, FileChannel channel) {
        this.number = number;
        this.path = path;
        this.channel = channel;
    }

    static Segment open(Path directory, int number) throws IOException {
        Path path = file(directory, number);
        return new Segment(
                number,
                path,
                FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE));
    }

    static boolean isThere(Path directory, int number) {
        return Files.isRegularFile(file(directory, number));
    }

    private static Path file(Path directory, int number) {
        return directory.resolve("%08x".formatted(number) + SUFFIX);
    }

    /** The number in a segment's file name, or -1 if the file is no segment. */
    static int numberOf(Path file) {
        String name = String.valueOf(file.getFileName());
        return name.matches("[0-7][0-9a-f]{7}\\.seg") ? Integer.parseInt(name.substring(0, 8), 16) : -1;
    }

    int position() {
        return position;
    }

    void position(int value) {
        position = value;
    }

    int recordBytes() {
        return recordBytes;
    }

    void recordBytes(int value) {
        recordBytes = value;
    }

    /**
     * Returns whether more of it is dead than alive. Padding counts as neither, so freshly compacted data is not mostly
     * dead.
     */
    boolean isMostlyDead() {
        return recordBytes - liveBytes() > liveBytes();
    }

    long liveBytes() {
        return liveBytes.get();
    }

    void addLive(long delta) {
        liveBytes.addAndGet(delta);
    }

    boolean sealed() {
        return sealed;
    }

    void sealed(boolean value) {
        sealed = value;
    }

    /** Bytes that the file has already taken from the file system. */
    long allocatedBytes() throws IOException {
        return channel.size();
    }

    void write(ByteBuffer from, long offset) throws IOException {
        while (from.hasRemaining()) {
            offset += channel.write(from, offset);
        }
    }

    /** Fills the array from the offset on; false if the file ends before. */
    boolean read(byte[] into, long offset) throws IOException {
        ByteBuffer target = ByteBuffer.wrap(into);
        while (target.hasRemaining()) {
            int count = channel.read(target, offset + target.position());
            if (count < 0) {
                return false;
            }
        }
        return true;
    }

    void sync(boolean withLength) throws IOException {
        channel.force(withLength);
    }

    void close() throws IOException {
        channel.close();
    }

    void delete() throws IOException {
        channel.close();
        Files.deleteIfExists(path);
    }
}
