package io.bulwark.transport;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.protocol.wire.WireWriter;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates both ends under their pairwise key: HELLO(version, from, to, nonce), CHALLENGE(nonce, MAC), PROOF(MAC),
 * READY. Both MACs cover the role, the version, both principals and both nonces, so that none can be replayed,
 * reflected, or passed on to another party. Later frames are not protected against a man in the middle: loopback only.
 */
final class MacChallenge implements ChannelSecurity {
    static final int VERSION = 1;
    static final MessageCodecs CODECS = new MessageCodecs(new ControlCodec());
    private static final String CHALLENGE_TAG = "bulwark transport challenge";
    private static final String PROOF_TAG = "bulwark transport proof";

    private final PairwiseKeys keys;
    private final SecureRandom random = new SecureRandom();

    MacChallenge(PairwiseKeys keys) {
        this.keys = keys;
    }

    @Override
    public void check(InetSocketAddress address) {
        if (address.isUnresolved()) {
            throw new UnsafeAddressException("cannot resolve " + address.getHostString());
        }
        if (!address.getAddress().isLoopbackAddress()) {
            throw new UnsafeAddressException("refused " + address + ": without TLS, connections are neither encrypted"
                    + " nor protected from changes, so only loopback addresses (127.0.0.1, ::1) are allowed");
        }
    }

    @Override
    public boolean knows(PrincipalId remote) {
        return keys.knows(remote);
    }

    @Override
    public Object shown() {
        return this;
    }

    @Override
    public void accepting(ChannelPipeline pipeline) {
        pipeline.addLast(new Accepting());
    }

    @Override
    public void connecting(ChannelPipeline pipeline, PrincipalId remote) {
        pipeline.addLast(new Connecting(remote));
    }

    /** The MAC of the accepting side. */
    static Bytes challengeMac(PairwiseKeys keys, PrincipalId peer, ControlMessage.Hello hello, Bytes nonce) {
        return keys.mac(peer, macInput(CHALLENGE_TAG, hello, nonce));
    }

    /** The MAC of the connecting side. */
    static Bytes proofMac(PairwiseKeys keys, PrincipalId peer, ControlMessage.Hello hello, Bytes nonce) {
        return keys.mac(peer, macInput(PROOF_TAG, hello, nonce));
    }

    private static Bytes macInput(String tag, ControlMessage.Hello hello, Bytes acceptingNonce) {
        WireWriter out = new WireWriter().string(tag).u16(hello.version());
        hello.from().write(out);
        hello.to().write(out);
        return out.raw(hello.nonce()).raw(acceptingNonce).toBytes();
    }

    private Bytes nonce() {
        byte[] nonce = new byte[ControlMessage.NONCE_BYTES];
        random.nextBytes(nonce);
        return Bytes.of(nonce);
    }

    static void send(ChannelHandlerContext ctx, ControlMessage message) {
        byte[][] segments =
                CODECS.frame(0, message).stream().map(Bytes::toByteArray).toArray(byte[][]::new);
        var unused = ctx.writeAndFlush(Unpooled.wrappedBuffer(segments), ctx.voidPromise());
    }

    static ConnectionFault outOfOrder(Object message) {
        return new ConnectionFault(
                Fault.HANDSHAKE_ORDER, "unexpected " + message.getClass().getSimpleName());
    }

    static void finish(ChannelHandlerContext ctx, PrincipalId principal) {
        ctx.fireUserEventTriggered(new Authenticated(principal));
        ctx.pipeline().remove(ctx.handler());
    }

    private final class Accepting extends ChannelInboundHandlerAdapter {
        private ControlMessage.@Nullable Hello hello;
        private Bytes nonce = Bytes.EMPTY;

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            switch (((ReceivedFrame) message).message()) {
                case ControlMessage.Hello first when hello == null -> onHello(ctx, first);
                case ControlMessage.Proof proof when hello != null -> onProof(ctx, hello, proof);
                default -> throw outOfOrder(((ReceivedFrame) message).message());
            }
        }

        private void onHello(ChannelHandlerContext ctx, ControlMessage.Hello first) {
            if (first.version() != VERSION) {
                throw new ConnectionFault(
                        Fault.HANDSHAKE_VERSION, "version " + first.version() + ", supported is " + VERSION);
            }
            if (!first.to().equals(keys.self())) {
                throw new ConnectionFault(Fault.WRONG_TARGET, first.from() + " looks for " + first.to());
            }
            if (!keys.knows(first.from())) {
                throw new ConnectionFault(Fault.UNKNOWN_PRINCIPAL, "no key for " + first.from());
            }
            hello = first;
            nonce = nonce();
            send(ctx, new ControlMessage.Challenge(nonce, challengeMac(keys, first.from(), first, nonce)));
        }

        private void onProof(ChannelHandlerContext ctx, ControlMessage.Hello first, ControlMessage.Proof proof) {
            if (!keys.verify(first.from(), macInput(PROOF_TAG, first, nonce), proof.mac())) {
                throw new ConnectionFault(Fault.WRONG_MAC, "unproven claim to be " + first.from());
            }
            send(ctx, new ControlMessage.Ready());
            finish(ctx, first.from());
        }
    }

    private final class Connecting extends ChannelInboundHandlerAdapter {
        private final ControlMessage.Hello hello;
        private boolean proved;

        private Connecting(PrincipalId remote) {
            hello = new ControlMessage.Hello(VERSION, keys.self(), remote, nonce());
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            send(ctx, hello);
            ctx.fireChannelActive();
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            switch (((ReceivedFrame) message).message()) {
                case ControlMessage.Challenge challenge when !proved -> onChallenge(ctx, challenge);
                case ControlMessage.Ready ready when proved -> finish(ctx, hello.to());
                default -> throw outOfOrder(((ReceivedFrame) message).message());
            }
        }

        private void onChallenge(ChannelHandlerContext ctx, ControlMessage.Challenge challenge) {
            Bytes input = macInput(CHALLENGE_TAG, hello, challenge.nonce());
            if (!keys.verify(hello.to(), input, challenge.mac())) {
                throw new ConnectionFault(Fault.WRONG_MAC, "unproven claim to be " + hello.to());
            }
            proved = true;
            send(ctx, new ControlMessage.Proof(proofMac(keys, hello.to(), hello, challenge.nonce())));
        }
    }
}
