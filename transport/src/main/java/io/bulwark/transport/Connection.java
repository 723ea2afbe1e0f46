package io.bulwark.transport;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.FrameHeader;
import io.bulwark.protocol.wire.Message;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The two directions of one connection and their bounds. Messages in the queue are references to the sender's arrays
 * and are copied into direct memory only as the socket takes them. A slow peer thus pins at most the bound in heap and
 * little else. A link's connection accepts messages before it is authenticated and sends them afterwards.
 */
final class Connection implements Peer {
    /** Cost of a queued or unfinished frame beyond its bytes. */
    static final int FRAME_COST_BYTES = 256;

    private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

    private final Transport transport;
    private final PrincipalId principal;
    private final InetSocketAddress remoteAddress;
    private final InboundHandler handler;
    private final boolean accepted;
    private final TransportMetrics.PeerCounters counters;

    private final Queue<OutgoingFrame> queue = new ConcurrentLinkedQueue<>();
    private final AtomicLong queuedBytes = new AtomicLong();
    private final AtomicBoolean drainScheduled = new AtomicBoolean();
    private final AtomicBoolean congested = new AtomicBoolean();
    private final AtomicLong inboundBytes = new AtomicLong();
    private volatile boolean readingPaused;
    private final AtomicReference<Runnable> whenDone = new AtomicReference<>(() -> {});
    private volatile @Nullable Channel channel;
    private volatile boolean sealed;
    private volatile boolean gone;
    private final long createdNanos = System.nanoTime();

    private record OutgoingFrame(List<Bytes> frame, int length, SentDelivery sent) {
        long cost() {
            return (long) length + FRAME_COST_BYTES;
        }
    }

    /** Outlives the frame, whose arrays it must not refer to. */
    private final class SentDelivery implements Delivery {
        private volatile boolean left;
        private volatile boolean dropped;

        @Override
        public boolean lost() {
            return dropped || gone;
        }

        @Override
        public boolean waiting() {
            return !left && !lost();
        }

        @Override
        public long movedNanos() {
            Channel over = channel;
            ActivityMonitor motion = over == null ? null : over.pipeline().get(ActivityMonitor.class);
            return motion == null ? createdNanos : motion.lastNanos();
        }
    }

    Connection(
            Transport transport,
            PrincipalId principal,
            InetSocketAddress remoteAddress,
            InboundHandler handler,
            boolean accepted) {
        this.transport = transport;
        this.principal = principal;
        this.remoteAddress = remoteAddress;
        this.handler = handler;
        this.accepted = accepted;
        this.counters = transport.metrics().of(principal);
    }

    @Override
    public PrincipalId principal() {
        return principal;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remoteAddress;
    }

    TransportMetrics.PeerCounters counters() {
        return counters;
    }

    @Override
    public boolean isWritable() {
        return !sealed && !congested.get();
    }

    @Override
    public boolean send(long requestId, Message message) {
        return dispatch(requestId, message).isPresent();
    }

    /** Does the same as {@link #send}, and tells what becomes of the message; nothing where that gives false. */
    Optional<Delivery> dispatch(long requestId, Message message) {
        if (sealed) {
            counters.dropsDisconnected.increment();
            return Optional.empty();
        }
        long max = transport.settings().outboundMaxBytes();
        if (queuedBytes.get() + FrameHeader.BYTES + FRAME_COST_BYTES > max) {
            counters.dropsFull.increment();
            return Optional.empty();
        }
        List<Bytes> frame = transport.codecs().frame(requestId, message);
        int length = 0;
        for (Bytes segment : frame) {
            length += segment.length();
        }
        OutgoingFrame next = new OutgoingFrame(frame, length, new SentDelivery());
        long queued = charge(next.cost());
        boolean high = queued > transport.settings().outboundHighBytes();
        long left = transport.settings().outboundTotalBytes()
                - transport.queuedBytes().get();
        if (queued > max || queued > left) {
            charge(-next.cost());
            counters.dropsFull.increment();
            return Optional.empty();
        }
        queue.add(next);
        if (gone) {
            discardQueue();
            return Optional.empty();
        }
        if (channel != null && drainScheduled.compareAndSet(false, true)) {
            onLoop(this::drain);
        }
        if (high && congested.compareAndSet(false, true)) {
            onLoop(this::onQueueChanged);
        }
        return Optional.of(next.sent());
    }

    /** Adds to the queued bytes, of the whole transport too. Returns the bytes queued here. */
    private long charge(long bytes) {
        transport.queuedBytes().addAndGet(bytes);
        return queuedBytes.addAndGet(bytes);
    }

    /** Runs on the event loop if there is one yet: {@link #attach} does the same for what comes too early. */
    private void onLoop(Runnable task) {
        Channel to = channel;
        if (to == null) {
            return;
        }
        try {
            to.eventLoop().execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("the transport was closed", e);
        }
    }

    @Override
    public void disconnect(String reason) {
        LOG.info("disconnecting {} at {}: {}", principal, remoteAddress, reason);
        sealed = true;
        Channel to = channel;
        if (to != null) {
            var unused = to.close();
        }
    }

    /** The handshake is over; on the event loop. */
    void attach(Channel authenticated) {
        channel = authenticated;
        handler.onConnected(this);
        drain();
        onQueueChanged();
    }

