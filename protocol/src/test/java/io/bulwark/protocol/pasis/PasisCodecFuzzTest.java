package io.bulwark.protocol.pasis;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.CodecFuzzing;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.params.provider.MethodSource;

@NullMarked
class PasisCodecFuzzTest {
    private static final PasisCodec CODEC = new PasisCodec();

    static Stream<byte[]> samples() {
        return CodecFuzzing.seeds(CODEC, SampleMessages.all().values());
    }

    @MethodSource("samples")
    @FuzzTest
    void messages(byte[] bytes) {
        CodecFuzzing.malformedOrCanonical(CODEC, bytes);
    }

    static Stream<byte[]> versions() {
        VersionRecord written = new VersionRecord(SampleMessages.VERSION, PrincipalId.client(1), 7, 1, false);
        VersionRecord before = new VersionRecord(SampleMessages.VERSION, PrincipalId.client(1), 0, 1, true);
        VersionRecord since = new VersionRecord(SampleMessages.VERSION, PrincipalId.client(1), 0, 3, true);
        return Stream.of(written.encoded(), written.asVerified().encoded(), before.encoded(), since.encoded())
                .map(bytes -> bytes.toByteArray());
    }

    /** Fuzzes the records that a node finds on its disk. */
    @MethodSource("versions")
    @FuzzTest
    void versionRecords(byte[] bytes) {
        CodecFuzzing.malformedOrCanonical(
                bytes, meta -> VersionRecord.decode(meta).encoded());
    }

    static Stream<byte[]> floors() {
        return Stream.of(
                        new VersionRecord.Floor(ValidatingTimestamp.NONE, 0, 1),
                        new VersionRecord.Floor(SampleMessages.VERSION, -1, 3))
                .map(floor -> floor.encoded().toByteArray());
    }

    @MethodSource("floors")
    @FuzzTest
    void floorRecords(byte[] bytes) {
        CodecFuzzing.malformedOrCanonical(
                bytes, meta -> VersionRecord.Floor.decode(meta).encoded());
    }
}
