package io.bulwark.protocol.fp;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.CodecFuzzing;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.params.provider.MethodSource;

/** Fuzzes the records that a node finds on its disk. */
@NullMarked
class VersionRecordFuzzTest {
    static Stream<byte[]> samples() {
        Timestamp version = new Timestamp(
                9, new BlockCode(2, 1, 4).encode(Bytes.of(new byte[100])).fpcc());
        VersionRecord staged = new VersionRecord(version, 1, true, null, PrincipalId.client(1), 7, List.of());
        HeldVersion.SlotNonce nonce = new HeldVersion.SlotNonce(2, SampleMessages.filled(32, 1));
        return Stream.of(
                        staged,
                        new VersionRecord(version, 3, true, null, PrincipalId.client(1), 7, List.of()),
                        staged.provenForItsWriter(),
                        staged.withNonces(List.of(nonce)),
                        staged.withFragment(version.written().cc()))
                .map(record -> record.encoded().toByteArray());
    }

    @MethodSource("samples")
    @FuzzTest
    void versions(byte[] bytes) {
        CodecFuzzing.malformedOrCanonical(
                bytes, meta -> VersionRecord.decode(meta).encoded());
    }
}
