package io.bulwark.metadata.log;

import io.bulwark.protocol.ordering.PeerMessage;
import io.bulwark.protocol.ordering.driver.LogRecord;
import io.bulwark.protocol.ordering.driver.LogRecordCodec;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads a file of the log of promises from both of its places, however damaged. An unreadable page is read as zeros,
 * and what cannot be read in one place is taken from the other.
 */
final class WriteAheadLogScan {
    private static final int SEARCH_BYTES = 64 << 10;

    /**
     * Content of a file.
     *
     * @param records bodies, as far as they are right, and all promises in order up to the first that is not in the
     *     file
     * @param mended number of promises that were right in one place only
     * @param damage readable description of synced records that are missing; empty if none are
     */
    record Contents(List<LogRecord> records, int mended, String damage) {
        private static Contents damaged(String damage) {
            return new Contents(List.of(), 0, damage);
        }

        boolean isDamaged() {
            return !damage.isEmpty();
        }
    }

    private final FileChannel channel;
    private final long mark;
    private final Map<Long, LogRecord> promises = new HashMap<>();
    private final List<LogRecord> bodies = new ArrayList<>();
    private int found;
    private long synced;

    private WriteAheadLogScan(FileChannel channel, WriteAheadLogSegment.SegmentHeader head) {
        this.channel = channel;
        mark = head.mark();
        synced = head.summaryPromises();
    }

    static Contents read(WriteAheadLogSegment.Disk disk, Path file) throws IOException {
        try (FileChannel channel = disk.open(file, StandardOpenOption.READ)) {
            long size = channel.size();
            for (int page = 0; page < 2; page++) {
                ByteBuffer header = ByteBuffer.allocate(WriteAheadLogSegment.PAGE_BYTES);
                read(channel, header, (long) page * WriteAheadLogSegment.PAGE_BYTES);
                Optional<WriteAheadLogSegment.SegmentHeader> head =
                        WriteAheadLogSegment.SegmentHeader.read(header, size);
                if (head.isPresent()) {
                    return new WriteAheadLogScan(channel, head.get())
                            .read(head.get().firstPlace(), size);
                }
            }
        }
        return Contents.damaged("it has no valid header");
    }

    private Contents read(long firstPlace, long size) throws IOException {
        scan(2 * WriteAheadLogSegment.PAGE_BYTES, Math.min(firstPlace, size));
        scan(firstPlace, size);
        List<LogRecord> records = new ArrayList<>(bodies);
        long next = 0;
        LogRecord promise = promises.get(next);
        while (promise != null) {
            records.add(promise);
            promise = promises.get(++next);
        }
        if (next < synced) {
            return Contents.damaged("of " + synced + " promises that were synced number " + next + " is lost");
        }
        return new Contents(records, 2 * promises.size() - found, "");
    }

    private void scan(long from, long to) throws IOException {
        long at = from;
        while (at >= 0 && to - at >= WriteAheadLogSegment.FRAME_BYTES) {
            int bytes = frameAt(at, to);
            at = bytes > 0 ? at + bytes : nextMark(at + 1, to);
        }
    }

    /** Takes the frame that is here, and returns its length; 0 if none is, or not a right one. */
    private int frameAt(long at, long to) throws IOException {
        ByteBuffer head = ByteBuffer.allocate(WriteAheadLogSegment.FRAME_BYTES);
        read(channel, head, at);
        int length = head.getInt(8);
        if (head.getLong(0) != mark
                || length < 0
                || length > PeerMessage.RECORD_BYTES_MAX
                || length > to - at - WriteAheadLogSegment.FRAME_BYTES) {
            return 0;
        }
        ByteBuffer frame = ByteBuffer.allocate(WriteAheadLogSegment.FRAME_BYTES + length);
        read(channel, frame, at);
        if (frame.getInt(WriteAheadLogSegment.COVERED_BYTES) != WriteAheadLogSegment.checksum(frame.array())) {
            return 0;
        }
        try {
            LogRecord read = LogRecordCodec.read(Bytes.of(frame.array(), WriteAheadLogSegment.FRAME_BYTES, length));
            synced = Math.max(synced, frame.getLong(20));
            if (read instanceof LogRecord.Bodies) {
                bodies.add(read);
            } else {
                found++;
                promises.putIfAbsent(frame.getLong(12), read);
            }
        } catch (MalformedException e) {
            return 0;
        }
        return frame.capacity();
    }

    /** Returns the offset at which the next frame may begin; -1 if there is none. */
    private long nextMark(long from, long to) throws IOException {
        ByteBuffer some = ByteBuffer.allocate(SEARCH_BYTES);
        for (long at = from; to - at >= Long.BYTES; at += SEARCH_BYTES - Long.BYTES + 1) {
            some.clear().limit((int) Math.min(SEARCH_BYTES, to - at));
            read(channel, some, at);
            for (int i = 0; i + Long.BYTES <= some.limit(); i++) {
                if (some.getLong(i) == mark) {
                    return at + i;
                }
            }
        }
        return -1;
    }

    /** Reads bytes; unreadable bytes and those beyond the end become zeros. */
    private static void read(FileChannel channel, ByteBuffer into, long from) throws IOException {
        while (into.hasRemaining()) {
            long at = from + into.position();
            int read;
            try {
                read = channel.read(into, at);
            } catch (ClosedChannelException e) {
                throw e;
            } catch (IOException e) {
                read = 0;
                long next = (at / WriteAheadLogSegment.PAGE_BYTES + 1) * WriteAheadLogSegment.PAGE_BYTES;
                into.put(new byte[(int) Math.min(into.remaining(), next - at)]);
            }
            if (read < 0) {
                into.put(new byte[into.remaining()]);
            }
        }
    }
}
