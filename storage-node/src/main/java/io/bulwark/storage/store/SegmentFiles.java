package io.bulwark.storage.store;

import io.bulwark.protocol.wire.Bytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The segment files of a store. Appending, syncing and recycling belong to the writer thread; any thread may read.
 *
 * <p>A batch starts on its own page and is padded to full pages. A torn write thus never touches an acknowledged
 * record, and overwriting a recycled segment never has to read it.
 */
final class SegmentFiles implements AutoCloseable {
    private static final int STAGING_BYTES = 1 << 20;

    private final Path directory;
    private final int segmentBytes;
    private final int spareMax;
    private final Map<Integer, Segment> segments = new ConcurrentHashMap<>();
    private final ArrayDeque<Segment> spare = new ArrayDeque<>();
    private final Set<Segment> dirty = new LinkedHashSet<>();
    private final Set<Segment> touched = new LinkedHashSet<>();
    /** Segments to be sealed once what the batch put into them is accounted for. */
    private final List<Segment> full = new ArrayList<>();

    /** Records of the index in segments that are missing, or too short. */
    private final List<RecordIndex.LiveRecord> gone = new ArrayList<>();

    private final ByteBuffer staging = ByteBuffer.allocateDirect(STAGING_BYTES);
    private @Nullable Segment active;
    private @Nullable Segment activeBefore;
    private int positionBefore;
    private int recordBytesBefore;
    private boolean created;
    private int nextNumber;
    private volatile int spareCount;
    private volatile boolean canGiveBack;

