package io.bulwark.protocol.ordering.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.ordering.view.ViewGroup;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Section 4.4, the estimate of the high water mark: K = 8, L = 16, f = 1. */
@NullMarked
class HighWaterMarkEstimatePaperTest {
    private final HighWaterMarkEstimate estimation = new HighWaterMarkEstimate(new ViewGroup(1, 8, 16));

    @PlantedBug(
            in = HighWaterMarkEstimate.class,
            rule = "an estimate needs 2f others without a later checkpoint",
            replace = "noLater >= 2 * group.faulty()",
            with = "noLater >= 2 * group.faulty() - 1")
    @Test
    void itNeedsTwoFOthersWithNoLaterCheckpoint() {
        estimation.onReply(3, 8, 9);
        estimation.onReply(0, 8, 9);
        assertThat(estimation.estimate()).isEmpty();
        estimation.onReply(1, 8, 9);
        assertThat(estimation.estimate()).hasValue(8 + 16);
    }

    @Test
    void aCheckpointThatIsStableIsNeverAboveIt() {
        estimation.onReply(3, 8, 20);
        estimation.onReply(0, 16, 20);
        estimation.onReply(1, 16, 20);
        // Checkpoint 8 does not rule out a later stable one.
        assertThat(estimation.estimate()).hasValue(16 + 16);
    }

    @PlantedBug(
            in = HighWaterMarkEstimate.class,
            rule = "an estimate needs f others that have prepared as much",
            replace = "&& prepared >= group.faulty()",
            with = "")
    @Test
    void aLiarCannotDrawTheRecoveryOut() {
        estimation.onReply(0, 8, 9);
        estimation.onReply(1, 8, 9);
        estimation.onReply(2, 8_000, 8_000);
        assertThat(estimation.estimate()).isEmpty();
        estimation.onReply(3, 8, 9);
        assertThat(estimation.estimate()).hasValue(8 + 16);
    }

    @Test
    void theLeastCheckpointAndTheGreatestPreparedNumberOfEachCount() {
        estimation.onReply(0, 8, 9);
        estimation.onReply(1, 16, 9);
        estimation.onReply(3, 8, 9);
        assertThat(estimation.estimate()).isEmpty();
        estimation.onReply(1, 8, 20);
        estimation.onReply(1, 16, 9);
        assertThat(estimation.estimate()).hasValue(8 + 16);
    }

    @Test
    void whatNoReplicaCanSayDoesNotCount() {
        estimation.onReply(0, 0, 0);
        estimation.onReply(1, 0, 0);
        estimation.onReply(2, 3, 9);
        estimation.onReply(2, -8, 9);
        estimation.onReply(2, 8, -1);
        estimation.onReply(2, Long.MAX_VALUE / 8 * 8, Long.MAX_VALUE);
        assertThat(estimation.estimate()).isEmpty();
        estimation.onReply(2, 0, 0);
        assertThat(estimation.estimate()).hasValue(16);
    }

    @Test
    void whatAReplicaPreparedItDoesNotTakeBack() {
        estimation.onReply(0, 16, 9);
        estimation.onReply(1, 16, 20);
        estimation.onReply(1, 16, 9);
        estimation.onReply(3, 16, 9);
        assertThat(estimation.estimate()).hasValue(16 + 16);
    }

    @Test
    void itIsTheLeastThatFits() {
        estimation.onReply(3, 16, 20);
        estimation.onReply(0, 8, 20);
        estimation.onReply(1, 8, 20);
        estimation.onReply(2, 8, 20);
        assertThat(estimation.estimate()).hasValue(8 + 16);
    }

    /** The own state may be forged, and there are liars beside. */
    @Test
    void whatNoReplicaCanSayIsNoEstimate() {
        for (long impossible : new long[] {3, Long.MAX_VALUE / 8 * 8}) {
            HighWaterMarkEstimate each = new HighWaterMarkEstimate(new ViewGroup(1, 8, 16));
            each.onReply(3, impossible, Long.MAX_VALUE);
            each.onReply(2, 0, Long.MAX_VALUE);
            each.onReply(0, 0, 0);
            assertThat(each.estimate()).as("%d", impossible).isEmpty();
        }
    }

    @PlantedBug(
            in = HighWaterMarkEstimate.class,
            rule = "replies under old keys do not count for an estimate",
            replace = "said[replica] = null;",
            with = "")
    @Test
    void newKeysUndoAReply() {
        estimation.onReply(0, 8, 9);
        estimation.onReply(1, 8, 9);
        estimation.onReply(2, 8, 9);
        estimation.forget(1);
        assertThat(estimation.estimate()).isEmpty();
    }
}
