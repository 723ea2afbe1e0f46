package io.bulwark.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;

/** Any bytes are malformed, or they are the one encoding of the message decoded from them. */
@NullMarked
public final class CodecFuzzing {
    private CodecFuzzing() {}

    /** The type number and the body of each message. */
    public static Stream<byte[]> seeds(MessageCodec codec, Collection<? extends Message> samples) {
        return samples.stream().map(message -> bytes(codec, message));
    }

    /** The bytes are a type number of two bytes, and a body. */
    public static void malformedOrCanonical(MessageCodec codec, byte[] bytes) {
        malformedOrCanonical(bytes, frame -> {
            WireReader in = new WireReader(frame);
            return Bytes.of(bytes(codec, codec.read(in.u16(), in)));
        });
    }

    /** The function reads bytes to the last one, and writes again what it read. */
    public static void malformedOrCanonical(byte[] bytes, Function<Bytes, Bytes> again) {
        Bytes written;
        try {
            written = again.apply(Bytes.of(bytes.clone()));
        } catch (MalformedException expected) {
            return;
        }
        assertThat(written).isEqualTo(Bytes.of(bytes));
    }

    private static byte[] bytes(MessageCodec codec, Message message) {
        WireWriter out = new WireWriter().u16(codec.typeOf(message));
        codec.write(message, out);
        return out.toBytes().toByteArray();
    }
}
