package io.bulwark.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one server that are in the handshake. While it is full, the server accepts nothing, and new
 * clients wait in the system's queue. No handshake that is nearly complete thus gives way to a new one. Completed and
 * failed handshakes make room. When it is full, the oldest one is closed that has been waited for longer than the
 * patience. The patience is four times the time of recent successful handshakes, at least {@link #LEAST_PARTS a part}
 * of the handshake's timeout, at most all of it. It is all of it once a full set of handshakes was given up and none
 * succeeded: then slow clients are not the cause.
 */
final class HandshakeLimiter {
    /** Such a part of the handshake's timeout everybody is waited for. */
    static final int LEAST_PARTS = 5;

    /** Factor above the recent duration of successful handshakes. A handshake that takes longer is slow. */
    private static final int SLOW_FACTOR = 4;

    /** Each that is quicker than usual brings what is usual down by such a part of the difference. */
    private static final int FORGETTING_PARTS = 64;

    private final int max;
    private final long leastNanos;
    private final long mostNanos;
    private final TransportMetrics metrics;

    /** The eldest first. */
    private final Map<Channel, HandshakeClock> inside = new LinkedHashMap<>();

    private @Nullable Channel listening;
    private boolean looks;
    private long usualNanos;

    /** Number of connections given up since the last that got through. */
    private int givenUp;

    HandshakeLimiter(TransportSettings settings, TransportMetrics metrics) {
        this.max = settings.unauthenticatedMax();
        this.mostNanos = TimeUnit.MILLISECONDS.toNanos(settings.handshakeTimeoutMillis());
        this.leastNanos = mostNanos / LEAST_PARTS;
        this.metrics = metrics;
    }

    /** Handler at the server's own channel, which hands on each connection that it accepts. */
    final class Entrance extends ChannelInboundHandlerAdapter {
        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            open(ctx.channel());
            ctx.fireChannelActive();
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object accepted) {
            enter((Channel) accepted);
            ctx.fireChannelRead(accepted);
        }
    }

    private synchronized void open(Channel channel) {
        listening = channel;
    }

    private void enter(Channel newcomer) {
        Channel slow;
        synchronized (this) {
            slow = inside.size() < max ? null : slowest();
            if (slow != null) {
                inside.remove(slow);
                givenUp++;
            }
            inside.put(newcomer, HandshakeClock.of(newcomer));
            regulate();
        }
        var unused = newcomer.closeFuture().addListener(ignored -> leave(newcomer));
        if (slow != null) {
            metrics.fault(
                    null,
                    slow.remoteAddress(),
                    Fault.TOO_MANY_CONNECTIONS,
                    "too many handshakes in progress, this one is slow",
                    true);
            var unusedClose = slow.close();
        }
    }

    synchronized int size() {
        return inside.size();
    }

    /** It is authenticated. */
    synchronized void onAuthenticated(Channel channel) {
        HandshakeClock clock = inside.remove(channel);
        if (clock != null) {
            long tookNanos = clock.waitedNanos();
            usualNanos = Math.max(tookNanos, usualNanos - (usualNanos - tookNanos) / FORGETTING_PARTS);
            givenUp = 0;
            regulate();
        }
    }

    private synchronized void leave(Channel channel) {
        if (inside.remove(channel) != null) {
            regulate();
        }
    }

    private long patienceNanos() {
        return givenUp < max ? Math.clamp(SLOW_FACTOR * usualNanos, leastNanos, mostNanos) : mostNanos;
    }

    /** The eldest of those that have been waited for too long. */
    private @Nullable Channel slowest() {
        long patienceNanos = patienceNanos();
        for (Map.Entry<Channel, HandshakeClock> each : inside.entrySet()) {
            if (each.getValue().waitedNanos() > patienceNanos) {
                return each.getKey();
            }
        }
        return null;
    }

    /** Accepts connections while there is room, or a slow handshake can give way. */
    private void regulate() {
        Channel channel = listening;
        if (channel == null || !channel.isActive()) {
            return;
        }
        boolean accepts = inside.size() < max || slowest() != null;
        channel.config().setAutoRead(accepts);
        if (!accepts && !looks) {
            looks = true;
            var unused = channel.eventLoop().schedule(this::look, leastNanos / 8, TimeUnit.NANOSECONDS);
        }
    }

    private synchronized void look() {
        looks = false;
        regulate();
    }
}
