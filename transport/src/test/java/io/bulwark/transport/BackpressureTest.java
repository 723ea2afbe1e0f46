package io.bulwark.transport;

import static io.bulwark.transport.TestPrincipals.CLIENT;
import static io.bulwark.transport.TestPrincipals.NODE;
import static io.bulwark.transport.TestPrincipals.keys;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A slow side never makes the other keep more than its bounds. */
@NullMarked
class BackpressureTest {
    private static final TestMessage LARGE = TestMessage.ofLength(256 << 10, 1);
    /** Bytes that the kernel and one round of reading may hold beyond the transport's bounds. */
    private static final long SLACK_BYTES = 32L << 20;

    private final MeterRegistry atNode = new SimpleMeterRegistry();
    private final Transport node = Transport.open(TestPrincipals.settings(), keys(NODE), TestMessage.CODECS, atNode);

    @AfterEach
    void close() {
        node.close();
    }

    @Test
    void aPeerThatDoesNotReadIsSentNoMoreThanTheBound() throws IOException {
        Recorder recorder = new Recorder();
        TransportServer server = node.listen(TestPrincipals.anyPort(), recorder);
        try (RawSocket raw = RawSocket.authenticated(server.boundAddress(), keys(CLIENT), NODE)) {
            Peer peer = Recorder.next(recorder.connected);
            long max = (TestPrincipals.settings().outboundMaxBytes() + SLACK_BYTES)
                    / LARGE.bytes().length();
            long accepted = 0;
            while (peer.send(accepted, LARGE)) {
                accepted++;
                assertThat(accepted).isLessThan(max);
            }
            assertThat(peer.isWritable()).isFalse();
            assertThat(atNode.get("bulwark.transport.drops")
                            .tag("reason", "queue-full")
                            .counter()
                            .count())
                    .isPositive();
            for (long i = 0; i < accepted; i++) {
                assertThat(raw.receive(TestMessage.CODECS)).isEqualTo(LARGE);
            }
            await().until(peer::isWritable);
            await().until(() -> recorder.writable.get() > 0);
            assertThat(peer.send(1, LARGE)).isTrue();
            assertThat(raw.receive(TestMessage.CODECS)).isEqualTo(LARGE);
        }
        Recorder.next(recorder.disconnected);
    }

