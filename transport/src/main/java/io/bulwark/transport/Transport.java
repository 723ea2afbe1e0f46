package io.bulwark.transport;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.wire.MessageCodecs;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One principal's access to the network: the event loops that its servers and links share, its credentials, the messages it
 * speaks, and its meters. Most processes have exactly one.
 */
public final class Transport implements AutoCloseable {
    private static final int ACCEPTS_TOGETHER = 16;

    private final TransportSettings settings;
    private final Credentials credentials;
    private final MessageCodecs codecs;
    private final ChannelSecurity security;
    private final TransportMetrics metrics;
    private final MeterRegistry registry;
    private final List<Gauge> gauges;
    private final EventLoopGroup loops;
    /** True if this transport owns the event loops; otherwise it shares those of another one. */
    private final boolean ownsLoops;

    private final AtomicLong queuedBytes = new AtomicLong();
    private final AtomicLong inboundBytes = new AtomicLong();
    private final UnfinishedFrames unfinished;
    private final boolean epoll = Epoll.isAvailable();
    private final Set<TransportServer> servers = ConcurrentHashMap.newKeySet();
    private final Set<PeerLink> links = ConcurrentHashMap.newKeySet();

    private volatile boolean closed;

    private Transport(
            TransportSettings settings,
            Credentials credentials,
            MessageCodecs codecs,
            MeterRegistry registry,
            @Nullable EventLoopGroup lent) {
        if (codecs.knowsFamilyOf(ControlCodec.FAMILY << 8)) {
            throw new IllegalArgumentException("family " + ControlCodec.FAMILY + " belongs to the transport");
        }
        this.settings = settings;
        this.credentials = credentials;
        this.codecs = codecs;
        this.security = switch (credentials) {
            case TlsCredentials tls -> new TlsChannels(tls);
            case InsecureLoopback plain -> new MacChallenge(plain.keys());
        };
        this.unfinished = new UnfinishedFrames(settings.unfinishedTotalBytes());
        this.metrics = new TransportMetrics(registry);
        this.registry = registry;
        this.gauges = new ArrayList<>(List.of(
                Gauge.builder(
                                "bulwark.transport.connections",
                                servers,
                                all -> all.stream()
                                        .mapToInt(TransportServer::connectionCount)
                                        .sum())
                        .description("Open connections that others have made.")
                        .register(registry),
                Gauge.builder("bulwark.transport.queued", queuedBytes, AtomicLong::doubleValue)
                        .description("Bytes of messages that wait for a connection to take them.")
                        .baseUnit("bytes")
                        .register(registry),
                Gauge.builder("bulwark.transport.undone", inboundBytes, AtomicLong::doubleValue)
                        .description("Bytes of received messages that are not processed yet.")
                        .baseUnit("bytes")
                        .register(registry),
                Gauge.builder("bulwark.transport.unfinished", unfinished, UnfinishedFrames::bytes)
                        .description("Bytes of frames that have arrived in part.")
                        .baseUnit("bytes")
                        .register(registry)));
        if (credentials instanceof TlsCredentials tls) {
            gauges.add(Gauge.builder("bulwark.transport.certificate.seconds", tls, TlsCredentials::secondsLeft)
                    .description("Time until the own certificate ends.")
                    .register(registry));
        }
        this.ownsLoops = lent == null;
        this.loops = lent == null ? newLoops(settings, credentials.self(), epoll) : lent;
    }

    private static EventLoopGroup newLoops(TransportSettings settings, PrincipalId self, boolean epoll) {
        IoHandlerFactory io = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        return new MultiThreadIoEventLoopGroup(
                settings.eventLoopThreads(), new DefaultThreadFactory("transport-" + self, true), io);
    }

    /**
     * Opens a transport.
     *
     * @param credentials who it is, and how connections are secured
     * @param codecs what may be sent and received; family 4 is the transport's own
     */
    public static Transport open(
            TransportSettings settings, Credentials credentials, MessageCodecs codecs, MeterRegistry registry) {
        return new Transport(settings, credentials, codecs, registry, null);
    }

    /** Does the same as {@link #open(TransportSettings, Credentials, MessageCodecs, MeterRegistry)}, with a registry of its own. */
    public static Transport open(TransportSettings settings, Credentials credentials, MessageCodecs codecs) {
        return open(settings, credentials, codecs, new SimpleMeterRegistry());
    }

