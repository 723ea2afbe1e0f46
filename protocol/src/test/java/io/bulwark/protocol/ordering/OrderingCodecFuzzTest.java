package io.bulwark.protocol.ordering;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.bulwark.protocol.wire.CodecFuzzing;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.params.provider.MethodSource;

@NullMarked
class OrderingCodecFuzzTest {
    private static final OrderingCodec CODEC = new OrderingCodec();

    static Stream<byte[]> samples() {
        return CodecFuzzing.seeds(CODEC, OrderingSamples.all().values());
    }

    @MethodSource("samples")
    @FuzzTest
    void messages(byte[] bytes) {
        CodecFuzzing.malformedOrCanonical(CODEC, bytes);
    }
}
