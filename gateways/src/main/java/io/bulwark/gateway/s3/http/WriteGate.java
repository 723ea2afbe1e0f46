package io.bulwark.gateway.s3.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Lets writers of a connection wait while its client is slow. The event loop reports each change. */
final class WriteGate {
    /**
     * Bytes that a client must take in the time of a stall. Half of the pace that is promised, since bytes count once the
     * whole buffer has gone that they stand in.
     */
    private static final int STALL_BYTES_MIN = 64 << 10;

    private final Channel channel;
    private final int stallMillis;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    WriteGate(Channel channel, int stallMillis) {
        this.channel = channel;
        this.stallMillis = stallMillis;
    }

    /** Wakes the writer to look again. */
    void onChange() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until the connection takes more.
     *
     * @throws IOException if it is closed, or the client has taken too little for too long
     */
    void await() throws IOException {
        long left = stallNanos();
        long pending = pendingBytes();
        lock.lock();
        try {
            while (channel.isActive() && !channel.isWritable()) {
                if (left <= 0) {
                    long now = pendingBytes();
                    if (pending - now < STALL_BYTES_MIN) {
                        var _ = channel.close();
                        throw new IOException("the client takes its response too slowly");
                    }
                    pending = now;
                    left = stallNanos();
                }
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("the server stops");
        } finally {
            lock.unlock();
        }
        if (!channel.isActive()) {
            throw new IOException("the client has closed the connection");
        }
    }

    /** Waits for a write, and returns whether it has succeeded. Closes the connection of a client that takes too little. */
    boolean await(Future<?> written) {
        try {
            long pending = pendingBytes();
            while (!written.await(stallMillis)) {
                long now = pendingBytes();
                if (pending - now < STALL_BYTES_MIN) {
                    var _ = channel.close();
                    break;
                }
                pending = now;
            }
            return written.isSuccess();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            var _ = channel.close();
            return false;
        }
    }

    private long stallNanos() {
        return TimeUnit.MILLISECONDS.toNanos(stallMillis);
    }

    private long pendingBytes() {
        ChannelOutboundBuffer buffer = channel.unsafe().outboundBuffer();
        return buffer == null ? 0 : buffer.totalPendingWriteBytes();
    }
}
