package io.bulwark.protocol.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.cluster.Volume.Generation;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Placement groups of a volume whose policy was changed. */
@NullMarked
class GenerationTest {
    private static final ProtectionPolicy FIRST = new ProtectionPolicy(1, 2, 4, 512);
    private static final ProtectionPolicy SECOND = new ProtectionPolicy(1, 3, 5, 512);
    private static final ProtectionPolicy THIRD = new ProtectionPolicy(2, 3, 7, 512);
    private static final Volume ONE = new Volume(1, "v", VolumeKind.OBJECT, FIRST, 0, groups(4, 4, 4));
    private static final Volume THREE = new Volume(
            1,
            "v",
            VolumeKind.OBJECT,
            THIRD,
            0,
            groups(4, 4, 4, 5, 7, 7),
            List.of(new Generation(FIRST, 3), new Generation(SECOND, 1)));

    private static List<PlacementGroup> groups(int... slots) {
        return Arrays.stream(slots)
                .mapToObj(count ->
                        new PlacementGroup(1, IntStream.range(0, count).boxed().toList()))
                .toList();
    }

    private static BlockId block(int generation, long number) {
        return new BlockId(1, PrincipalId.client(3), 5, BlockId.firstOf(generation) + number);
    }

    @Test
    void oldBlocksStayInTheirGroupsUnderTheirPolicy() {
        Random random = new Random(7);
        for (int i = 0; i < 200; i++) {
            BlockId old = block(0, random.nextInt(1_000_000));
            assertThat(THREE.groupIndex(old)).isEqualTo(ONE.groupIndex(old));
            assertThat(THREE.policyOf(old)).isEqualTo(FIRST);
        }
    }

    @Test
    void newBlocksAreSpreadOverTheGroupsOfTheirGeneration() {
        Set<Integer> used = new TreeSet<>();
        for (int number = 0; number < 50; number++) {
            assertThat(THREE.groupIndex(block(1, number))).isEqualTo(3);
            BlockId newest = block(2, number);
            assertThat(THREE.policyOf(newest)).isEqualTo(THREE.policyOf(THREE.groupIndex(newest)));
            used.add(THREE.groupIndex(newest));
        }
        assertThat(used).containsExactly(4, 5);
        assertThat(THREE.newestGroups()).isEqualTo(THREE.groups().subList(4, 6));
    }

    @Test
    void aBlockOfARegisterVolumeIsARegisterInEachGeneration() {
        List<Generation> older = List.of(new Generation(FIRST, 3), new Generation(SECOND, 1));
        Volume disk = new Volume(1, "v", VolumeKind.REGISTER, THIRD, 10, THREE.groups(), older, true);
        for (int generation = 0; generation < 3; generation++) {
            BlockId register = BlockId.register(1, generation, 9);
            assertThat(register.number()).isEqualTo(9);
            assertThat(disk.hasRegister(register)).isTrue();
            assertThat(disk.policyOf(register)).isEqualTo(disk.policyOfGeneration(generation));
            assertThat(disk.generationOf(disk.groupIndex(register))).isEqualTo(generation);
            assertThat(disk.firstRegister(disk.groupIndex(register))).isEqualTo(BlockId.register(1, generation, 0));
            assertThat(disk.lastRegister(disk.groupIndex(register))).isEqualTo(register);
            assertThat(disk.hasRegister(BlockId.register(1, generation, 10))).isFalse();
        }
        assertThat(disk.hasRegister(BlockId.register(1, 3, 9))).isFalse();
        assertThat(disk.written()).isEqualTo(1);
        assertThat(disk.with(disk.groups())).isEqualTo(disk);
        WireWriter out = new WireWriter();
        disk.write(out);
        assertThat(Volume.read(new WireReader(out.toBytes()))).isEqualTo(disk);
        assertThatThrownBy(() -> new Volume(1, "v", VolumeKind.REGISTER, FIRST, 10, groups(4), List.of(), true))
                .hasMessageContaining("to open");
    }

    @Test
    void anOlderMapDoesNotKnowALaterGeneration() {
        assertThat(ONE.knows(block(1, 0))).isFalse();
        assertThat(THREE.knows(block(2, 0))).isTrue();
        assertThatThrownBy(() -> ONE.group(block(1, 0))).hasMessageContaining("generation 1");
    }

    @Test
    void aVolumeComesBackFromItsBytes() {
        WireWriter out = new WireWriter();
        THREE.write(out);
        assertThat(Volume.read(new WireReader(out.toBytes()))).isEqualTo(THREE);
    }

    @Test
    void groupsMustFitTheirGeneration() {
        assertThatThrownBy(() -> new Volume(
                        1, "v", VolumeKind.OBJECT, THIRD, 0, groups(4, 7), List.of(new Generation(SECOND, 1))))
                .hasMessageContaining("4 holders");
        assertThatThrownBy(() ->
                        new Volume(1, "v", VolumeKind.OBJECT, THIRD, 0, groups(4), List.of(new Generation(FIRST, 1))))
                .hasMessageContaining("1 older");
    }
}
