package io.bulwark.protocol.fp;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.BlockId;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests which versions staged by repairs a round waits for. */
@NullMarked
class OutstandingRepairsTest {
    private static final Version VERSION = new Version(5, SampleMessages.filled(32, 1));
    private static final StagedIndex.Entry ONE = new StagedIndex.Entry(BlockId.register(3, 1), VERSION);
    private static final StagedIndex.Entry TWO = new StagedIndex.Entry(BlockId.register(3, 2), VERSION);
    private static final StagedIndex.Entry ELSEWHERE = new StagedIndex.Entry(BlockId.register(4, 1), VERSION);

    private final OutstandingRepairs left = new OutstandingRepairs();

    @Test
    void aRoundWaitsForWhatWasThereBefore() {
        left.add(ONE);
        left.add(ELSEWHERE);
        long round = left.mark();
        left.add(TWO);
        left.add(ONE);
        assertThat(left.before(round)).containsExactlyInAnyOrder(ONE, ELSEWHERE);
        assertThat(left.before(3, round)).isEqualTo(1);
        assertThat(left.before(4, round)).isEqualTo(1);
        assertThat(left.before(3, left.mark())).isEqualTo(2);
        left.remove(ONE);
        assertThat(left.before(3, round)).isZero();
        left.remove(ELSEWHERE);
        assertThat(left.volumes()).containsExactly(3);
        assertThat(left.before(4, round)).isZero();
    }

    @Test
    void whatIsRenewedIsLeftToLaterRounds() {
        left.add(ONE);
        long round = left.mark();
        left.renew(ONE);
        left.renew(TWO);
        assertThat(left.before(3, round)).isZero();
        assertThat(left.before(3, left.mark())).isEqualTo(1);
    }
}
