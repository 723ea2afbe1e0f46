package io.bulwark.protocol.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Command;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Tests which ids an object uses, which it returns, and which it abandons. */
class BlockPlanTest {
    private static final int MIB = 1 << 20;

    private final BlockAllocator ids = new BlockAllocator(1, PrincipalId.client(0), 7);
    private final BlockPlan plan = new BlockPlan(ids, 0, MIB);

    private static BlockRange range(long first, long count) {
        return new BlockRange(1, PrincipalId.client(0), 7, first, count);
    }

    private List<Long> use(int count) {
        return LongStream.range(0, count)
                .map(_ -> {
                    if (!plan.hasNext()) {
                        assertThat(plan.extend(0)).isEmpty();
                    }
                    BlockId next = plan.next();
                    return next.counter();
                })
                .boxed()
                .toList();
    }

    @Test
    void idsComeInOrderAndNeighboursAreOneRange() {
        assertThat(use(20)).isEqualTo(LongStream.range(0, 20).boxed().toList());
        assertThat(plan.used()).containsExactly(range(0, 20));
    }

    @Test
    void whatOthersTookBetweenSplitsTheRanges() {
        use(16);
        ids.take(0, 5);
        assertThat(use(2)).containsExactly(21L, 22L);
        assertThat(plan.used()).containsExactly(range(0, 16), range(21, 2));
    }

    @Test
    void whatIsExpectedIsTakenInOnePiece() {
        assertThat(plan.extend(20)).isEmpty();
        assertThat(ids.take(0, 1).first()).isEqualTo(20);
    }

    @Test
    void whatWasNotUsedIsGivenBackOnce() {
        use(3);
        plan.giveBackUnused();
        plan.giveBackUnused();
        assertThat(plan.used()).containsExactly(range(0, 3));
        assertThat(plan.hasNext()).isFalse();
        assertThat(ids.take(0, 1)).isEqualTo(range(3, 1));
        assertThat(use(1)).as("another piece").containsExactly(4L);
    }

    @Test
    void allOfAChunkIsUsedAndNothingIsLeftToGiveBack() {
        use(16);
        plan.giveBackUnused();
        assertThat(plan.used()).containsExactly(range(0, 16));
        assertThat(ids.take(0, 1).first()).isEqualTo(16);
    }

    /** Nodes bound what is not referenced: beyond 32 MiB ids are registered before they are used, the whole chunk. */
    @Test
    void beyond32MiBARangeIsRegisteredFirst() {
        use(32);
        Optional<BlockRange> unregistered = plan.extend(0);
        assertThat(unregistered).contains(range(32, 32));
        assertThat(plan.hasNext()).isFalse();
        plan.onRegistered(range(32, 32), 99);
        assertThat(plan.pending()).containsExactly(99L);
        assertThat(plan.next().counter()).isEqualTo(32);
        plan.giveBackUnused();
        assertThat(plan.used()).containsExactly(range(0, 33));
        assertThat(ids.take(0, 1).first())
                .as("registered ids end with their upload")
                .isEqualTo(64);
        assertThat(plan.abandoned()).contains(new Command.AbandonRanges(List.of(range(0, 32)), List.of(99L)));
    }

    @Test
    void onlyWhatMayHaveBeenStoredIsAbandoned() {
        assertThat(plan.abandoned()).isEmpty();
        use(17);
        assertThat(plan.abandoned()).contains(new Command.AbandonRanges(List.of(range(0, 17)), List.of()));
        assertThat(ids.take(0, 1).first()).isEqualTo(17);
    }
}
