package io.bulwark.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one server that are in the handshake. While there is no room for another one, nothing is accepted, and who
 * comes waits in the system's line: so nobody who is nearly through is put out for somebody who comes. Room is made by those that
 * are through or fail, and, when it is full, by the eldest that has been waited for longer than the patience is: four times as long as those
 * that got through lately, at least {@link #LEAST_PARTS a part} of the handshake's timeout, at most all of it. It is all of it once as
 * many were given up as there is room for and nobody got through: then it is not them who are slow.
 */
final class HandshakeRoom {
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

    /** Since somebody got through. */
    private int givenUp;

    HandshakeRoom(TransportSettings settings, TransportMetrics metrics) {
        this.max = settings.unauthenticatedMax();
        this.mostNanos = TimeUnit.MILLISECONDS.toNanos(settings.handshakeTimeoutMillis());
        this.leastNanos = mostNanos / LEAST_PARTS;
        this.metrics = metrics;
    }

    /** At the server's own channel, which hands on each connection that it accepts. */
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
        var _ = newcomer.closeFuture().addListener(_ -> leave(newcomer));
        if (slow != null) {
            metrics.fault(
                    null,
                    slow.remoteAddress(),
                    Fault.TOO_MANY_CONNECTIONS,
                    "too many in the handshake, this one slow",
                    true);
            var _ = slow.close();
        }
    }

    synchronized int size() {
        return inside.size();
    }

    /** It is authenticated. */
    synchronized void through(Channel channel) {
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

    /** Accepts while there is room, or somebody would give room. */
    private void regulate() {
        Channel channel = listening;
        if (channel == null || !channel.isActive()) {
            return;
        }
        boolean accepts = inside.size() < max || slowest() != null;
        channel.config().setAutoRead(accepts);
        if (!accepts && !looks) {
            looks = true;
            var _ = channel.eventLoop().schedule(this::look, leastNanos / 8, TimeUnit.NANOSECONDS);
        }
    }

    private synchronized void look() {
        looks = false;
        regulate();
    }
}
