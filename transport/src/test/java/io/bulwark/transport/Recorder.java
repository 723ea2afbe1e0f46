package io.bulwark.transport;

import io.bulwark.protocol.wire.Message;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.NullMarked;

/** A handler that keeps its messages and events; it marks messages as done at once unless it hoards them. */
@NullMarked
class Recorder implements InboundHandler {
    record Arrived(Peer peer, long requestId, Message message, Runnable done) {
        TestMessage letter() {
            return (TestMessage) message;
        }
    }

    final BlockingQueue<Arrived> arrived = new LinkedBlockingQueue<>();
    final BlockingQueue<Peer> connected = new LinkedBlockingQueue<>();
    final BlockingQueue<Peer> disconnected = new LinkedBlockingQueue<>();
    final AtomicInteger writable = new AtomicInteger();
    private final boolean hoards;

    Recorder() {
        this(false);
    }

    Recorder(boolean hoards) {
        this.hoards = hoards;
    }

    @Override
    public void onMessage(Peer peer, long requestId, Message message, Runnable done) {
        arrived.add(new Arrived(peer, requestId, message, done));
        if (!hoards) {
            done.run();
        }
    }

    @Override
    public void onConnected(Peer peer) {
        connected.add(peer);
    }

    @Override
    public void onDisconnected(Peer peer) {
        disconnected.add(peer);
    }

    @Override
    public void onWritable(Peer peer) {
        writable.incrementAndGet();
    }

    /** The next element, however long it takes within reason. */
    static <T> T next(BlockingQueue<T> queue) {
        try {
            T next = queue.poll(1, TimeUnit.MINUTES);
            if (next == null) {
                throw new AssertionError("nothing came");
            }
            return next;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Sends everything back where it came from. */
    static final class Echo extends Recorder {
        @Override
        public void onMessage(Peer peer, long requestId, Message message, Runnable done) {
            peer.send(requestId, message);
            done.run();
        }
    }
}
