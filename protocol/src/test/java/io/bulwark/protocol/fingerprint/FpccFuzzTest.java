package io.bulwark.protocol.fingerprint;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.CodecFuzzing;
import io.bulwark.protocol.wire.WireReader;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.params.provider.MethodSource;

@NullMarked
class FpccFuzzTest {
    static Stream<byte[]> samples() {
        return Stream.of(new BlockCode(2, 1, 4), new BlockCode(3, 2, 7))
                .map(code ->
                        code.encode(Bytes.of(new byte[100])).fpcc().encoded().toByteArray());
    }

    @MethodSource("samples")
    @FuzzTest
    void fpccs(byte[] bytes) {
        CodecFuzzing.malformedOrCanonical(bytes, encoded -> {
            WireReader in = new WireReader(encoded);
            Fpcc fpcc = Fpcc.decode(in);
            in.end();
            return fpcc.encoded();
        });
    }

    static Stream<byte[]> checksums() {
        CrossChecksum cross =
                CrossChecksum.of(new BlockCode(2, 1, 4).erasureCode().encode(Bytes.of(new byte[100]), 4));
        return Stream.concat(samples(), Stream.of(cross.encoded().toByteArray()));
    }

    @MethodSource("checksums")
    @FuzzTest
    void checksums(byte[] bytes) {
        CodecFuzzing.malformedOrCanonical(bytes, encoded -> {
            WireReader in = new WireReader(encoded);
            Checksum checksum = Checksum.decode(in);
            in.end();
            return checksum.encoded();
        });
    }
}
