package io.bulwark.protocol.control;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.bulwark.protocol.wire.CodecFuzzing;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.params.provider.MethodSource;

@NullMarked
class NodeControlCodecFuzzTest {
    private static final NodeControlCodec CODEC = new NodeControlCodec();

    static Stream<byte[]> samples() {
        return CodecFuzzing.seeds(CODEC, ControlSamples.all().values());
    }

    @MethodSource("samples")
    @FuzzTest
    void messages(byte[] bytes) {
        CodecFuzzing.malformedOrCanonical(CODEC, bytes);
    }
}
