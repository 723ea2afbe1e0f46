package io.bulwark.protocol.ordering.membership;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.bulwark.protocol.wire.CodecFuzzing;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.params.provider.MethodSource;

@NullMarked
class MembershipCodecFuzzTest {
    private static final MembershipCodec CODEC = new MembershipCodec();

    static Stream<byte[]> samples() {
        return CodecFuzzing.seeds(CODEC, MembershipCodecTest.all().values());
    }

    @MethodSource("samples")
    @FuzzTest
    void messages(byte[] bytes) {
        CodecFuzzing.malformedOrCanonical(CODEC, bytes);
    }
}
