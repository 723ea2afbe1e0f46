package io.bulwark.protocol.ordering.key;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.bulwark.protocol.wire.CodecFuzzing;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.params.provider.MethodSource;

@NullMarked
class KeyMessageCodecFuzzTest {
    private static final KeyMessageCodec CODEC = new KeyMessageCodec();

    static Stream<byte[]> samples() {
        return CodecFuzzing.seeds(CODEC, KeyMessageCodecTest.all().values());
    }

    @MethodSource("samples")
    @FuzzTest
    void messages(byte[] bytes) {
        CodecFuzzing.malformedOrCanonical(CODEC, bytes);
    }
}
