package io.bulwark.transport;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.FrameHeader;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.DecoderException;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The end of each pipeline: waits for the handshake, feeds the connection, and closes it for whatever went wrong. */
final class ConnectionHandler extends ChannelInboundHandlerAdapter {
    /** The server or the link that a channel belongs to. All calls are made on the channel's event loop. */
    interface Owner {
        /** The connection of a channel that was just authenticated; throws a fault to refuse it. */
        Connection authenticated(Channel channel, PrincipalId principal);

        /** Returns whether the closing of a channel for this reason is worth a warning. */
        boolean isNews(Channel channel, Fault fault);

        /** A channel is about to be closed for this reason. */
        void failed(Channel channel, Fault fault);

        /** The channel is closed. */
        void closed(Channel channel, @Nullable Connection connection);
    }

    private static final Logger LOG = LoggerFactory.getLogger(ConnectionHandler.class);

    /**
     * Factor of the handshake timeout for a connecting side: its connection may have to wait behind many earlier ones.
     */
    private static final int TURN_FACTOR = 6;

    private final Transport transport;
    private final Owner owner;
    private final HandshakeClock clock;
    private final long timeoutMillis;
    private @Nullable Connection connection;
    private @Nullable Future<?> deadline;
    private boolean closing;

    private ConnectionHandler(Transport transport, Owner owner, HandshakeClock clock, long timeoutMillis) {
        this.transport = transport;
        this.owner = owner;
        this.clock = clock;
        this.timeoutMillis = timeoutMillis;
    }

    /** Fills the pipeline of a new channel. {@code remote} is whom a link wants, null on the accepting side. */
    static void install(Transport transport, Owner owner, ChannelPipeline pipeline, @Nullable PrincipalId remote) {
        pipeline.addLast(new FrameDecoder(
                MacChallenge.CODECS,
                ControlMessage.BODY_BYTES_MAX,
                transport.unfinished(),
                transport.settings().frameTimeoutMillis()));
        if (remote == null) {
            transport.security().accepting(pipeline);
        } else {
            transport.security().connecting(pipeline, remote);
        }
        pipeline.addFirst(new ActivityMonitor());
        long timeoutMillis = transport.settings().handshakeTimeoutMillis();
        pipeline.addLast(new ConnectionHandler(
                transport,
                owner,
                HandshakeClock.of(pipeline.channel()),
                remote == null ? timeoutMillis : TURN_FACTOR * timeoutMillis));
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        checkAfter(ctx, timeoutMillis);
    }

    /**
     * Watches the handshake timeout. The time that this side spent on computation, or on waiting for it, is added to
     * the timeout.
     */
    private void checkAfter(ChannelHandlerContext ctx, long pauseMillis) {
        deadline = ctx.executor()
                .schedule(
                        () -> {
                            long leftMillis = timeoutMillis - clock.waitedMillis();
                            if (leftMillis <= 0) {
                                close(ctx, Fault.HANDSHAKE_TIMEOUT, "not authenticated in " + timeoutMillis + " ms");
                            } else {
                                checkAfter(ctx, Math.max(leftMillis, timeoutMillis / 16));
                            }
                        },
                        pauseMillis,
                        TimeUnit.MILLISECONDS);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (!(event instanceof ChannelSecurity.Authenticated authenticated)) {
            ctx.fireUserEventTriggered(event);
            return;
        }
        if (deadline != null) {
            deadline.cancel(false);
        }
        Connection opened = owner.authenticated(ctx.channel(), authenticated.principal());
        connection = opened;
        ctx.pipeline()
                .get(FrameDecoder.class)
                .accept(authenticated.principal(), transport.codecs(), FrameHeader.BODY_BYTES_MAX);
        opened.counters().connects.increment();
        opened.attach(ctx.channel());
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (connection == null) {
            throw new IllegalStateException("a frame before the end of the handshake");
        }
        connection.onReceived((ReceivedFrame) message);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (connection != null) {
            connection.drain();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (deadline != null) {
            deadline.cancel(false);
        }
        owner.closed(ctx.channel(), connection);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        switch (cause) {
            case ConnectionFault fault -> close(ctx, fault);
            case DecoderException decoding
            when decoding.getCause() instanceof SSLException broken -> close(ctx, ConnectionFault.ofTls(broken));
            case SSLException broken -> close(ctx, ConnectionFault.ofTls(broken));
            case IOException broken -> close(ctx, Fault.INPUT_OUTPUT, String.valueOf(broken.getMessage()));
            default -> {
                LOG.error("a handler failed for {}", ctx.channel().remoteAddress(), cause);
                close(ctx, Fault.HANDLER_FAILED, cause.toString());
            }
        }
    }

    private void close(ChannelHandlerContext ctx, ConnectionFault fault) {
        close(ctx, fault.fault(), String.valueOf(fault.getMessage()));
    }

    private void close(ChannelHandlerContext ctx, Fault fault, String detail) {
        if (closing) {
            return; // TLS that fails says so twice.
        }
        closing = true;
        PrincipalId who = connection == null ? null : connection.principal();
        transport
                .metrics()
                .fault(who, ctx.channel().remoteAddress(), fault, detail, owner.isNews(ctx.channel(), fault));
        owner.failed(ctx.channel(), fault);
        var unused = ctx.close();
    }
}
