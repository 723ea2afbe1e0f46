package io.bulwark.protocol.fp;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.bulwark.protocol.wire.CodecFuzzing;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.params.provider.MethodSource;

@NullMarked
class FpCodecFuzzTest {
    private static final FpCodec CODEC = new FpCodec();

    static Stream<byte[]> samples() {
        return CodecFuzzing.seeds(CODEC, SampleMessages.all().values());
    }

    @MethodSource("samples")
    @FuzzTest
    void messages(byte[] bytes) {
        CodecFuzzing.malformedOrCanonical(CODEC, bytes);
    }
}
