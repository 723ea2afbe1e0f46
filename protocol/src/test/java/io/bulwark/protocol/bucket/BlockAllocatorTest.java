package io.bulwark.protocol.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BlockAllocatorTest {
    private final BlockAllocator blocks = new BlockAllocator(1, PrincipalId.client(0), 7);

    @Test
    void whatIsGivenBackIsGivenOutFirst() {
        BlockRange first = blocks.take(0, 10);
        BlockRange second = blocks.take(0, 5);
        assertThat(second.first()).isEqualTo(10);
        blocks.giveBack(first);
        assertThat(blocks.take(0, 4).first()).isZero();
        assertThat(blocks.take(0, 7).first()).isEqualTo(15);
        assertThat(blocks.take(0, 6).first()).isEqualTo(4);
    }

    @Test
    void generationsOfGroupsHaveTheirOwnIds() {
        BlockRange old = blocks.take(0, 10);
        BlockRange first = blocks.take(2, 3);
        assertThat(first.isOf(2)).isTrue();
        assertThat(first.first()).isEqualTo(BlockId.firstOf(2));
        blocks.giveBack(old);
        assertThat(blocks.take(2, 3).first()).isEqualTo(BlockId.firstOf(2) + 3);
        assertThat(blocks.take(0, 1).first()).isZero();
    }

    @Test
    void nothingIsOutTwiceAndAllReturnedLeavesNoHoles() {
        long seed = Long.getLong("bulwark.seed", System.nanoTime());
        Random random = new Random(seed);
        BitSet out = new BitSet();
        List<BlockRange> taken = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            if (taken.isEmpty() || random.nextInt(100) < 55) {
                BlockRange range = blocks.take(0, 1 + random.nextInt(20));
                int from = (int) range.first();
                int to = (int) (range.first() + range.count());
                assertThat(out.get(from, to).isEmpty()).as("seed %d", seed).isTrue();
                out.set(from, to);
                taken.add(range);
            } else {
                BlockRange range = taken.remove(random.nextInt(taken.size()));
                out.clear((int) range.first(), (int) (range.first() + range.count()));
                blocks.giveBack(range);
            }
        }
        taken.forEach(blocks::giveBack);
        assertThat(blocks.take(0, 1_000_000).first()).as("seed %d", seed).isZero();
    }
}
