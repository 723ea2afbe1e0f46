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
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to one principal at one address. It reconnects after each break, after pauses that double up to a
 * bound and vary by chance ({@link Retries}). An address by name is looked up for each attempt. Now and then it
 * replaces its connection by a fresh one, under fresh keys; messages in flight finish on the old one. Messages may be
 * lost with a connection, and are never repeated.
 */
public final class PeerLink implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PeerLink.class);

    /** Number of tries of a failing renewal in the life of a connection: a server closes it after two lives. */
    private static final int RENEWAL_TRIES = 16;

    private static final long HURRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Maximum time for which answers may come on a connection that was replaced. */
    private static final long LINGER_MILLIS_MAX = 30_000;

    private final Transport transport;
    private final PrincipalId remote;
    private final InetSocketAddress address;
    private final InboundHandler handler;
    private final EventLoop loop;
    private volatile @Nullable Connection connection;
    private volatile LinkState state = LinkState.WAITING;
    private volatile @Nullable Channel channel;
    private volatile @Nullable Refused refused;
    private final AtomicBoolean closed = new AtomicBoolean();

    // confined to the loop
    private @Nullable Future<?> nextAttempt;
    private @Nullable Future<?> nextRenewal;
    /** Connection that replaces the present one once it is authenticated. */
    private @Nullable Connection renewal;
    /** Channels of the renewal, and of replaced connections that wait for their last answers. */
    private final Set<Channel> others = new HashSet<>();

    private final Retries retries = new Retries();
    /** Stands for the certificate that the attempt shows. */
    private Object shown;

    private long hurriedNanos;
    private long upSinceNanos;
    private boolean everUp;

    PeerLink(Transport transport, PrincipalId remote, InetSocketAddress address, InboundHandler handler) {
        this.transport = transport;
        this.remote = remote;
        this.address = address;
        this.handler = handler;
        this.loop = transport.loops().next();
        this.shown = transport.security().shown();
    }

    /** Returns the principal that must be at the other end. */
    public PrincipalId principal() {
        return remote;
    }

    public InetSocketAddress address() {
        return address;
    }

    public LinkState state() {
        return closed.get() ? LinkState.CLOSED : state;
    }

    /** A row of refusals, and what stands for the certificate that was shown in its attempts. */
    private record Refused(LinkRefusal row, Object shown) {}

    /**
     * Returns the refusal if the last attempt ended since one side rejects the other. Refusals of other certificates do
     * not count.
     */
    public Optional<LinkRefusal> refusal() {
        Refused last = refused;
        return last != null && last.shown().equals(transport.security().shown())
                ? Optional.of(last.row())
                : Optional.empty();
    }

    /**
     * Sends as {@link Peer#send} does. While the link is {@link LinkState#CONNECTING} messages wait for the attempt's
     * outcome and are dropped if it fails; while it is {@link LinkState#WAITING} they are refused.
     */
    public boolean send(long requestId, Message message) {
        return dispatch(requestId, message).isPresent();
    }

    /** Does the same as {@link #send}, and tells what becomes of the message; nothing where that gives false. */
    public Optional<Delivery> dispatch(long requestId, Message message) {
        Connection current = connection;
        if (current == null || closed.get()) {
            transport.metrics().of(remote).dropsDisconnected.increment();
            return Optional.empty();
        }
        return current.dispatch(requestId, message);
    }

    /** Returns whether it is up or about to be, and its queue has room. */
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
        loop.submit(this::closeOnLoop).awaitUninterruptibly();
        Channel open = channel;
        if (open != null
                && !open.closeFuture().awaitUninterruptibly(transport.settings().closeMillis())) {
            open.close().awaitUninterruptibly();
        }
        transport.closed(this);
    }

    /**
     * Retries a waiting attempt at once, because the other side was just seen to be reachable and to know this one. The
     * rate is limited.
     */
    public void hurry() {
        try {
            loop.execute(this::hurryOnLoop);
        } catch (RejectedExecutionException e) {
            LOG.debug("the transport closed before a retry of {}", remote);
        }
    }

    private void hurryOnLoop() {
        long now = System.nanoTime();
        Future<?> attempt = nextAttempt;
        if (state == LinkState.WAITING
                && attempt != null
                && (hurriedNanos == 0 || now - hurriedNanos > HURRY_NANOS)
                && attempt.cancel(false)) {
            hurriedNanos = now;
            retries.forget();
            connect(prepare());
        }
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
        shown = transport.security().shown();
        return attempt;
    }

    private void connect(Connection attempt) {
        if (!address.isUnresolved()) {
            connect(attempt, address);
            return;
        }
        // To look a name up may take seconds, which the other connections of this loop do not have.
        Thread.ofVirtual().name("resolve-" + remote).start(() -> {
            InetSocketAddress found = Destination.resolve(address);
            try {
                loop.execute(() -> connect(attempt, found));
            } catch (RejectedExecutionException e) {
                LOG.debug("the transport closed before {} was resolved", address);
            }
        });
    }

    private void connect(Connection attempt, InetSocketAddress target) {
        if (closed.get()) {
            down(attempt, "the link is closed");
            return;
        }
        if (address.isUnresolved()) {
            try {
                transport.security().check(target);
            } catch (UnsafeAddressException e) {
                down(attempt, String.valueOf(e.getMessage()));
                return;
            }
        }
        Attempt owner = new Attempt(attempt);
        ChannelFuture connecting = new Bootstrap()
                .group(loop)
                .channel(transport.socketChannel())
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                        transport.settings().handshakeTimeoutMillis())
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, TransportServer.WATER_MARK)
                .option(ChannelOption.RECVBUF_ALLOCATOR, TransportServer.receiveBuffers(transport.settings()))
                .handler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel opened) {
                        transport.keepAlive(opened);
                        ConnectionHandler.install(transport, owner, opened.pipeline(), remote);
                    }
                })
                .connect(target);
        Channel opening = connecting.channel();
        if (attempt == connection) {
            channel = opening;
        } else {
            others.add(opening);
            var unused = opening.closeFuture().addListener(ignored -> others.remove(opening));
        }
        var unused = connecting.addListener(done -> {
            if (!done.isSuccess()) {
                down(attempt, String.valueOf(done.cause().getMessage()));
            }
        });
    }

    /** The attempt failed or its connection broke: pauses and tries again, unless there is another connection. */
    private void down(Connection attempt, String why) {
        if (attempt != connection) {
            attempt.detach();
            if (attempt == renewal) {
                LOG.info(
                        "no new connection with {} at {}: {}; the previous one is kept",
                        remote,
                        Destination.text(address),
                        why);
                renewal = null;
                scheduleRenewal(transport.settings().connectionLifeMillis() / RENEWAL_TRIES);
            }
            return;
        }
        if (nextRenewal != null) {
            nextRenewal.cancel(false);
        }
        if (renewal != null) {
            connection = renewal;
            renewal = null;
            state = LinkState.CONNECTING;
            attempt.detach();
            return;
        }
        boolean wasUp = state == LinkState.UP;
        TransportSettings settings = transport.settings();
        long upNanos = wasUp ? System.nanoTime() - upSinceNanos : 0;
        if (upNanos > TimeUnit.MILLISECONDS.toNanos(settings.reconnectMaxMillis())) {
            retries.forget();
        }
        connection = null;
        state = LinkState.WAITING;
        LinkRefusal row = retries.ended(shown, System.nanoTime());
        refused = row == null ? null : new Refused(row, shown);
        attempt.detach();
        if (closed.get()) {
            return;
        }
        if (!retries.any() || wasUp) {
            LOG.info("no connection with {} at {}: {}; retrying", remote, Destination.text(address), why);
        }
        long pauseMillis = retries.pauseMillis(settings, ThreadLocalRandom.current());
        nextAttempt = loop.schedule(() -> connect(prepare()), pauseMillis, TimeUnit.MILLISECONDS);
    }

    private void scheduleRenewal(long inMillis) {
        if (!closed.get()) {
            nextRenewal = loop.schedule(this::renew, inMillis, TimeUnit.MILLISECONDS);
        }
    }

    /** Begins a connection beside the one that there is. */
    private void renew() {
        if (!closed.get() && state == LinkState.UP && renewal == null) {
            Connection fresh = new Connection(transport, remote, address, handler, false);
            renewal = fresh;
            connect(fresh);
        }
    }

    /** Replaces the connection. New messages use the fresh one; answers still come on the previous one, for a while. */
    private void replace(Connection before, Channel beforeChannel) {
        others.add(beforeChannel);
        var unused = beforeChannel.closeFuture().addListener(ignored -> others.remove(beforeChannel));
        long lingerMillis = Math.min(LINGER_MILLIS_MAX, transport.settings().connectionLifeMillis() / 4 + 1);
        var unusedTimer = loop.schedule(before::finish, lingerMillis, TimeUnit.MILLISECONDS);
    }

    private void closeOnLoop() {
        if (nextAttempt != null) {
            nextAttempt.cancel(false);
        }
        if (nextRenewal != null) {
            nextRenewal.cancel(false);
        }
        for (Channel other : List.copyOf(others)) {
            var unused = other.close();
        }
        Connection current = connection;
        Channel open = channel;
        if (current != null && state == LinkState.UP) {
            current.finish();
        } else if (open != null) {
            var unused = open.close();
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
            others.remove(opened);
            Connection before = connection;
            Channel beforeChannel = channel;
            if (attempt == renewal && before != null && beforeChannel != null) {
                renewal = null;
                connection = attempt;
                replace(before, beforeChannel);
                attempt.counters().renewals.increment();
            } else if (everUp) {
                attempt.counters().reconnects.increment();
            }
            channel = opened;
            everUp = true;
            retries.up();
            refused = null;
            state = LinkState.UP;
            upSinceNanos = System.nanoTime();
            long lifeMillis = transport.settings().connectionLifeMillis();
            scheduleRenewal(lifeMillis * 3 / 4 + ThreadLocalRandom.current().nextLong(lifeMillis / 2 + 1));
            return attempt;
        }

        /** While it is refused again and again the first time says it. */
        @Override
        public boolean isNews(Channel opened, Fault fault) {
            return attempt != connection || retries.isNews(fault);
        }

        @Override
        public void failed(Channel opened, Fault fault) {
            if (attempt == connection) {
                retries.failed(fault);
            }
        }

        @Override
        public void closed(Channel opened, @Nullable Connection ignored) {
            down(attempt, "connection closed");
        }
    }
}
