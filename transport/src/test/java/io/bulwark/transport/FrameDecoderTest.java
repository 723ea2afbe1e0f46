package io.bulwark.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.FrameHeader;
import io.bulwark.protocol.wire.WireWriter;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class FrameDecoderTest {
    private static final byte[] FRAME = TestMessage.frame(9, TestMessage.ofLength(300, 1));

    private final EmbeddedChannel channel = new EmbeddedChannel(
            new FrameDecoder(TestMessage.CODECS, FrameHeader.BODY_BYTES_MAX, new UnfinishedFrames(1 << 30), 30_000));

    @Test
    void aFrameMayArriveByteByByte() {
        for (byte each : FRAME) {
            assertThat(channel.<Object>readInbound()).isNull();
            channel.writeInbound(Unpooled.wrappedBuffer(new byte[] {each}));
        }
        assertThat(read()).isEqualTo(new ReceivedFrame(9, TestMessage.ofLength(300, 1), 300));
    }

    @Test
    void manyFramesMayArriveAtOnceEmptyOnesToo() {
        byte[] empty = TestMessage.frame(10, TestMessage.ofLength(0, 1));
        channel.writeInbound(Unpooled.wrappedBuffer(FRAME, empty, empty, FRAME));
        assertThat(read().requestId()).isEqualTo(9);
        assertThat(read()).isEqualTo(new ReceivedFrame(10, TestMessage.ofLength(0, 1), 0));
        assertThat(read().requestId()).isEqualTo(10);
        assertThat(read().requestId()).isEqualTo(9);
    }

    @Test
    void theLongestBodyArrives() {
        TestMessage longest = TestMessage.ofLength(FrameHeader.BODY_BYTES_MAX, 3);
        byte[] frame = TestMessage.frame(1, longest);
        for (int at = 0; at < frame.length; at += 100_000) {
            channel.writeInbound(Unpooled.wrappedBuffer(frame, at, Math.min(100_000, frame.length - at)));
        }
        assertThat(read().message()).isEqualTo(longest);
    }

    @Test
    void eachFieldOfTheHeaderIsChecked() {
        assertThat(faultOf(changed(0, 'X'))).isEqualTo(Fault.MAGIC);
        assertThat(faultOf(changed(4, 2))).isEqualTo(Fault.VERSION);
        assertThat(faultOf(changed(5, 1))).isEqualTo(Fault.RESERVED);
        assertThat(faultOf(changed(6, 0x77))).isEqualTo(Fault.TYPE);
        assertThat(faultOf(changed(8, 1))).isEqualTo(Fault.CHECKSUM);
        assertThat(faultOf(changed(20, FRAME[20] ^ 1))).isEqualTo(Fault.CHECKSUM);
        assertThat(faultOf(changed(FRAME.length - 1, ~FRAME[FRAME.length - 1]))).isEqualTo(Fault.CHECKSUM);
    }

    @Test
    void lengthsOutOfBoundsAreRefusedBeforeTheBody() {
        assertThat(faultOf(header(Integer.MAX_VALUE))).isEqualTo(Fault.LENGTH);
        assertThat(faultOf(header(Integer.MIN_VALUE))).isEqualTo(Fault.LENGTH);
        assertThat(faultOf(header(-1))).isEqualTo(Fault.LENGTH);
        assertThat(faultOf(header(FrameHeader.BODY_BYTES_MAX + 1))).isEqualTo(Fault.LENGTH);
    }

    @Test
    void unknownTypesOfAKnownFamilyAreRefused() {
        WireWriter body = new WireWriter();
        WireWriter frame = new WireWriter();
        FrameHeader.frame(TestMessage.TYPE + 1, 1, body).forEach(frame::raw);
        assertThat(faultOf(frame.toBytes().toByteArray())).isEqualTo(Fault.BODY);
    }

    @Test
    void nothingIsReadAfterTheFirstMalformedByte() {
        assertThatThrownBy(() -> channel.writeInbound(Unpooled.wrappedBuffer(changed(0, 'X'))))
                .isInstanceOf(ConnectionFault.class);
        channel.writeInbound(Unpooled.wrappedBuffer(FRAME));
        assertThat(channel.<Object>readInbound()).isNull();
    }

    @Test
    void aHeaderAloneAllocatesLittle() {
        byte[] header = header(FrameHeader.BODY_BYTES_MAX);
        channel.writeInbound(Unpooled.wrappedBuffer(FRAME)); // classes are loaded
        long before = allocated();
        channel.writeInbound(Unpooled.wrappedBuffer(header));
        assertThat(allocated() - before).isLessThan(2 << 20);
    }

    @Test
    void theBodyIsOneArrayThatTheMessageSlices() {
        channel.writeInbound(Unpooled.wrappedBuffer(FRAME));
        Bytes bytes = ((TestMessage) read().message()).bytes();
        assertThat(bytes.array()).hasSize(300);
    }

    private static long allocated() {
        return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }

    private static byte[] changed(int at, int value) {
        byte[] frame = Arrays.copyOf(FRAME, FRAME.length);
        frame[at] = (byte) value;
        return frame;
    }

    /** A header with a body length, and no body. */
    private static byte[] header(int bodyLength) {
        byte[] header = Arrays.copyOf(FRAME, FrameHeader.BYTES);
        new WireWriter().i32(bodyLength).toBytes().copyTo(0, header, 16, 4);
        return header;
    }

    /** Returns the fault that a fresh decoder finds in these bytes. */
    private static Fault faultOf(byte[] bytes) {
        EmbeddedChannel fresh = new EmbeddedChannel(new FrameDecoder(
                TestMessage.CODECS, FrameHeader.BODY_BYTES_MAX, new UnfinishedFrames(1 << 30), 30_000));
        try {
            fresh.writeInbound(Unpooled.wrappedBuffer(bytes));
        } catch (ConnectionFault e) {
            return e.fault();
        }
        throw new AssertionError("accepted " + fresh.readInbound());
    }

    private ReceivedFrame read() {
        return Objects.requireNonNull(channel.<ReceivedFrame>readInbound());
    }
}
