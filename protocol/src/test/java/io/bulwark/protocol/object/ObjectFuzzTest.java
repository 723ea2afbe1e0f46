package io.bulwark.protocol.object;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.CodecFuzzing;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.params.provider.MethodSource;

/** Fuzzes the contents that the writer of an object makes its readers read. */
@NullMarked
class ObjectFuzzTest {
    static Stream<byte[]> inodeSamples() {
        BlockRange range = new BlockRange(1, PrincipalId.client(5), 2, 40, 2);
        ObjectLayout layout = new ObjectLayout(1, 1 << 20, (1 << 20) + 5, List.of(range), Bytes.of(new byte[64]));
        ObjectLayout empty = new ObjectLayout(1, 1 << 20, 0, List.of(), Bytes.EMPTY);
        return Stream.of(new Inode(12, layout, 5), new Inode(13, empty, 6)).map(inode -> {
            WireWriter out = new WireWriter();
            inode.write(out);
            return out.toBytes().toByteArray();
        });
    }

    static Stream<byte[]> listSamples() {
        return Stream.of(1, 3)
                .map(pins ->
                        new PinList(1, Bytes.of(new byte[32 * pins])).encoded().toByteArray());
    }

    @MethodSource("inodeSamples")
    @FuzzTest
    void inodes(byte[] bytes) {
        CodecFuzzing.malformedOrCanonical(bytes, encoded -> {
            WireReader in = new WireReader(encoded);
            Inode inode = Inode.read(in);
            in.end();
            WireWriter out = new WireWriter();
            inode.write(out);
            return out.toBytes();
        });
    }

    /** The reader knows level and number of pins, at least one, from the layout. */
    static Stream<byte[]> stateSamples() {
        ObjectAttributes attributes = new ObjectAttributes(
                "text/plain", new TreeMap<>(Map.of("mtime", "17", "owner", "me")), new TreeMap<>(Map.of("etag", "a9")));
        ObjectLock lock = new ObjectLock(new Retention(Retention.Mode.COMPLIANCE, 9), true);
        return Stream.of(new VersionState(false, attributes, lock), VersionState.ofMarker(true))
                .map(state -> {
                    WireWriter out = new WireWriter();
                    state.write(out);
                    return out.toBytes().toByteArray();
                });
    }

    @MethodSource("stateSamples")
    @FuzzTest
    void versionStates(byte[] bytes) {
        CodecFuzzing.malformedOrCanonical(bytes, encoded -> {
            WireReader in = new WireReader(encoded);
            VersionState state = VersionState.read(in);
            in.end();
            WireWriter out = new WireWriter();
            state.write(out);
            return out.toBytes();
        });
    }

    @MethodSource("listSamples")
    @FuzzTest
    void pinLists(byte[] bytes) {
        int pins = Math.max(1, (bytes.length - PinList.HEADER_BYTES) / ObjectLayout.PIN_BYTES);
        CodecFuzzing.malformedOrCanonical(
                bytes, content -> PinList.read(content, 1, pins).encoded());
    }
}