    /** A transport of {@link InsecureLoopback}. */
    public static Transport open(
            TransportSettings settings, PairwiseKeys keys, MessageCodecs codecs, MeterRegistry registry) {
        return open(settings, new InsecureLoopback(keys), codecs, registry);
    }

    /** A transport of {@link InsecureLoopback}, with a registry of its own. */
    public static Transport open(TransportSettings settings, PairwiseKeys keys, MessageCodecs codecs) {
        return open(settings, new InsecureLoopback(keys), codecs);
    }

    /**
     * Another principal in this process, with the same settings, on the event loops of this transport, which must be closed after it.
     * So a process can be many clients without as many threads and descriptors.
     */
    public Transport beside(Credentials another) {
        requireOpen();
        return new Transport(settings, another, codecs, new SimpleMeterRegistry(), loops);
    }

    public PrincipalId self() {
        return credentials.self();
    }

    public TransportSettings settings() {
        return settings;
    }

    /**
     * Listens, and returns once connections are accepted.
     *
     * @param address port 0 takes any free port: {@link TransportServer#boundAddress()} tells which; a name is looked up now
     * @throws UnsafeAddressException if the security in use does not protect connections at this address
     * @throws IOException if the address cannot be bound
     */
    public TransportServer listen(InetSocketAddress address, InboundHandler handler) throws IOException {
        requireOpen();
        InetSocketAddress local = Destination.resolve(address);
        security.check(local);
        return TransportServer.bind(this, local, handler);
    }

    /**
     * Starts a link, which connects at once and reconnects until it is closed.
     *
     * @param address may be unresolved: it is looked up for each attempt, and checked then
     * @throws UnsafeAddressException if the security in use does not protect connections to this address
     * @throws IllegalArgumentException if it could never be authenticated: no key is shared with the remote principal
     */
    public PeerLink link(PrincipalId remote, InetSocketAddress address, InboundHandler handler) {
        requireOpen();
        if (!address.isUnresolved()) {
            security.check(address);
        }
        if (!security.knows(remote)) {
            throw new IllegalArgumentException(self() + " shares no key with " + remote + " at " + address);
        }
        PeerLink link = new PeerLink(this, remote, address, handler);
        links.add(link);
        link.start();
        return link;
    }

    /**
     * An event loop; with {@link TransportSettings#eventLoopThreads} of 1, that of all connections. Whoever takes decisions here
     * needs no other thread between a message and its answers, and must neither block nor compute for long.
     */
    public ScheduledExecutorService eventLoop() {
        return loops.next();
    }

    /**
     * Closes all servers and links, giving what they queued {@code closeMillis} to leave, and ends its event loops.
     * Waits for that, so it must not be called on an event loop.
     */
    @Override
    public void close() {
        closed = true;
        try (ExecutorService closing = Executors.newVirtualThreadPerTaskExecutor()) {
            servers.forEach(server -> closing.execute(server::close));
            links.forEach(link -> closing.execute(link::close));
        }
        security.close();
        // Another transport may be opened with the same registry.
        gauges.forEach(registry::remove);
        if (ownsLoops) {
            var unused =
                    loops.shutdownGracefully(0, 1_000, TimeUnit.MILLISECONDS).awaitUninterruptibly();
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the transport of " + self() + " is closed");
        }
    }

    void opened(TransportServer server) {
        servers.add(server);
    }

    void closed(TransportServer server) {
        servers.remove(server);
    }

    void closed(PeerLink link) {
        links.remove(link);
    }

    MessageCodecs codecs() {
        return codecs;
    }

    /** Returns the bytes queued on all connections together. */
    AtomicLong queuedBytes() {
        return queuedBytes;
    }

    /** Returns the bytes of unfinished messages of all connections. */
    AtomicLong inboundBytes() {
        return inboundBytes;
    }

    UnfinishedFrames unfinished() {
        return unfinished;
    }

    ChannelSecurity security() {
        return security;
    }

    TransportMetrics metrics() {
        return metrics;
    }

    EventLoopGroup loops() {
        return loops;
    }

    void keepAlive(SocketChannel channel) {
        Keepalive.applyTo(channel, epoll);
    }

    /**
     * Returns the number of connections accepted at a time. NIO would accept them all before one is looked at, even
     * without room for more.
     */
    int acceptBatchSize() {
        return epoll ? ACCEPTS_TOGETHER : 1;
    }

    Class<? extends ServerSocketChannel> serverChannel() {
        return epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
    }

    Class<? extends SocketChannel> socketChannel() {
        return epoll ? EpollSocketChannel.class : NioSocketChannel.class;
    }
}
