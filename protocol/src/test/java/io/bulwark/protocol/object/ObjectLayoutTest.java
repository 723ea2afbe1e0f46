package io.bulwark.protocol.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@NullMarked
class ObjectLayoutTest {
    private static final PrincipalId OWNER = PrincipalId.client(4);
    private static final int MIB = 1 << 20;

    private static BlockRange range(long first, long count) {
        return new BlockRange(1, OWNER, 3, first, count);
    }

    private static ObjectLayout layout(int blockBytes, long length, BlockRange... ranges) {
        long[] levels = ObjectLayout.levels(blockBytes, length);
        Bytes pins = Bytes.of(new byte[(int) levels[levels.length - 1] * ObjectLayout.PIN_BYTES]);
        return new ObjectLayout(1, blockBytes, length, List.of(ranges), pins);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0, 0",
        "1, 1, 0",
        "1048576, 1, 0",
        "1048577, 2, 0",
        "268435456, 256, 0",
        "268435457, 258, 1",
        "4294967296, 4097, 1",
        "8795824586752, 8388608, 1",
        "8795824586753, 8388611, 2"
    })
    void lengthsGiveExtentsAndDepth(long length, long extents, int depth) {
        assertThat(ObjectLayout.extents(MIB, length)).isEqualTo(extents);
        assertThat(ObjectLayout.levels(MIB, length)).hasSize(depth + 1);
    }

    @Test
    void theLastBlockIsShortAndRangesNameTheBlocksInOrder() {
        ObjectLayout layout = layout(MIB, 3L * MIB + 5, range(10, 3), range(40, 1));
        assertThat(layout.lengthOf(0)).isEqualTo(MIB);
        assertThat(layout.lengthOf(3)).isEqualTo(5);
        assertThat(layout.block(2)).isEqualTo(new BlockId(1, OWNER, 3, 12));
        assertThat(layout.block(3)).isEqualTo(new BlockId(1, OWNER, 3, 40));
        assertThatThrownBy(() -> layout.block(4)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> layout.block(-1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> layout.lengthOf(4)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(layout(MIB, 2L * MIB, range(0, 2)).lengthOf(1)).isEqualTo(MIB);
    }

    @Test
    void aFourGibibyteObjectHasOneSmallPinList() {
        ObjectLayout layout = layout(MIB, 1L << 32, range(0, 4097));
        assertThat(layout.pins().length()).isEqualTo(32);
        assertThat(layout.levelOf(4096)).isEqualTo(1);
        assertThat(layout.lengthOf(4096)).isEqualTo(16 + 4096 * 32);
        assertThat(layout.listOf(4095)).isEqualTo(4096);
        assertThat(layout.positionOf(4095)).isEqualTo(4095);
        assertThat(layout.listOf(4096)).isEqualTo(-1);
        WireWriter out = new WireWriter();
        layout.write(out);
        assertThat(out.length()).isLessThan(150);
    }

    @Test
    void layoutsThatDoNotAddUpAreRefused() {
        assertThatThrownBy(() -> layout(MIB, 1, range(0, 2))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> layout(MIB, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> layout(MIB, 1, new BlockRange(2, OWNER, 3, 0, 1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> layout(MIB, 2, range(0, Long.MAX_VALUE))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new ObjectLayout(1, MIB, 1, List.of(range(0, 1)), Bytes.of(new byte[31])))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new ObjectLayout(1, MIB, -1, List.of(), Bytes.EMPTY))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new ObjectLayout(1, 100, 0, List.of(), Bytes.EMPTY))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void pinListsAreReadStrictly() {
        Bytes content = new PinList(2, Bytes.of(new byte[96])).encoded();
        assertThat(content.length()).isEqualTo(112);
        assertThat(PinList.read(content, 2, 3).encoded()).isEqualTo(content);
        assertThatThrownBy(() -> PinList.read(content, 1, 3)).isInstanceOf(MalformedException.class);
        assertThatThrownBy(() -> PinList.read(content, 2, 4)).isInstanceOf(MalformedException.class);
        assertThatThrownBy(() -> PinList.read(content.slice(0, 111), 2, 3)).isInstanceOf(MalformedException.class);
        for (int reserved : new int[] {0, 6, 7, 12, 15}) {
            byte[] changed = content.toByteArray();
            changed[reserved] ^= 1;
            assertThatThrownBy(() -> PinList.read(Bytes.of(changed), 2, 3)).isInstanceOf(MalformedException.class);
        }
    }

    @Test
    void attributesAreBounded() {
        TreeMap<String, String> tags = new TreeMap<>();
        tags.put("colour", "x".repeat(ObjectAttributes.VALUE_BYTES_MAX));
        ObjectAttributes attributes = new ObjectAttributes("text/plain", tags, new TreeMap<>(tags));
        WireWriter out = new WireWriter();
        attributes.write(out);
        assertThat(out.length()).isEqualTo(attributes.encodedBytes());
        assertThat(ObjectAttributes.read(new WireReader(out.toBytes()))).isEqualTo(attributes);
        tags.put("size", "x".repeat(ObjectAttributes.VALUE_BYTES_MAX));
        assertThatThrownBy(() -> new ObjectAttributes("", tags, new TreeMap<>()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new ObjectAttributes("", new TreeMap<>(), tags))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ObjectAttributes.ofType("x".repeat(256))).isInstanceOf(IllegalArgumentException.class);
    }
}
