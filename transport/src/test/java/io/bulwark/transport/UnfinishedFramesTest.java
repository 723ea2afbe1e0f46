package io.bulwark.transport;

import static io.bulwark.transport.TestPrincipals.CLIENT;
import static io.bulwark.transport.TestPrincipals.NODE;
import static io.bulwark.transport.TestPrincipals.OTHER_NODE;
import static io.bulwark.transport.TestPrincipals.keys;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bulwark.protocol.wire.FrameHeader;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Frames that begin and do not end. */
@NullMarked
class UnfinishedFramesTest {
    private static final byte[] LARGEST = TestMessage.frame(1, TestMessage.ofLength(FrameHeader.BODY_BYTES_MAX, 1));
    private static final byte[] SMALL = TestMessage.frame(2, TestMessage.ofLength(100, 1));

    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final Recorder recorder = new Recorder();

    @Test
    void aFrameMustBecomeWholeInTime() throws IOException {
        try (Transport node = open(TestPrincipals.settingsWithFrames(4, 300, 64 << 20));
                TransportServer server = node.listen(TestPrincipals.anyPort(), recorder);
                RawSocket half = RawSocket.authenticated(server.boundAddress(), keys(CLIENT), NODE);
                RawSocket header = RawSocket.authenticated(server.boundAddress(), keys(CLIENT), NODE);
                RawSocket idle = RawSocket.authenticated(server.boundAddress(), keys(CLIENT), NODE)) {
            half.write(Arrays.copyOf(SMALL, SMALL.length - 1));
            header.write(Arrays.copyOf(SMALL, 3));
            assertThat(half.isClosedByPeer()).isTrue();
            assertThat(header.isClosedByPeer()).isTrue();
            await().until(() -> TestPrincipals.faults(registry, Fault.FRAME_TIMEOUT) == 2);
            // Silence between frames is nobody's fault.
            idle.write(SMALL);
            assertThat(Recorder.next(recorder.arrived).requestId()).isEqualTo(2);
            await().until(() -> unfinished() == 0);
        }
    }

    @Test
    void aSideThatDoesNotReadBlamesNobody() throws Exception {
        Recorder hoard = new Recorder(true);
        try (Transport node = open(TestPrincipals.settingsWithFrames(4, 300, 64 << 20));
                TransportServer server = node.listen(TestPrincipals.anyPort(), hoard);
                RawSocket raw = RawSocket.authenticated(server.boundAddress(), keys(CLIENT), NODE)) {
            byte[] frame = TestMessage.frame(1, TestMessage.ofLength(512 << 10, 1));
            Thread writer = Thread.startVirtualThread(() -> {
                try {
                    for (int i = 0; i < 40; i++) {
                        raw.write(frame);
                    }
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            await().until(() -> hoard.arrived.size() >= 2);
            Thread.sleep(1_000);
            for (int i = 0; i < 40; i++) {
                Recorder.next(hoard.arrived).done().run();
            }
            writer.join();
            assertThat(TestPrincipals.faults(registry, Fault.FRAME_TIMEOUT)).isZero();
        }
    }

    @Test
    void whoTricklesManyLargeFramesLosesHisOwn() throws IOException {
        long bound = 2L * LARGEST.length;
        List<RawSocket> trickling = new ArrayList<>();
        try (Transport node = open(TestPrincipals.settingsWithFrames(16, 30_000, bound));
                TransportServer server = node.listen(TestPrincipals.anyPort(), recorder);
                RawSocket honest = RawSocket.authenticated(server.boundAddress(), keys(OTHER_NODE), NODE)) {
            int half = LARGEST.length / 2;
            honest.write(Arrays.copyOf(LARGEST, half));
            for (int i = 0; i < 8; i++) {
                trickling.add(RawSocket.authenticated(server.boundAddress(), keys(CLIENT), NODE));
                trickling.getLast().write(Arrays.copyOf(LARGEST, LARGEST.length - 1));
                assertThat(unfinished()).isLessThanOrEqualTo((double) bound);
            }
            await().until(() -> TestPrincipals.faults(registry, Fault.TOO_MANY_UNFINISHED) >= 6);
            assertThat(trickling.getFirst().isClosedByPeer()).isTrue();
            honest.write(Arrays.copyOfRange(LARGEST, half, LARGEST.length));
            assertThat(Recorder.next(recorder.arrived).peer().principal()).isEqualTo(OTHER_NODE);
            for (RawSocket each : trickling) {
                each.close();
            }
            await().until(() -> unfinished() == 0);
        } finally {
            for (RawSocket each : trickling) {
                each.close();
            }
        }
    }

    /** Until it is closed, more of it may come. */
    @Test
    void whatIsAboutToBeClosedPutsNobodyElseOut() {
        UnfinishedFrames frames = new UnfinishedFrames(30);
        EmbeddedChannel first = new EmbeddedChannel();
        EmbeddedChannel second = new EmbeddedChannel();
        frames.hold(first, CLIENT, 20);
        frames.hold(second, CLIENT, 15);
        frames.hold(first, CLIENT, 25);
        assertThat(frames.bytes()).isEqualTo(15);
        first.runPendingTasks();
        second.runPendingTasks();
        assertThatThrownBy(first::checkException).isInstanceOf(ConnectionFault.class);
        second.checkException();
    }

    private Transport open(TransportSettings settings) {
        return Transport.open(settings, keys(NODE), TestMessage.CODECS, registry);
    }

    private double unfinished() {
        return registry.get("bulwark.transport.unfinished").gauge().value();
    }
}
