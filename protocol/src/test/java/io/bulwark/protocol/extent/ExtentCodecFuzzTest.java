package io.bulwark.protocol.extent;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.bulwark.protocol.wire.CodecFuzzing;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.params.provider.MethodSource;

@NullMarked
class ExtentCodecFuzzTest {
    private static final ExtentCodec CODEC = new ExtentCodec();

    static Stream<byte[]> samples() {
        return CodecFuzzing.seeds(CODEC, SampleMessages.all().values());
    }

    @MethodSource("samples")
    @FuzzTest
    void messages(byte[] bytes) {
        CodecFuzzing.malformedOrCanonical(CODEC, bytes);
    }
}
