package io.bulwark.protocol.effect;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.CodecFuzzing;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.params.provider.MethodSource;

@NullMarked
class RecordKeyFuzzTest {
    static Stream<byte[]> samples() {
        BlockId block = new BlockId(7, PrincipalId.client(3), 9, 5);
        return Stream.of(
                        RecordKey.of(RecordKind.EXTENT, block),
                        new RecordKey(RecordKind.REGISTER_VERSION, BlockId.register(1, 2), Bytes.of((byte) 1)))
                .map(key -> key.encoded().toByteArray());
    }

    @MethodSource("samples")
    @FuzzTest
    void keys(byte[] bytes) {
        CodecFuzzing.malformedOrCanonical(bytes, key -> RecordKey.decode(key).encoded());
    }
}
