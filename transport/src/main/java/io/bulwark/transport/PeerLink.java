package io.bulwark.transport;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to one principal at one address, made anew whenever it breaks, after pauses that double up to a bound
 * and vary by chance. Messages may be lost with a connection, and are never repeated.
 */
public final class PeerLink implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PeerLink.class);

    private final Transport transport;
    private final PrincipalId remote;
    private final InetSocketAddress address;
    private final InboundHandler handler;
    private final EventLoop loop;
    private volatile @Nullable Connection connection;
    private volatile LinkState state = LinkState.WAITING;
    private volatile @Nullable Channel channel;
    private final AtomicBoolean closed = new AtomicBoolean();

    // confined to the loop
    private @Nullable Future<?> nextAttempt;
    private int failures;
    private long upSinceNanos;
    private boolean everUp;

    PeerLink(Transport transport, PrincipalId remote, InetSocketAddress address, InboundHandler handler) {
        this.transport = transport;
        this.remote = remote;
        this.address = address;
        this.handler = handler;
        this.loop = transport.loops().next();
    }

    /** Who must be at the other end. */
    public PrincipalId principal() {
        return remote;
    }

    public InetSocketAddress address() {
        return address;
    }

    public LinkState state() {
        return closed.get() ? LinkState.CLOSED : state;
    }

    /**
     * Sends as {@link Peer#send} does. While the link is {@link LinkState#CONNECTING} messages wait for the attempt's
     * outcome and are dropped if it fails; while it is {@link LinkState#WAITING} they are refused.
     */
    public boolean send(long requestId, Message message) {
        Connection current = connection;
        if (current == null || closed.get()) {
            transport.metrics().of(remote).dropsDisconnected.increment();
            return false;
        }
        return current.send(requestId, message);
    }

    /** Whether it is up or about to be, and its queue has room. */
    public boolean isWritable() {
        Connection current = connection;
        return current != null && !closed.get() && current.isWritable();
    }

    /**
     * Gives queued frames {@code closeMillis} to leave, closes the connection, and connects no more. Waits for that, so
     * it must not be called on an event loop.
     */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        var _ = loop.submit(this::closeOnLoop).awaitUninterruptibly();
        Channel open = channel;
        if (open != null
                && !open.closeFuture().awaitUninterruptibly(transport.settings().closeMillis())) {
            var _ = open.close().awaitUninterruptibly();
        }
        transport.closed(this);
    }

    /** Makes the first attempt; messages sent from now on wait for it. */
    void start() {
        Connection attempt = prepare();
        loop.execute(() -> connect(attempt));
    }

    private Connection prepare() {
        Connection attempt = new Connection(transport, remote, address, handler, false);
        connection = attempt;
        state = LinkState.CONNECTING;
        return attempt;
    }

    private void connect(Connection attempt) {
        if (closed.get()) {
            down(attempt, "the link is closed");
            return;
        }
        Attempt owner = new Attempt(attempt);
        ChannelFuture connecting = new Bootstrap()
                .group(loop)
                .channel(transport.socketChannel())
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                        transport.settings().handshakeTimeoutMillis())
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, true)
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, TransportServer.WATER_MARK)
                .option(ChannelOption.RECVBUF_ALLOCATOR, TransportServer.receiveBuffers())
                .handler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel opened) {
                        ConnectionHandler.install(transport, owner, opened.pipeline(), remote);
                    }
                })
                .connect(address);
        channel = connecting.channel();
        var _ = connecting.addListener(done -> {
            if (!done.isSuccess()) {
                down(attempt, String.valueOf(done.cause().getMessage()));
            }
        });
    }

    /** The attempt failed or its connection broke: pauses and tries again. */
    private void down(Connection attempt, String why) {
        boolean wasUp = state == LinkState.UP;
        TransportSettings settings = transport.settings();
        long upNanos = wasUp ? System.nanoTime() - upSinceNanos : 0;
        if (upNanos > TimeUnit.MILLISECONDS.toNanos(settings.reconnectMaxMillis())) {
            failures = 0;
        }
        connection = null;
        state = LinkState.WAITING;
        attempt.detach();
        if (closed.get()) {
            return;
        }
        if (failures == 0 || wasUp) {
            LOG.info("no connection with {} at {}: {}; trying again", remote, address, why);
        }
        long pauseMillis = Backoff.pauseMillis(
                failures++, settings.reconnectMinMillis(), settings.reconnectMaxMillis(), ThreadLocalRandom.current());
        nextAttempt = loop.schedule(() -> connect(prepare()), pauseMillis, TimeUnit.MILLISECONDS);
    }

    private void closeOnLoop() {
        if (nextAttempt != null) {
            nextAttempt.cancel(false);
        }
        Connection current = connection;
        Channel open = channel;
        if (current != null && state == LinkState.UP) {
            current.finish();
        } else if (open != null) {
            var _ = open.close();
        }
    }

    /** One attempt and the connection it led to. */
    private final class Attempt implements ConnectionHandler.Owner {
        private final Connection attempt;

        private Attempt(Connection attempt) {
            this.attempt = attempt;
        }

        @Override
        public Connection authenticated(Channel opened, PrincipalId principal) {
            if (!principal.equals(remote)) {
                throw new ConnectionFault(Fault.WRONG_TARGET, principal + " answers instead of " + remote);
            }
            state = LinkState.UP;
            upSinceNanos = System.nanoTime();
            if (everUp) {
                attempt.counters().reconnects.increment();
            }
            everUp = true;
            return attempt;
        }

        @Override
        public void closed(Channel opened, @Nullable Connection ignored) {
            down(attempt, "connection closed");
        }
    }
}
