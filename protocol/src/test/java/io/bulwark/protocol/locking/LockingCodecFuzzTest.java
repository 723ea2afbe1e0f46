package io.bulwark.protocol.locking;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.bulwark.protocol.wire.CodecFuzzing;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.params.provider.MethodSource;

@NullMarked
class LockingCodecFuzzTest {
    private static final LockingCodec CODEC = new LockingCodec();

    static Stream<byte[]> samples() {
        return CodecFuzzing.seeds(CODEC, LockingSamples.all().values());
    }

    static Stream<byte[]> records() {
        return Stream.of(
                        new LogStoreRecord.Batch(LockingSamples.append()),
                        new LogStoreRecord.Closure(LockingSamples.LOG))
                .map(record -> record.encoded().toByteArray());
    }

    @MethodSource("samples")
    @FuzzTest
    void messages(byte[] bytes) {
        CodecFuzzing.malformedOrCanonical(CODEC, bytes);
    }

    @MethodSource("records")
    @FuzzTest
    void recordsOfTheStore(byte[] bytes) {
        CodecFuzzing.malformedOrCanonical(
                bytes, record -> LogStoreRecord.decode(record).encoded());
    }
}
