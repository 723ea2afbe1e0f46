package io.bulwark.protocol.extent;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.fingerprint.CrossChecksum;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.CodecFuzzing;
import io.bulwark.protocol.wire.MalformedException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.params.provider.MethodSource;

/** Fuzzes the records that a node finds on its disk. */
@NullMarked
class ExtentRecordsFuzzTest {
    private static final BlockId BLOCK = new BlockId(7, PrincipalId.client(3), 9, 5);

    static Stream<byte[]> extentSamples() {
        BlockCode.Encoded encoded = BlockCode.ofAll(2, 4).encode(Bytes.of(new byte[100]));
        return Stream.of(
                        new ExtentRecord.HeldExtent(1, 2, true, true, encoded.fpcc()),
                        new ExtentRecord.HeldExtent(1, 3, false, true, encoded.fpcc()),
                        new ExtentRecord.HeldExtent(1, 2, true, false, CrossChecksum.of(encoded.fragments())),
                        new ExtentRecord.Poisonous(1, 2, encoded.fpcc().pin()),
                        new ExtentRecord.WantedExtent(1, 2, encoded.fpcc().pin()))
                .map(record -> record.encoded(BLOCK).toByteArray());
    }

    static Stream<byte[]> sessionSamples() {
        SessionRecord open = new SessionRecord();
        open.free(3, 5);
        open.free(7, Long.MAX_VALUE);
        SessionRecord closed = new SessionRecord();
        closed.close(new TreeMap<>(Map.of(1L, 9L)));
        closed.setSweeping(true);
        return Stream.of(new SessionRecord(), open, closed)
                .map(record -> record.encoded().getFirst().toByteArray());
    }

    @MethodSource("extentSamples")
    @FuzzTest
    void extents(byte[] bytes) {
        CodecFuzzing.malformedOrCanonical(bytes, meta -> {
            ExtentRecord record = ExtentRecord.decode(BLOCK, meta);
            if (record instanceof ExtentRecord.DamagedRecord) {
                throw new MalformedException("lost");
            }
            return record.encoded(BLOCK);
        });
    }

    @MethodSource("sessionSamples")
    @FuzzTest
    void sessions(byte[] bytes) {
        CodecFuzzing.malformedOrCanonical(
                bytes, page -> SessionRecord.decode(List.of(page)).encoded().getFirst());
    }
}
