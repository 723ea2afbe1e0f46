package io.bulwark.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.NodeAddress;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class WireTest {
    private static final Volume VOLUME = new Volume(
            7,
            "films",
            VolumeKind.OBJECT,
            ProtectionPolicy.standard(),
            0,
            List.of(new PlacementGroup(1, List.of(0, 1, 2, 3)), new PlacementGroup(3, List.of(4, 0, 1, 2))));

    @Test
    void writesBigEndianNumbersAndKeepsLargeSlicesByReference() {
        byte[] large = new byte[10_000];
        WireWriter out = new WireWriter().u8(1).u16(0x0203).i32(0x04050607).i64(0x08090A0B0C0D0E0FL);
        out.bytes(Bytes.of(large)).bool(true);
        List<Bytes> segments = out.segments();
        assertThat(segments.getFirst().toHex()).isEqualTo("0102030405060708090a0b0c0d0e0f00002710");
        assertThat(segments.get(1).array()).isSameAs(large);
        assertThat(segments.getLast()).isEqualTo(Bytes.of((byte) 1));
    }

    @Test
    void aClusterMapComesBackAsItWent() {
        ClusterMap map = new ClusterMap(5, List.of(new NodeAddress(0, "127.0.0.1", 4000)), List.of(VOLUME));
        WireWriter out = new WireWriter();
        map.write(out);
        WireReader in = new WireReader(out.toBytes());
        assertThat(ClusterMap.read(in)).isEqualTo(map);
        in.end();
    }

    @Test
    void idsHaveTheirFixedLengthAndComeBack() {
        BlockId id = new BlockId(7, PrincipalId.client(3), 9, 1L << 40);
        WireWriter out = new WireWriter();
        id.write(out);
        assertThat(out.length()).isEqualTo(BlockId.BYTES);
        assertThat(BlockId.read(new WireReader(out.toBytes()))).isEqualTo(id);
        BlockRange range = new BlockRange(7, PrincipalId.client(3), 9, 5, 2);
        assertThat(range.contains(range.at(1))).isTrue();
        assertThat(range.contains(new BlockId(7, PrincipalId.client(3), 9, 7))).isFalse();
    }

    @Test
    void lengthsAreComparedBeforeAnythingIsAllocated() {
        Bytes huge = new WireWriter().i32(Integer.MAX_VALUE).toBytes();
        assertThatThrownBy(() -> new WireReader(huge).bytes(1 << 20)).isInstanceOf(MalformedException.class);
        assertThatThrownBy(() -> new WireReader(huge).bytes(Integer.MAX_VALUE)).isInstanceOf(MalformedException.class);
        Bytes negative = new WireWriter().i32(-1).toBytes();
        assertThatThrownBy(() -> new WireReader(negative).string(10)).isInstanceOf(MalformedException.class);
        assertThatThrownBy(() -> new WireReader(Bytes.of((byte) 2)).bool()).isInstanceOf(MalformedException.class);
        assertThatThrownBy(() -> new WireReader(Bytes.of((byte) 2)).end()).isInstanceOf(MalformedException.class);
    }

    @Test
    void aFrameHeaderIsTwentyFourBytesAndCoversItsBody() {
        WireWriter body = new WireWriter().string("hello");
        List<Bytes> frame = FrameHeader.frame(0x0102, 77, body);
        assertThat(frame.getFirst().toHex()).isEqualTo("42574b31010001020000000000" + "00004d00000009" + "7b573ff7");
        FrameHeader header = FrameHeader.read(frame.getFirst());
        assertThat(header.covers(frame.get(1))).isTrue();
        byte[] changed = frame.get(1).toByteArray();
        changed[6] ^= 1;
        assertThat(header.covers(Bytes.of(changed))).isFalse();
        byte[] reserved = frame.getFirst().toByteArray();
        reserved[5] = 1;
        assertThatThrownBy(() -> FrameHeader.read(Bytes.of(reserved))).hasMessageContaining("reserved");
    }

    @Test
    void blocksSpreadOverTheGroups() {
        int[] counts = new int[2];
        for (int i = 0; i < 1000; i++) {
            counts[VOLUME.groupIndex(new BlockId(7, PrincipalId.client(1), 1, i))]++;
        }
        assertThat(counts[0]).isBetween(400, 600);
    }
}
