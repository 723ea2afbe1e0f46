package io.bulwark.gateway.s3.http;

import io.bulwark.gateway.s3.access.AccessKeys;
import io.bulwark.gateway.s3.request.Operations;
import io.bulwark.gateway.s3.signature.Authenticator;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** HTTP server that verifies requests of the S3 protocol and hands them to {@link Operations}. Thread-safe. */
public final class S3Server implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(S3Server.class);
    private static final int LOOPS =
            Math.max(1, Math.min(4, Runtime.getRuntime().availableProcessors()));
    private static final int BACKLOG = 1_024;
    private static final int READ_BYTES_MAX = 128 << 10;
    /** Bytes of a response that wait for the client: with them ends the wait of {@link WriteGate}. */
    private static final WriteBufferWaterMark WATER_MARK = new WriteBufferWaterMark(128 << 10, 384 << 10);

    private static final long STOP_POLL_MILLIS = 10;

    private final S3Settings settings;
    private final ServerContext context;
    private final S3Meters meters;
    private final EventLoopGroup loops;
    private final Channel listening;
    private final Map<Channel, HttpConnection> connections = new ConcurrentHashMap<>();
    private final AtomicBoolean closed = new AtomicBoolean();

    private S3Server(S3Settings settings, ServerContext context, S3Meters meters) throws IOException {
        this.settings = settings;
        this.context = context;
        this.meters = meters;
        boolean isEpoll = Epoll.isAvailable();
        IoHandlerFactory io = isEpoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        this.loops = new MultiThreadIoEventLoopGroup(LOOPS, new DefaultThreadFactory("s3", true), io);
        Class<? extends ServerChannel> type = isEpoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
        AdaptiveRecvByteBufAllocator buffers = new AdaptiveRecvByteBufAllocator(512, 8 << 10, READ_BYTES_MAX);
        ChannelFuture bound = new ServerBootstrap()
                .group(loops)
                .channel(type)
                .option(ChannelOption.SO_REUSEADDR, true)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childOption(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
                .childOption(ChannelOption.RECVBUF_ALLOCATOR, buffers)
                .childHandler(new Initializer())
                .bind(settings.address())
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            var _ = loops.shutdownGracefully(0, 0, TimeUnit.MILLISECONDS);
            throw new IOException(
                    "the S3 gateway cannot listen on " + settings.address() + ": "
                            + bound.cause().getMessage(),
                    bound.cause());
        }
        this.listening = bound.channel();
    }

    /**
     * Starts a server.
     *
     * @throws IOException if it cannot listen at its address
     */
    public static S3Server start(
            S3Settings settings, AccessKeys accessKeys, Operations operations, MeterRegistry registry)
            throws IOException {
        return start(settings, new Authenticator(accessKeys, InstantSource.system()), operations, registry);
    }

    static S3Server start(
            S3Settings settings, Authenticator authenticator, Operations operations, MeterRegistry registry)
            throws IOException {
        S3Meters meters = new S3Meters(registry);
        try {
            return new S3Server(settings, new ServerContext(settings, authenticator, operations, meters), meters);
        } catch (IOException e) {
            meters.close();
            throw e;
        }
    }

    /** Returns the address on which this server listens, with the port that it really got. */
    public InetSocketAddress boundAddress() {
        return (InetSocketAddress) listening.localAddress();
    }

    /**
     * Accepts nothing more, gives requests in processing some time to finish, and closes all connections. Waits for that.
     */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        context.stop();
        var _ = listening.close().awaitUninterruptibly();
        connections.forEach((channel, connection) -> channel.eventLoop().execute(connection::stop));
        boolean finished = awaitIdle(settings.limits().times().stopMillis());
        connections.keySet().forEach(channel -> {
            var _ = channel.close().awaitUninterruptibly();
        });
        if (!finished) {
            LOG.warn("the S3 gateway stops within requests, which fail");
            context.interrupt();
            awaitIdle(settings.limits().times().stopMillis());
        }
        var _ = loops.shutdownGracefully(0, 1_000, TimeUnit.MILLISECONDS).awaitUninterruptibly();
        meters.close();
    }

    private boolean awaitIdle(long millis) {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (!context.isIdle()) {
            if (System.nanoTime() - deadline >= 0) {
                return false;
            }
            try {
                Thread.sleep(STOP_POLL_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return true;
    }

    /** Closes the connection that has been without a request for longest; returns whether there was one. */
    private boolean evictLongestIdle() {
        HttpConnection longest = null;
        long since = Long.MAX_VALUE;
        for (HttpConnection connection : connections.values()) {
            long idle = connection.idleSince();
            if (idle > 0 && idle < since) {
                longest = connection;
                since = idle;
            }
        }
        return longest != null && longest.tryEvict(since);
    }

    private HttpDecoderConfig decoderConfig() {
        S3Limits.Head head = settings.limits().head();
        return new HttpDecoderConfig()
                .setMaxInitialLineLength(head.lineBytesMax())
                .setMaxHeaderSize(head.headerBytesMax())
                .setMaxChunkSize(READ_BYTES_MAX)
                .setAllowDuplicateContentLengths(false)
                .setAllowPartialChunks(true)
                .setStrictLineParsing(true)
                .setUseRfc9112TransferEncoding(true);
    }

    private final class Initializer extends ChannelInitializer<SocketChannel> {
        @Override
        protected void initChannel(SocketChannel channel) {
            if (context.isStopping()) {
                var _ = channel.close();
                return;
            }
            if (connections.size() >= settings.limits().connectionsMax() && !evictLongestIdle()) {
                meters.refusedConnections.increment();
                var _ = channel.close();
                return;
            }
            HttpConnection connection = new HttpConnection(context, channel);
            connections.put(channel, connection);
            meters.connections.incrementAndGet();
            var _ = channel.closeFuture().addListener(_ -> {
                connections.remove(channel);
                meters.connections.decrementAndGet();
            });
            ChannelPipeline pipeline = channel.pipeline();
            settings.tls().ifPresent(tls -> pipeline.addLast(tls.context().newHandler(channel.alloc())));
            pipeline.addLast(new Decoder(decoderConfig()))
                    .addLast(new BodilessResponse.Encoder())
                    .addLast(connection);
        }
    }

    /** Decoder that takes no message whose length is given in two ways. */
    private static final class Decoder extends HttpRequestDecoder {
        Decoder(HttpDecoderConfig config) {
            super(config);
        }

        @Override
        protected void handleTransferEncodingChunkedWithContentLength(HttpMessage message) {
            throw new IllegalArgumentException("both Transfer-Encoding and Content-Length");
        }
    }
}
