package io.bulwark.transport;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.bulwark.protocol.control.NodeControlCodec;
import io.bulwark.protocol.control.NodeControlMessage;
import io.bulwark.protocol.extent.ExtentCodec;
import io.bulwark.protocol.fp.FpCodec;
import io.bulwark.protocol.ordering.OrderingCodec;
import io.bulwark.protocol.ordering.OrderingMessage;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.FrameHeader;
import io.bulwark.protocol.wire.MessageCodecs;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A stream of bytes that arrives in pieces. The decoder reads the messages of the complete frames at its beginning.
 * Then a frame is incomplete, or the connection has a fault.
 */
@NullMarked
class FrameDecoderFuzzTest {
    private static final int WITH_RIGHT_CHECKSUMS = 0x80;
    private static final MessageCodecs CODECS = new MessageCodecs(
            new ControlCodec(), new ExtentCodec(), new FpCodec(), new OrderingCodec(), new NodeControlCodec());

    static Stream<byte[]> streams() {
        ByteArrayOutputStream frames = new ByteArrayOutputStream();
        ControlCodecTest.messages()
                .values()
                .forEach(message -> frames.writeBytes(TestMessage.flat(CODECS, 0, message)));
        frames.writeBytes(TestMessage.flat(CODECS, 1, new OrderingMessage.Submit(5, Bytes.of(new byte[20]))));
        frames.writeBytes(TestMessage.flat(CODECS, 2, new NodeControlMessage.NodeStatusRequest()));
        byte[] good = frames.toByteArray();
        byte[] cut = Arrays.copyOf(good, good.length - 5);
        byte[] bad = good.clone();
        bad[60] ^= 1;
        byte[] tooLong = good.clone();
        tooLong[16] = 0x7F;
        return Stream.of(good, cut, bad, tooLong)
                .flatMap(frame -> Stream.of(0, 6, WITH_RIGHT_CHECKSUMS | 40).map(how -> stream(how, frame)));
    }

    private static byte[] stream(int how, byte[] frames) {
        byte[] stream = new byte[1 + frames.length];
        stream[0] = (byte) how;
        System.arraycopy(frames, 0, stream, 1, frames.length);
        return stream;
    }

    /** The first byte gives the length of the pieces, and whether wrong checksums are corrected first. */
    @MethodSource("streams")
    @FuzzTest
    void streams(byte[] bytes) {
        int how = bytes.length == 0 ? 0 : bytes[0] & 0xFF;
        byte[] stream = bytes.length == 0 ? bytes : Arrays.copyOfRange(bytes, 1, bytes.length);
        if ((how & WITH_RIGHT_CHECKSUMS) != 0) {
            rightChecksums(stream);
        }
        EmbeddedChannel channel = new EmbeddedChannel(
                new FrameDecoder(CODECS, FrameHeader.BODY_BYTES_MAX, new UnfinishedFrames(1 << 30), 30_000));
        boolean fault = false;
        int piece = 1 + (how & ~WITH_RIGHT_CHECKSUMS);
        try {
            for (int at = 0; at < stream.length; at += piece) {
                channel.writeInbound(Unpooled.wrappedBuffer(stream, at, Math.min(piece, stream.length - at)));
            }
        } catch (ConnectionFault expected) {
            fault = true;
        }
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        for (ReceivedFrame next = channel.readInbound(); next != null; next = channel.readInbound()) {
            read.writeBytes(TestMessage.flat(CODECS, next.requestId(), next.message()));
        }
        assertThat(read.toByteArray()).isEqualTo(Arrays.copyOf(stream, read.size()));
        int left = stream.length - read.size();
        if (!fault && left >= FrameHeader.BYTES) {
            FrameHeader header = FrameHeader.read(Bytes.of(stream, read.size(), FrameHeader.BYTES));
            assertThat(left - FrameHeader.BYTES).isLessThan(header.bodyLength());
        }
    }

    private static void rightChecksums(byte[] stream) {
        ByteBuffer buffer = ByteBuffer.wrap(stream);
        int at = 0;
        while (stream.length - at >= FrameHeader.BYTES) {
            int length = buffer.getInt(at + 16);
            if (length < 0 || length > stream.length - at - FrameHeader.BYTES) {
                return;
            }
            CRC32C crc = new CRC32C();
            crc.update(stream, at, 20);
            crc.update(stream, at + FrameHeader.BYTES, length);
            buffer.putInt(at + 20, (int) crc.getValue());
            at += FrameHeader.BYTES + length;
        }
    }
}
