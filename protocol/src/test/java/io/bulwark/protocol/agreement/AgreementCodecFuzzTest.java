package io.bulwark.protocol.agreement;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.bulwark.protocol.wire.CodecFuzzing;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.params.provider.MethodSource;

@NullMarked
class AgreementCodecFuzzTest {
    private static final AgreementCodec CODEC = new AgreementCodec();

    static Stream<byte[]> samples() {
        return CodecFuzzing.seeds(CODEC, AgreementCodecTest.all().values());
    }

    @MethodSource("samples")
    @FuzzTest
    void messages(byte[] bytes) {
        CodecFuzzing.malformedOrCanonical(CODEC, bytes);
    }
}
