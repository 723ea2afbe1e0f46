package io.bulwark.metadata.log;

import io.bulwark.protocol.wire.Bytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;

/** Search for the frames in a file, however damaged. An unreadable page is read as zeros. */
final class FrameScan {
    private static final int PAGE_BYTES = 4096;
    private static final int SEARCH_BYTES = 64 << 10;

    /** Receiver of the frames. */
    interface Visitor {
        /** Takes a frame with a right checksum, and returns whether it is good. */
        boolean onFrame(long ordinal, long synced, Bytes bytes);
    }

    private final FileChannel channel;
    private final long mark;
    private final int bytesMax;
    private final Visitor visitor;

    /** @param bytesMax maximum length of a frame's content */
    FrameScan(FileChannel channel, long mark, int bytesMax, Visitor visitor) {
        this.channel = channel;
        this.mark = mark;
        this.bytesMax = bytesMax;
        this.visitor = visitor;
    }

    void scan(long from, long to) throws IOException {
        long at = from;
        while (at >= 0 && to - at >= DiskFrame.HEAD_BYTES) {
            int bytes = frameAt(at, to);
            at = bytes > 0 ? at + bytes : nextMark(at + 1, to);
        }
    }

    /** Takes the frame that is here, and returns its length; 0 if none is, or not a right one. */
    private int frameAt(long at, long to) throws IOException {
        ByteBuffer head = ByteBuffer.allocate(DiskFrame.HEAD_BYTES);
        read(channel, head, at);
        int length = head.getInt(8);
        if (head.getLong(0) != mark || length < 0 || length > bytesMax || length > to - at - DiskFrame.HEAD_BYTES) {
            return 0;
        }
        ByteBuffer frame = ByteBuffer.allocate(DiskFrame.HEAD_BYTES + length);
        read(channel, frame, at);
        if (frame.getInt(DiskFrame.COVERED_BYTES) != DiskFrame.checksum(frame.array())) {
            return 0;
        }
        Bytes bytes = Bytes.of(frame.array(), DiskFrame.HEAD_BYTES, length);
        return visitor.onFrame(frame.getLong(12), frame.getLong(20), bytes) ? frame.capacity() : 0;
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
    static void read(FileChannel channel, ByteBuffer into, long from) throws IOException {
        while (into.hasRemaining()) {
            long at = from + into.position();
            int read;
            try {
                read = channel.read(into, at);
            } catch (ClosedChannelException e) {
                throw e;
            } catch (IOException e) {
                read = 0;
                long next = (at / PAGE_BYTES + 1) * PAGE_BYTES;
                into.put(new byte[(int) Math.min(into.remaining(), next - at)]);
            }
            if (read < 0) {
                into.put(new byte[into.remaining()]);
            }
        }
    }
}