    /**
     * Opens the segments of a directory. Segments without a live record are sealed and wait for {@link #recycle}.
     *
     * @param index tells the live records of all segments
     */
    SegmentFiles(StoreConfig config, Path directory, RecordIndex index) throws IOException {
        this.directory = directory;
        this.segmentBytes = config.segmentBytes();
        this.spareMax = config.spareSegmentsMax();
        Files.createDirectories(directory);
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                int number = Segment.numberOf(file);
                if (number >= 0) {
                    segments.put(number, Segment.open(directory, number));
                    nextNumber = Math.max(nextNumber, number + 1);
                }
            }
        }
        Map<Integer, Long> lengths = new HashMap<>();
        for (Segment segment : segments.values()) {
            lengths.put(segment.number, segment.allocatedBytes());
        }
        index.forEachOccupied(record -> {
            Segment segment = segments.get(record.segment());
            long end = (long) record.offset() + RecordHeader.BYTES + record.length();
            if (segment == null || lengths.getOrDefault(record.segment(), 0L) < end) {
                gone.add(record);
            } else {
                int footprint = RecordHeader.footprint(record.length());
                segment.addLive(footprint);
                segment.position(Math.max(
                        segment.position(), RecordHeader.align(record.offset() + footprint, RecordHeader.PAGE_BYTES)));
            }
        });
        active = segments.values().stream()
                .filter(segment -> segment.liveBytes() > 0 && segment.position() < segmentBytes / 2)
                .min(Comparator.comparingInt(Segment::position))
                .orElse(null);
        for (Segment segment : segments.values()) {
            segment.sealed(segment != active);
            segment.recordBytes(segment.position());
            touched.add(segment);
        }
        canGiveBack = hasEmptied();
    }

    Path directory() {
        return directory;
    }

    /** Starts a batch: {@link #abandon} goes back to here. */
    void begin() {
        activeBefore = active;
        positionBefore = active == null ? 0 : active.position();
        recordBytesBefore = active == null ? 0 : active.recordBytes();
        staging.clear();
    }

    /** Appends a record; nothing is durable before {@link #sync}. */
    IndexEntry append(Bytes key, Bytes fragment, Bytes meta, long sequence) throws IOException {
        int footprint = RecordHeader.footprint(fragment.length());
        Segment segment = writable(footprint);
        int offset = stagedEnd(segment);
        int checksum = RecordHeader.checksum(key, sequence, fragment);
        stage(segment, Bytes.of(RecordHeader.encode(key, fragment.length(), sequence, checksum)));
        stage(segment, fragment);
        pad(segment, RecordHeader.ALIGNMENT);
        segment.recordBytes(segment.recordBytes() + footprint);
        return new IndexEntry(
                IndexEntry.Place.SEGMENT, segment.number, offset, fragment.length(), sequence, 0, checksum, meta);
    }

    /** Hands what was appended to the operating system. */
    void flush() throws IOException {
        Segment segment = active;
        if (segment != null && staging.position() > 0) {
            pad(segment, RecordHeader.PAGE_BYTES);
            write(segment);
        }
    }

    /** Forgets the batch: its places may be written again. */
    void abandon() {
        staging.clear();
        Segment segment = active;
        if (segment != null) {
            segment.position(segment == activeBefore ? positionBefore : 0);
            segment.recordBytes(segment == activeBefore ? recordBytesBefore : 0);
        }
    }

    /** Makes all that was flushed durable; returns the number of syncs. A failure must not be tried again. */
    int sync() throws IOException {
        int count = 0;
        for (Segment segment : dirty) {
            segment.sync(created);
            count++;
        }
        if (created) {
            try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
                channel.force(true);
                count++;
            }
            created = false;
        }
        dirty.clear();
        return count;
    }

    /** Accounts for records that became live or dead, after the index names or drops them. */
    void addLive(int number, long delta) {
        Segment segment = segments.get(number);
        if (segment != null) {
            segment.addLive(delta);
            touched.add(segment);
        }
    }

    /**
     * Ends a batch, whose records are accounted for: full segments may be compacted from now on.
     *
     * @param pressed whether one that is mostly dead is full, too, though more would fit behind it: space is wanted
     */
    void seal(boolean pressed) {
        Segment used = active;
        if (pressed && used != null && used.isMostlyDead()) {
            full.add(used);
            active = null;
        }
        for (Segment segment : full) {
            segment.sealed(true);
            touched.add(segment);
        }
        full.clear();
    }

    /** Returns whether {@link #recycle} has something to do. */
    boolean hasEmptied() {
        return touched.stream().anyMatch(segment -> segment.sealed() && segment.liveBytes() == 0);
    }

    /**
     * Keeps or deletes the segments without live data; the index must be durable in that state.
     *
     * @param pressed whether to keep none, because space is short and others may share the device
     */
    void recycle(boolean pressed) throws IOException {
        for (Segment segment : touched) {
            if (segment.sealed() && segment.liveBytes() == 0) {
                spare.add(segment);
            }
        }
        touched.clear();
        while (spare.size() > (pressed ? 0 : spareMax)) {
            Segment segment = spare.removeLast();
            segments.remove(segment.number);
            dirty.remove(segment);
            segment.delete();
        }
        spareCount = spare.size();
        Segment used = active;
        canGiveBack = spareCount > 0 || (used != null && used.isMostlyDead());
    }

    /** Returns whether sealing and recycling could give bytes back to the device, as of the last batch. */
    boolean canGiveBack() {
        return canGiveBack;
    }

    /** Bytes that can be written without taking space from the file system. */
    long reusableBytes() throws IOException {
        long bytes = 0;
        for (Segment segment : spare) {
            bytes += segment.allocatedBytes();
        }
        Segment segment = active;
        return segment == null ? bytes : bytes + Math.max(0, segment.allocatedBytes() - segment.position());
    }

    /** Returns the fragment, or null if the bytes at its place differ from those written. */
    @Nullable
    Bytes read(Bytes key, IndexEntry entry) {
        Segment segment = segments.get(entry.segment());
        if (segment == null) {
            return null;
        }
        byte[] record = new byte[RecordHeader.BYTES + entry.length()];
        try {
            if (!segment.read(record, entry.offset())) {
                return null;
            }
        } catch (IOException e) {
            return null;
        }
        byte[] header = RecordHeader.encode(key, entry.length(), entry.sequence(), entry.checksum());
        Bytes fragment = Bytes.of(record, RecordHeader.BYTES, entry.length());
        return Arrays.equals(header, 0, header.length, record, 0, header.length)
                        && RecordHeader.checksum(key, entry.sequence(), fragment) == entry.checksum()
                ? fragment
                : null;
    }

    /**
     * Returns whether a record begins at the place in its entry, and ends within the file. Its fragment is not read.
     */
    static boolean begins(Segment segment, Bytes key, IndexEntry entry) {
        byte[] header = new byte[RecordHeader.BYTES];
        try {
            return segment.allocatedBytes() >= (long) entry.offset() + RecordHeader.BYTES + entry.length()
                    && segment.read(header, entry.offset())
                    && Arrays.equals(
                            header, RecordHeader.encode(key, entry.length(), entry.sequence(), entry.checksum()));
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns the records that the index had, when it was opened, in segments that are missing or too short. */
    List<RecordIndex.LiveRecord> gone() {
        return gone;
    }

    /** Changes a byte of a record's fragment on the disk, and nothing else. */
    void flip(IndexEntry entry, int index, int mask) throws IOException {
        Segment segment = segments.get(entry.segment());
        if (segment == null) {
            throw new StoreException("segment " + entry.segment() + " is gone");
        }
        byte[] one = new byte[1];
        long at = (long) entry.offset() + RecordHeader.BYTES + index;
        if (!segment.read(one, at)) {
            throw new StoreException("segment " + entry.segment() + " is too short");
        }
        one[0] ^= (byte) mask;
        segment.write(ByteBuffer.wrap(one), at);
        segment.sync(false);
    }

    /** The sealed segment with the least that lives, if it is below this share of its size. */
    Optional<Segment> sparsest(double liveShareMax, Set<Integer> except) {
        return segments.values().stream()
                .filter(segment -> segment.sealed() && !except.contains(segment.number))
                .filter(segment -> segment.liveBytes() > 0 && segment.liveBytes() < segmentBytes * liveShareMax)
                .min(Comparator.comparingLong(Segment::liveBytes));
    }

    int count() {
        return segments.size();
    }

    int spareCount() {
        return spareCount;
    }

    long liveBytes() {
        return segments.values().stream().mapToLong(Segment::liveBytes).sum();
    }

    @Override
    public void close() throws IOException {
        for (Segment segment : segments.values()) {
            segment.close();
        }
    }

    /** Returns the position of the next byte. */
    private int stagedEnd(Segment segment) {
        return segment.position() + staging.position();
    }

    private Segment writable(int footprint) throws IOException {
        Segment segment = active;
        if (segment != null && stagedEnd(segment) + (long) footprint <= segmentBytes) {
            return segment;
        }
        flush();
        if (segment != null) {
            full.add(segment);
            active = null;
        }
        Segment next = spare.poll();
        spareCount = spare.size();
        if (next == null) {
            next = Segment.open(directory, nextNumber++);
            segments.put(next.number, next);
            created = true;
        }
        next.position(0);
        next.recordBytes(0);
        next.sealed(false);
        active = next;
        return next;
    }

    private void stage(Segment segment, Bytes bytes) throws IOException {
        for (int at = 0; at < bytes.length(); ) {
            if (!staging.hasRemaining()) {
                write(segment);
            }
            int count = Math.min(staging.remaining(), bytes.length() - at);
            staging.put(bytes.array(), bytes.offset() + at, count);
            at += count;
        }
    }

    /** The staging area starts at a page of the file and is a multiple of pages long. */
    private void pad(Segment segment, int alignment) throws IOException {
        while (staging.position() % alignment != 0) {
            staging.put((byte) 0);
        }
        if (!staging.hasRemaining()) {
            write(segment);
        }
    }

    private void write(Segment segment) throws IOException {
        dirty.add(segment);
        staging.flip();
        int count = staging.remaining();
        segment.write(staging, segment.position());
        segment.position(segment.position() + count);
        staging.clear();
    }
}
