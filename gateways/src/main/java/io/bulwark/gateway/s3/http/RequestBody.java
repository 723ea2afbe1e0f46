package io.bulwark.gateway.s3.http;

import io.bulwark.gateway.s3.request.S3Exception;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Bytes of one request's body on their way from the event loop to the thread that reads them. The connection is read only
 * while fewer than {@link #QUEUE_BYTES_MAX} wait here.
 */
final class RequestBody extends InputStream {
    /** One more part of the body, as large as the decoder makes them, may come on top. */
    static final int QUEUE_BYTES_MAX = 256 << 10;

    private static final int RESUME_BYTES = QUEUE_BYTES_MAX / 2;
    /** A client that sends less in the time of a stall is too slow. */
    private static final int STALL_BYTES_MIN = 64 << 10;

    private static final int SMALL_BYTES_MAX = 1 << 10;
    private static final int SMALL_BUFFER_BYTES = 4 << 10;

    private final Runnable readOn;
    private final Runnable beforeWait;
    private final long stallNanos;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<Part> queue = new ArrayDeque<>();
    private int queuedBytes;
    private long receivedBytes;
    /** True while the connection has been asked for a part that has not arrived. */
    private boolean reading = true;

    private boolean ended;
    private boolean discarding;
    private @Nullable S3Exception failure;
    private long waitedNanos;
    private long receivedAtMark;

    /**
     * Bytes that wait.
     *
     * @param isShared further small parts may be added
     */
    private record Part(ByteBuf bytes, boolean isShared) {}

    /**
     * Creates a body.
     *
     * @param readOn asks the connection for the next part; any thread may call it
     * @param beforeWait is called each time before the reader waits
     */
    RequestBody(Runnable readOn, Runnable beforeWait, int stallMillis) {
        this.readOn = readOn;
        this.beforeWait = beforeWait;
        this.stallNanos = TimeUnit.MILLISECONDS.toNanos(stallMillis);
    }

    /** Adds a part, which this takes over. Returns whether the connection should be read on. */
    boolean offer(ByteBuf part) {
        lock.lock();
        try {
            receivedBytes += part.readableBytes();
            if (discarding || !part.isReadable()) {
                part.release();
            } else {
                queuedBytes += part.readableBytes();
                add(part);
            }
            reading = !ended && failure == null && queuedBytes < QUEUE_BYTES_MAX;
            changed.signalAll();
            return reading;
        } finally {
            lock.unlock();
        }
    }

    private void add(ByteBuf part) {
        int length = part.readableBytes();
        if (length > SMALL_BYTES_MAX) {
            queue.add(new Part(part, false));
            return;
        }
        // A sender of chunks of one byte would otherwise fill the queue with objects instead of bytes.
        Part last = queue.peekLast();
        if (last == null || !last.isShared() || last.bytes().writableBytes() < length) {
            last = new Part(Unpooled.buffer(SMALL_BUFFER_BYTES), true);
            queue.add(last);
        }
        last.bytes().writeBytes(part);
        part.release();
    }

    /** Marks the end: all parts have arrived. */
    void end() {
        lock.lock();
        try {
            ended = true;
            reading = false;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Lets the reader fail, once it has no more parts; nothing more arrives. */
    void fail(S3Exception reason) {
        lock.lock();
        try {
            if (!ended && failure == null) {
                failure = reason;
            }
            reading = false;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether all parts have arrived. */
    boolean hasEnded() {
        lock.lock();
        try {
            return ended;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of buffers that wait. */
    int bufferCount() {
        lock.lock();
        try {
            return queue.size();
        } finally {
            lock.unlock();
        }
    }

    long receivedBytes() {
        lock.lock();
        try {
            return receivedBytes;
        } finally {
            lock.unlock();
        }
    }

    /** Discards what has arrived and what will arrive. */
    void discard() {
        lock.lock();
        try {
            discarding = true;
            queue.forEach(part -> part.bytes().release());
            queue.clear();
            queuedBytes = 0;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int read() throws InterruptedIOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int count) throws InterruptedIOException {
        if (count == 0) {
            return 0;
        }
        boolean asks;
        int copied;
        lock.lock();
        try {
            if (!awaitPart()) {
                return -1;
            }
            ByteBuf part = queue.element().bytes();
            copied = Math.min(count, part.readableBytes());
            part.readBytes(bytes, offset, copied);
            queuedBytes -= copied;
            if (!part.isReadable()) {
                queue.remove().bytes().release();
            }
            asks = !reading && !ended && failure == null && queuedBytes < RESUME_BYTES;
            reading |= asks;
        } finally {
            lock.unlock();
        }
        if (asks) {
            readOn.run();
        }
        return copied;
    }

    /** Returns whether a part is there; false at the end. */
    private boolean awaitPart() throws InterruptedIOException {
        while (queue.isEmpty()) {
            if (discarding) {
                throw new IllegalStateException("the body has been discarded");
            }
            if (ended) {
                return false;
            }
            if (failure != null) {
                throw failure;
            }
            beforeWait.run();
            long begun = System.nanoTime();
            try {
                var _ = changed.awaitNanos(stallNanos - waitedNanos);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("the server stops");
            }
            waitedNanos += System.nanoTime() - begun;
            checkPace();
        }
        return true;
    }

    /** Fails the body if the reader has waited for too long since so many bytes had arrived. */
    private void checkPace() {
        if (receivedBytes - receivedAtMark >= STALL_BYTES_MIN) {
            receivedAtMark = receivedBytes;
            waitedNanos = 0;
        } else if (waitedNanos >= stallNanos && !ended && failure == null) {
            failure = new S3Exception(
                    400,
                    "RequestTimeout",
                    "Your socket connection to the server was not read from or written to within the timeout period."
                            + " Idle connections will be closed.");
        }
    }

    /**
     * Discards parts until the end, for a short time.
     *
     * @return whether the end has come
     */
    boolean drain(int bytesMax, long nanosMax) {
        discard();
        long deadline = System.nanoTime() + nanosMax;
        lock.lock();
        try {
            long until = receivedBytes + bytesMax;
            while (!ended && failure == null && receivedBytes <= until) {
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    return false;
                }
                if (!reading) {
                    reading = true;
                    readOn.run();
                }
                var _ = changed.awaitNanos(left);
            }
            return ended;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }
}
