package io.bulwark.transport;

import io.bulwark.protocol.id.PrincipalId;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ServerChannelRecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Accepts connections at one address and hands the messages of all of them to one handler. */
public final class TransportServer implements AutoCloseable {
    /** Direct memory that Netty holds for one connection beyond the frame being written. */
    static final WriteBufferWaterMark WATER_MARK = new WriteBufferWaterMark(512 << 10, 1 << 20);

    /** Number of connections that the system queues until there is room for them in the handshake. */
    private static final int BACKLOG = 1_024;

    private final Transport transport;
    private final InboundHandler handler;
    private final Set<Channel> channels = ConcurrentHashMap.newKeySet();
    private final HandshakeLimiter handshakes;

    private final Map<Channel, Connection> connections = new ConcurrentHashMap<>();
    private final Map<Channel, Future<?>> ends = new ConcurrentHashMap<>();
    private final Map<PrincipalId, Integer> countByPrincipal = new HashMap<>();
    private volatile @Nullable Channel listening;
    private final AtomicBoolean closed = new AtomicBoolean();

    private TransportServer(Transport transport, InboundHandler handler) {
        this.transport = transport;
        this.handler = handler;
        this.handshakes = new HandshakeLimiter(transport.settings(), transport.metrics());
    }

    static TransportServer bind(Transport transport, InetSocketAddress address, InboundHandler handler)
            throws IOException {
        TransportServer server = new TransportServer(transport, handler);
        ChannelFuture bound = new ServerBootstrap()
                .group(transport.loops())
                .channel(transport.serverChannel())
                .option(ChannelOption.SO_REUSEADDR, true)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.RECVBUF_ALLOCATOR, acceptAllocator(transport.acceptBatchSize()))
                .handler(server.handshakes.new Entrance())
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
                .childOption(ChannelOption.RECVBUF_ALLOCATOR, receiveBuffers(transport.settings()))
                .childHandler(server.new Initializer())
                .bind(address)
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IOException(
                    transport.self() + " cannot listen on " + address + ": "
                            + bound.cause().getMessage(),
                    bound.cause());
        }
        server.listening = bound.channel();
        transport.opened(server);
        return server;
    }

    /** Limits the accepts in a row. After them the loop serves the existing connections, which may take long. */
    private static ServerChannelRecvByteBufAllocator acceptAllocator(int together) {
        ServerChannelRecvByteBufAllocator accepts = new ServerChannelRecvByteBufAllocator();
        accepts.maxMessagesPerRead(together);
        return accepts;
    }

    /** A fragment of 512 KiB should take few reads, a small message a small buffer; and one connection after the other is read. */
    static AdaptiveRecvByteBufAllocator receiveBuffers(TransportSettings settings) {
        AdaptiveRecvByteBufAllocator buffers = new AdaptiveRecvByteBufAllocator(512, 16 << 10, settings.readBytesMax());
        buffers.maxMessagesPerRead(1);
        return buffers;
    }

    /** Returns the address on which this server listens, with the port that it really got. */
    public InetSocketAddress boundAddress() {
        Channel channel = listening;
        if (channel == null) {
            throw new IllegalStateException("not bound");
        }
        return (InetSocketAddress) channel.localAddress();
    }

    /** Returns the number of authenticated connections. */
    public int connectionCount() {
        return connections.size();
    }

    /** Returns the number of handshakes in flight. */
    int handshakeCount() {
        return handshakes.size();
    }

    /**
     * Accepts nothing more, gives queued frames {@code closeMillis} to leave, and closes all connections. Waits for that,
     * so it must not be called on an event loop.
     */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        Channel channel = listening;
        if (channel != null) {
            var unused = channel.close().awaitUninterruptibly();
        }
        connections.forEach((each, connection) -> each.eventLoop().execute(connection::finish));
        long deadlineNanos = System.nanoTime()
                + TimeUnit.MILLISECONDS.toNanos(transport.settings().closeMillis());
        for (Channel each : connections.keySet()) {
            each.closeFuture()
                    .awaitUninterruptibly(Math.max(0, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
        }
        for (Channel each : channels) {
            var unused = each.close().awaitUninterruptibly();
        }
        transport.closed(this);
    }

    private final class Initializer extends ChannelInitializer<SocketChannel> {
        @Override
        protected void initChannel(SocketChannel channel) {
            Owner owner = new Owner();
            channels.add(channel);
            if (closed.get()) {
                channels.remove(channel);
                var unused = channel.close();
                return;
            }
            transport.keepAlive(channel);
            ConnectionHandler.install(transport, owner, channel.pipeline(), null);
        }
    }

    private void leave(PrincipalId principal) {
        synchronized (countByPrincipal) {
            countByPrincipal.computeIfPresent(principal, (ignored, count) -> count == 1 ? null : count - 1);
        }
    }

    private final class Owner implements ConnectionHandler.Owner {
        @Override
        public Connection authenticated(Channel channel, PrincipalId principal) {
            handshakes.onAuthenticated(channel);
            int max = transport.settings().connectionsPerPrincipalMax();
            synchronized (countByPrincipal) {
                int count = countByPrincipal.getOrDefault(principal, 0);
                if (count >= max) {
                    throw new ConnectionFault(
                            Fault.TOO_MANY_CONNECTIONS, principal + " has " + count + " connections already");
                }
                countByPrincipal.put(principal, count + 1);
            }
            Connection connection =
                    new Connection(transport, principal, (InetSocketAddress) channel.remoteAddress(), handler, true);
            connections.put(channel, connection);
            ends.put(
                    channel,
                    channel.eventLoop()
                            .schedule(
                                    () -> connection.disconnect("it is too old and was not renewed"),
                                    2 * transport.settings().connectionLifeMillis(),
                                    TimeUnit.MILLISECONDS));
            return connection;
        }

        @Override
        public boolean isNews(Channel channel, Fault fault) {
            return true;
        }

        @Override
        public void failed(Channel channel, Fault fault) {}

        @Override
        public void closed(Channel channel, @Nullable Connection connection) {
            channels.remove(channel);
            if (connection != null) {
                connections.remove(channel);
                Future<?> end = ends.remove(channel);
                if (end != null) {
                    end.cancel(false);
                }
                // Otherwise a peer that reconnects repeatedly would leave more behind each time.
                connection.detach(() -> leave(connection.principal()));
            }
        }
    }
}