    /** Accepts no more messages, and closes the channel once the queue is empty; on the event loop. */
    void finish() {
        sealed = true;
        Channel to = channel;
        if (to != null && queuedBytes.get() == 0) {
            var unused = to.close();
        }
    }

    /**
     * Does the same as {@link #detach()}.
     *
     * @param done called once all messages that came over it are done, too
     */
    void detach(Runnable done) {
        whenDone.set(done);
        detach();
        if (inboundBytes.get() == 0) {
            end();
        }
    }

    private void end() {
        whenDone.getAndSet(() -> {}).run();
    }

    /** The channel is closed, or never came to be; on the event loop. */
    void detach() {
        sealed = true;
        gone = true;
        discardQueue();
        if (channel == null) {
            return;
        }
        try {
            handler.onDisconnected(this);
        } catch (RuntimeException e) {
            // whoever closes has more to do: a link connects again
            LOG.error("the handler failed when {} disconnected", principal, e);
        }
    }

    /** Hands what is queued to the channel while it takes it; on the event loop. */
    void drain() {
        drainScheduled.set(false);
        Channel to = channel;
        if (to == null) {
            return;
        }
        boolean wrote = false;
        while (to.isWritable()) {
            OutgoingFrame next = queue.poll();
            if (next == null) {
                break;
            }
            ByteBuf buffer;
            try {
                buffer = directBuffer(to, next);
            } catch (OutOfMemoryError e) {
                drop(next);
                continue;
            }
            wrote = true;
            int length = next.length();
            long cost = next.cost();
            SentDelivery sent = next.sent();
            // must not refer to the frame, whose arrays are free once copied
            var unused = to.write(buffer).addListener(written -> {
                if (written.isSuccess()) {
                    sent.left = true;
                    counters.framesOut.increment();
                    counters.bytesOut.increment(length);
                } else {
                    sent.dropped = true;
                }
                charge(-cost);
                onQueueChanged();
            });
        }
        if (wrote) {
            to.flush();
        }
    }

    private void drop(OutgoingFrame next) {
        next.sent().dropped = true;
        counters.dropsFull.increment();
        charge(-next.cost());
        onQueueChanged();
    }

    /** Sockets take direct memory only: Netty would make this copy of each heap buffer, segment by segment. */
    private static ByteBuf directBuffer(Channel to, OutgoingFrame next) {
        ByteBuf buffer = to.alloc().directBuffer(next.length());
        for (Bytes segment : next.frame()) {
            buffer.writeBytes(segment.array(), segment.offset(), segment.length());
        }
        return buffer;
    }

    /** A frame arrived; on the event loop. */
    void onReceived(ReceivedFrame received) {
        counters.framesIn.increment();
        counters.bytesIn.increment(FrameHeader.BYTES + (double) received.bodyBytes());
        long cost = received.bodyBytes() + (long) FRAME_COST_BYTES;
        Credit credit = new Credit(cost);
        take(cost);
        regulateReading();
        try {
            handler.onMessage(this, received.requestId(), received.message(), credit);
        } catch (RuntimeException e) {
            credit.run();
            throw e;
        }
    }

    /** Adds to the bytes of unfinished messages, and returns their sum here. */
    private long take(long bytes) {
        transport.inboundBytes().addAndGet(bytes);
        return inboundBytes.addAndGet(bytes);
    }

    private long inboundMax() {
        TransportSettings settings = transport.settings();
        long left = settings.inboundTotalBytes() - transport.inboundBytes().get();
        return Math.min(settings.inboundMaxBytes(), Math.max(left, TransportSettings.INBOUND_LEAST_BYTES));
    }

    private void onQueueChanged() {
        long queued = queuedBytes.get();
        if (queued == 0 && sealed) {
            finish();
        }
        if (queued <= transport.settings().outboundHighBytes() / 2 && congested.compareAndSet(true, false)) {
            regulateReading();
            if (!sealed) {
                handler.onWritable(this);
            }
        } else if (congested.get()) {
            regulateReading();
        }
    }

    /**
     * Stops reading above a bound and resumes at half of it. Only an accepting side stops because of its pending
     * output: if both sides did, each could wait for the other for ever. On the event loop.
     */
    private void regulateReading() {
        Channel from = channel;
        if (from == null || !from.isActive()) {
            return;
        }
        long max = inboundMax();
        boolean answersPending = accepted && congested.get();
        if (!readingPaused && (answersPending || inboundBytes.get() > max)) {
            readingPaused = true;
            from.config().setAutoRead(false);
        }
        // The count is read after the pause is visible, so that a credit returned meanwhile is not overlooked.
        if (readingPaused && !answersPending && inboundBytes.get() <= max / 2) {
            readingPaused = false;
            from.pipeline().get(FrameDecoder.class).onReadingResumed();
            from.config().setAutoRead(true);
        }
    }

    private void discardQueue() {
        for (OutgoingFrame next = queue.poll(); next != null; next = queue.poll()) {
            charge(-next.cost());
            counters.dropsDisconnected.increment();
        }
    }

    /** Returns once what one message cost. */
    private final class Credit implements Runnable {
        private final AtomicLong cost;

        private Credit(long cost) {
            this.cost = new AtomicLong(cost);
        }

        @Override
        public void run() {
            long left = take(-cost.getAndSet(0));
            if (readingPaused && left <= inboundMax() / 2) {
                onLoop(Connection.this::regulateReading);
            }
            if (gone && left == 0) {
                end();
            }
        }
    }
}
