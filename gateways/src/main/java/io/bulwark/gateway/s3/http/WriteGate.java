package io.bulwark.gateway.s3.http;

import io.netty.channel.Channel;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Lets writers of a connection wait while its client is slow. The event loop reports each change. */
final class WriteGate {
    private final Channel channel;
    private final long stallNanos;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    WriteGate(Channel channel, int stallMillis) {
        this.channel = channel;
        this.stallNanos = TimeUnit.MILLISECONDS.toNanos(stallMillis);
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
        long left = stallNanos;
        lock.lock();
        try {
            while (channel.isActive() && !channel.isWritable()) {
                if (left <= 0) {
                    var _ = channel.close();
                    throw new IOException("the client takes its response too slowly");
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
}