    @Test
    void whoDoesNotReadAnswersIsNotReadFrom() throws Exception {
        Recorder.Echo echo = new Recorder.Echo();
        TransportServer server = node.listen(TestPrincipals.anyPort(), echo);
        long total = TestPrincipals.settings().outboundHighBytes() + 4 * SLACK_BYTES;
        long frames = total / LARGE.bytes().length();
        try (RawSocket raw = RawSocket.authenticated(server.boundAddress(), keys(CLIENT), NODE)) {
            AtomicLong written = new AtomicLong();
            Thread writer = Thread.startVirtualThread(() -> {
                try {
                    byte[] frame = TestMessage.frame(1, LARGE);
                    for (long i = 0; i < frames; i++) {
                        raw.write(frame);
                        written.incrementAndGet();
                    }
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            settled(written);
            assertThat(written.get()).isLessThan(frames);
            for (long i = 0; i < frames; i++) {
                assertThat(raw.receive(TestMessage.CODECS)).isEqualTo(LARGE);
            }
            writer.join();
        }
    }

    @Test
    void nothingIsReadWhileTooMuchIsNotDone() throws Exception {
        Recorder hoard = new Recorder(true);
        TransportServer server = node.listen(TestPrincipals.anyPort(), hoard);
        long frames = 2 * SLACK_BYTES / LARGE.bytes().length();
        try (RawSocket raw = RawSocket.authenticated(server.boundAddress(), keys(CLIENT), NODE)) {
            Thread writer = Thread.startVirtualThread(() -> {
                try {
                    for (long i = 0; i < frames; i++) {
                        raw.write(TestMessage.frame(i, LARGE));
                    }
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            long inbound = TestPrincipals.settings().inboundMaxBytes();
            await().until(() -> (long) hoard.arrived.size() * LARGE.bytes().length() >= inbound / 2);
            for (long i = 0; i < frames; i++) {
                // one read may finish frames beyond the bound, no more than its buffer holds
                assertThat((hoard.arrived.size() - 2L) * LARGE.bytes().length()).isLessThanOrEqualTo(inbound);
                Recorder.Arrived next = Recorder.next(hoard.arrived);
                assertThat(next.requestId()).isEqualTo(i);
                next.done().run();
                next.done().run();
            }
            writer.join();
        }
    }

    @Test
    void emptyMessagesCountToo() throws Exception {
        Recorder hoard = new Recorder(true);
        TransportServer server = node.listen(TestPrincipals.anyPort(), hoard);
        long inbound = TestPrincipals.settings().inboundMaxBytes();
        try (RawSocket raw = RawSocket.authenticated(server.boundAddress(), keys(CLIENT), NODE)) {
            byte[] empty = TestMessage.frame(1, TestMessage.ofLength(0, 1));
            byte[] many = new byte[empty.length * 10_000];
            for (int i = 0; i < many.length; i += empty.length) {
                System.arraycopy(empty, 0, many, i, empty.length);
            }
            Thread writer = Thread.startVirtualThread(() -> {
                try {
                    for (int i = 0; i < 100; i++) {
                        raw.write(many);
                    }
                } catch (IOException e) {
                    // the test closes the socket under it
                }
            });
            long bound = inbound / Connection.FRAME_COST_BYTES;
            await().until(() -> hoard.arrived.size() >= bound);
            AtomicLong count = new AtomicLong();
            await().until(() -> count.getAndSet(hoard.arrived.size()) == hoard.arrived.size());
            assertThat(hoard.arrived.size()).isLessThan(100_000);
            raw.socket.close();
            writer.join();
        }
    }

    @Test
    void aLinkToASilentReaderIsBoundedToo() throws IOException {
        try (ServerSocket slow = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Transport client = Transport.open(TestPrincipals.settings(), keys(CLIENT), TestMessage.CODECS)) {
            Recorder recorder = new Recorder();
            PeerLink link = client.link(NODE, (InetSocketAddress) slow.getLocalSocketAddress(), recorder);
            long max =
                    TestPrincipals.settings().outboundMaxBytes() / LARGE.bytes().length();
            try (Socket silent = slow.accept()) {
                for (long accepted = 0; link.send(accepted, LARGE); accepted++) {
                    assertThat(accepted).isLessThan(max);
                }
                assertThat(link.state()).isEqualTo(LinkState.CONNECTING);
                assertThat(silent.isConnected()).isTrue();
            }
        }
    }

    @Test
    void manySlowPeersShareOneBound() throws IOException {
        Recorder recorder = new Recorder();
        TransportSettings tight = TestPrincipals.settingsWithFrames(4, 30_000, 64 << 20);
        MeterRegistry registry = new SimpleMeterRegistry();
        try (Transport bounded = Transport.open(tight, keys(NODE), TestMessage.CODECS, registry);
                TransportServer server = bounded.listen(TestPrincipals.anyPort(), recorder);
                RawSocket first = RawSocket.authenticated(server.boundAddress(), keys(CLIENT), NODE);
                RawSocket second = RawSocket.authenticated(server.boundAddress(), keys(CLIENT), NODE)) {
            for (RawSocket slow : new RawSocket[] {first, second}) {
                Peer peer = Recorder.next(recorder.connected);
                long accepted = 0;
                while (peer.send(1, LARGE)) {
                    accepted++;
                }
                assertThat(accepted * LARGE.bytes().length()).isGreaterThanOrEqualTo(tight.outboundHighBytes() / 2);
                assertThat(slow.socket.isConnected()).isTrue();
            }
            assertThat(registry.get("bulwark.transport.queued").gauge().value())
                    .isLessThanOrEqualTo((double) tight.outboundTotalBytes());
        }
    }

    @Test
    void peersThatAreAllOnlyALittleSlowShareTheBoundToo() throws IOException {
        Recorder recorder = new Recorder();
        TransportSettings tight = TestPrincipals.settingsWithFrames(64, 30_000, 64 << 20);
        MeterRegistry registry = new SimpleMeterRegistry();
        List<RawSocket> slow = new ArrayList<>();
        try (Transport bounded = Transport.open(tight, keys(NODE), TestMessage.CODECS, registry);
                TransportServer server = bounded.listen(TestPrincipals.anyPort(), recorder)) {
            for (int i = 0; i < 64; i++) {
                slow.add(RawSocket.authenticated(server.boundAddress(), keys(CLIENT), NODE));
                Peer peer = Recorder.next(recorder.connected);
                while (peer.isWritable() && peer.send(1, LARGE)) {
                    // as much as it takes before it is congested
                }
                assertThat(registry.get("bulwark.transport.queued").gauge().value())
                        .isLessThanOrEqualTo((double) tight.outboundTotalBytes());
            }
            Peer last = Recorder.next(fresh(server, recorder, slow).connected);
            assertThat(last.send(1, TestMessage.ofLength(1_000, 1))).isTrue();
        } finally {
            for (RawSocket each : slow) {
                each.close();
            }
        }
    }

    @Test
    void theSenderKnowsWhatHasLeftWhatMovesAndWhatIsLost() throws IOException {
        Recorder hoard = new Recorder(true);
        try (Transport client = Transport.open(TestPrincipals.settings(), keys(CLIENT), TestMessage.CODECS);
                TransportServer server = node.listen(TestPrincipals.anyPort(), hoard)) {
            PeerLink link = client.link(NODE, server.boundAddress(), new Recorder());
            List<Delivery> sent = new ArrayList<>();
            // The node stops reading at its bound while no message is done, so the queue fills once the kernel's
            // buffers are full.
            Peer peer = Recorder.next(hoard.connected);
            await().pollInterval(Duration.ofMillis(10)).until(() -> {
                Optional<Delivery> next = link.dispatch(sent.size(), LARGE);
                next.ifPresent(sent::add);
                return next.isEmpty() && stillFor(sent.getLast()) > TimeUnit.MILLISECONDS.toNanos(500);
            });
            Delivery last = sent.getLast();
            assertThat(sent.getFirst().waiting()).isFalse();
            assertThat(sent.getFirst().lost()).isFalse();
            assertThat(last.waiting()).isTrue();
            long before = last.movedNanos();
            while (last.waiting()) {
                Recorder.next(hoard.arrived).done().run();
            }
            assertThat(last.lost()).isFalse();
            assertThat(last.movedNanos()).isGreaterThan(before);
            peer.disconnect("the test");
            await().until(last::lost);
            assertThat(last.waiting()).isFalse();
        }
    }

    @Test
    void whatCouldNotBeWrittenIsLostThoughItsConnectionStands() {
        EmbeddedChannel channel = new EmbeddedChannel(new ChannelOutboundHandlerAdapter() {
            @Override
            public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
                ReferenceCountUtil.release(message);
                promise.setFailure(new IOException("the test"));
            }
        });
        try (Transport transport = Transport.open(TestPrincipals.settings(), keys(CLIENT), TestMessage.CODECS)) {
            Connection connection = new Connection(transport, NODE, TestPrincipals.anyPort(), new Recorder(), false);
            connection.attach(channel);
            Delivery delivery = connection.dispatch(1, LARGE).orElseThrow();
            channel.runPendingTasks();
            assertThat(delivery.waiting()).isFalse();
            assertThat(delivery.lost()).isTrue();
            assertThat(transport.queuedBytes().get()).isZero();
        } finally {
            channel.close().awaitUninterruptibly();
        }
    }

    /** The process has no direct memory left. */
    @Test
    void whatThereIsNoMemoryForIsLostAndTakesNoRoom() {
        EmbeddedChannel channel = new EmbeddedChannel();
        try (Transport transport = Transport.open(TestPrincipals.settings(), keys(CLIENT), TestMessage.CODECS)) {
            Connection connection = new Connection(transport, NODE, TestPrincipals.anyPort(), new Recorder(), false);
            connection.attach(channel);
            channel.config().setAllocator(new AbstractByteBufAllocator() {
                @Override
                protected ByteBuf newHeapBuffer(int initial, int max) {
                    throw new OutOfMemoryError("the test");
                }

                @Override
                protected ByteBuf newDirectBuffer(int initial, int max) {
                    throw new OutOfMemoryError("the test");
                }

                @Override
                public boolean isDirectBufferPooled() {
                    return false;
                }
            });
            Delivery delivery = connection.dispatch(1, LARGE).orElseThrow();
            try {
                channel.runPendingTasks();
            } catch (OutOfMemoryError e) {
                // An event loop logs this, and continues.
            }
            assertThat(delivery.lost()).isTrue();
            assertThat(delivery.waiting()).isFalse();
            assertThat(transport.queuedBytes().get()).isZero();
        } finally {
            channel.close().awaitUninterruptibly();
        }
    }

    private static long stillFor(Delivery delivery) {
        return System.nanoTime() - delivery.movedNanos();
    }

    private static Recorder fresh(TransportServer server, Recorder recorder, List<RawSocket> sockets)
            throws IOException {
        sockets.getFirst().close();
        Recorder.next(recorder.disconnected);
        sockets.add(RawSocket.authenticated(server.boundAddress(), keys(CLIENT), NODE));
        return recorder;
    }

    /** Waits until the number has stopped growing. */
    private static void settled(AtomicLong number) {
        AtomicLong last = new AtomicLong(-1);
        await().pollInterval(Duration.ofMillis(300)).until(() -> last.getAndSet(number.get()) == last.get());
    }
}
