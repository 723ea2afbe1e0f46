package io.bulwark.protocol.ordering.message;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.bulwark.protocol.wire.CodecFuzzing;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.params.provider.MethodSource;

@NullMarked
class ReplicaMessageCodecFuzzTest {
    private static final ReplicaMessageCodec CODEC = new ReplicaMessageCodec();

    static Stream<byte[]> samples() {
        return CodecFuzzing.seeds(CODEC, ReplicaMessageSamples.all().values());
    }

    @MethodSource("samples")
    @FuzzTest
    void messages(byte[] bytes) {
        CodecFuzzing.malformedOrCanonical(CODEC, bytes);
    }
}
