package io.bulwark.transport;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.transport.identity.RefusedCertificateException;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.AttributeKey;
import java.net.InetSocketAddress;
import java.security.cert.Certificate;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/**
 * TLS below the frames. Only the certificate identifies the other end. In TLS 1.3 the connecting side finishes before
 * the other has seen its certificate. The accepting side therefore sends READY, as after a {@link MacChallenge}, once
 * it has accepted the certificate.
 */
final class TlsChannels implements ChannelSecurity {
    private static final AttributeKey<Certificate[]> CHAIN = AttributeKey.valueOf("bulwark.peer.certificate");

    /** Maximum wait on closing until the close notice has left. */
    private static final long CLOSE_NOTICE_MILLIS = 500;

    private static final long HANDSHAKES_REST_MILLIS = 10_000;

    private final TlsCredentials credentials;

    /** Executor for handshakes: their computations take milliseconds, too long for the event loop. */
    private final ThreadPoolExecutor handshakes;

    private final Set<Channel> open = ConcurrentHashMap.newKeySet();
    private final Runnable listener = this::checkAll;

    TlsChannels(TlsCredentials credentials) {
        this.credentials = credentials;
        handshakes = new ThreadPoolExecutor(
                1,
                1,
                HANDSHAKES_REST_MILLIS,
                TimeUnit.MILLISECONDS,
                new LinkedBlockingQueue<>(),
                Thread.ofPlatform()
                        .daemon()
                        .name("handshakes-" + credentials.self())
                        .factory());
        handshakes.allowCoreThreadTimeOut(true);
        credentials.onTrust(listener);
    }

    @Override
    public void check(InetSocketAddress address) {
        if (address.isUnresolved()) {
            throw new UnsafeAddressException("cannot resolve " + address.getHostString());
        }
    }

    /** Anybody may become known while a link tries. */
    @Override
    public boolean knows(PrincipalId remote) {
        return true;
    }

    @Override
    public Object shown() {
        return credentials.connecting();
    }

    @Override
    public void accepting(ChannelPipeline pipeline) {
        install(pipeline, credentials.accepting(), new FinalHandler(null));
    }

    @Override
    public void connecting(ChannelPipeline pipeline, PrincipalId remote) {
        install(pipeline, credentials.connecting(), new FinalHandler(remote));
    }

    @Override
    public void close() {
        credentials.forget(listener);
        handshakes.shutdown();
    }

    private void install(ChannelPipeline pipeline, SslContext context, FinalHandler ending) {
        HandshakeClock clock = HandshakeClock.of(pipeline.channel());
        SslHandler tls = context.newHandler(pipeline.channel().alloc(), task -> compute(clock, task));
        // ConnectionHandler has the one deadline of the whole handshake.
        tls.setHandshakeTimeoutMillis(0);
        tls.setCloseNotifyFlushTimeoutMillis(CLOSE_NOTICE_MILLIS);
        pipeline.addFirst(tls);
        pipeline.addLast(ending);
    }

    /** Runs a task in its turn; the clock stops meanwhile, since the other side is not the cause of the wait. */
    private void compute(HandshakeClock clock, Runnable task) {
        clock.stop();
        handshakes.execute(() -> {
            try {
                task.run();
            } finally {
                clock.proceed();
            }
        });
    }

    /** Closes the connections of those who are not trusted any more. */
    private void checkAll() {
        for (Channel channel : open) {
            Certificate[] chain = channel.attr(CHAIN).get();
            try {
                if (chain != null) {
                    credentials.check(chain);
                }
            } catch (RefusedCertificateException e) {
                channel.eventLoop()
                        .execute(() -> channel.pipeline()
                                .fireExceptionCaught(new ConnectionFault(
                                        Fault.NOT_TRUSTED_ANY_MORE, String.valueOf(e.getMessage()))));
            }
        }
    }

    /** Handler of the last step: identifies the peer, and sends READY. */
    private final class FinalHandler extends ChannelInboundHandlerAdapter {
        private final @Nullable PrincipalId wanted;
        private @Nullable PrincipalId found;

        private FinalHandler(@Nullable PrincipalId wanted) {
            this.wanted = wanted;
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (!(event instanceof SslHandshakeCompletionEvent done)) {
                ctx.fireUserEventTriggered(event);
                return;
            }
            if (!done.isSuccess()) {
                throw ConnectionFault.ofTls(done.cause());
            }
            PrincipalId peer = peer(ctx);
            if (wanted == null) {
                MacChallenge.send(ctx, new ControlMessage.Ready());
                MacChallenge.finish(ctx, peer);
            } else if (wanted.equals(peer)) {
                found = peer;
            } else {
                throw new ConnectionFault(Fault.WRONG_TARGET, peer + " answers instead of " + wanted);
            }
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            if (found == null || !(((ReceivedFrame) message).message() instanceof ControlMessage.Ready)) {
                throw MacChallenge.outOfOrder(((ReceivedFrame) message).message());
            }
            MacChallenge.finish(ctx, found);
        }

        /**
         * Translates an alert into a refusal. The other side has proved its identity and has judged the certificate
         * that this side presented.
         */
        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            PrincipalId who = found;
            ctx.fireExceptionCaught(
                    who != null && cause instanceof DecoderException && cause.getCause() instanceof SSLException said
                            ? ConnectionFault.ofRefusal(who, credentials.self(), said)
                            : cause);
        }

        /**
         * Refuses a peer with which TLS has agreed on no version. TLS authenticates the choice, so that nobody in
         * between can force an older version.
         */
        private void requireCommonVersion(Channel channel, PrincipalId peer) {
            List<String> names = credentials.versions().names();
            String agreed = channel.pipeline().get(SslHandler.class).applicationProtocol();
            if (agreed == null || !names.contains(agreed)) {
                throw new ConnectionFault(
                        Fault.HANDSHAKE_VERSION,
                        peer + " offers none of the wire versions of this process, " + String.join(" and ", names)
                                + ": upgrade the older of the two");
            }
        }

        /** Asked after the handshake too: a session that is resumed shows no certificate again. */
        private PrincipalId peer(ChannelHandlerContext ctx) {
            Channel channel = ctx.channel();
            try {
                Certificate[] chain = channel.pipeline()
                        .get(SslHandler.class)
                        .engine()
                        .getSession()
                        .getPeerCertificates();
                channel.attr(CHAIN).set(chain);
                open.add(channel);
                var unused = channel.closeFuture().addListener(ignored -> open.remove(channel));
                PrincipalId peer = credentials.check(chain);
                requireCommonVersion(channel, peer);
                return peer;
            } catch (RefusedCertificateException | SSLPeerUnverifiedException e) {
                throw ConnectionFault.ofTls(e);
            }
        }
    }
}
