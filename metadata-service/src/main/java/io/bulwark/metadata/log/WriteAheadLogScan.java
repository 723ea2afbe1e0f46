package io.bulwark.metadata.log;

import io.bulwark.protocol.ordering.PeerMessage;
import io.bulwark.protocol.ordering.driver.LogRecord;
import io.bulwark.protocol.ordering.driver.LogRecordCodec;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import java.io.IOException;
import java.nio.ByteBuffer;
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

    private final FrameScan frames;
    private final Map<Long, LogRecord> promises = new HashMap<>();
    private final List<LogRecord> bodies = new ArrayList<>();
    private int found;
    private long synced;

    private WriteAheadLogScan(FileChannel channel, WriteAheadLogSegment.SegmentHeader head) {
        frames = new FrameScan(channel, head.mark(), PeerMessage.RECORD_BYTES_MAX, this::onFrame);
        synced = head.summaryPromises();
    }

    static Contents read(WriteAheadLogSegment.Disk disk, Path file) throws IOException {
        try (FileChannel channel = disk.open(file, StandardOpenOption.READ)) {
            long size = channel.size();
            for (int page = 0; page < 2; page++) {
                ByteBuffer header = ByteBuffer.allocate(WriteAheadLogSegment.PAGE_BYTES);
                FrameScan.read(channel, header, (long) page * WriteAheadLogSegment.PAGE_BYTES);
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
        frames.scan(2 * WriteAheadLogSegment.PAGE_BYTES, Math.min(firstPlace, size));
        frames.scan(firstPlace, size);
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

    private boolean onFrame(long ordinal, long syncedBefore, Bytes bytes) {
        try {
            LogRecord read = LogRecordCodec.read(bytes);
            synced = Math.max(synced, syncedBefore);
            if (read instanceof LogRecord.Bodies) {
                bodies.add(read);
            } else {
                found++;
                promises.putIfAbsent(ordinal, read);
            }
            return true;
        } catch (MalformedException e) {
            return false;
        }
    }
}
