package io.bulwark.protocol.ordering.view;

import static io.bulwark.protocol.ordering.view.ViewChangeBuilder.checkpoint;
import static io.bulwark.protocol.ordering.view.ViewChangeBuilder.digest;
import static io.bulwark.protocol.ordering.view.ViewChangeBuilder.stable;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.ordering.message.ReplicaMessage.ViewChange;
import java.util.List;
import org.junit.jupiter.api.Test;

/** P and Q (proactive recovery paper, figure 2, with the mends of docs/ordering). */
class ViewHistoryPaperTest {
    private static final ViewGroup GROUP = ViewChangeBuilder.group(1);

    private final ViewHistory history = new ViewHistory(GROUP, 0);

    private ViewChange told() {
        ViewChange message = history.tell(9, List.of(checkpoint(history.low())));
        assertThat(ViewChecks.isPlausible(GROUP, message)).isTrue();
        assertThat(ViewHistory.of(GROUP, message).tell(9, message.checkpoints()))
                .as("restored from disk")
                .isEqualTo(message);
        return message;
    }

    @Test
    void whatPreparedIsInBothSets() {
        history.prePrepared(1, digest(7), 0);
        assertThat(told()).isEqualTo(stable(9, 0).prePrepared(1, 7, 0).message());
        history.prepared(1, digest(7), 0);
        assertThat(told()).isEqualTo(stable(9, 0).prepared(1, 7, 0).message());
    }

    @Test
    void theEntryOfThePSetIsOfTheLatestView() {
        history.prepared(1, digest(7), 1);
        history.prepared(1, digest(8), 3);
        ViewChange latest = stable(9, 0).prePrepared(1, 7, 1).prepared(1, 8, 3).message();
        assertThat(told()).isEqualTo(latest);
        history.prepared(1, digest(7), 1);
        assertThat(told()).as("in whatever order the disk tells it").isEqualTo(latest);
    }

    @Test
    void whatOnlyPrePreparedLeavesTheEntryOfPSetAlone() {
        history.prepared(1, digest(7), 1);
        history.prePrepared(1, digest(8), 2);
        assertThat(told())
                .isEqualTo(stable(9, 0).prepared(1, 7, 1).prePrepared(1, 8, 2).message());
    }

    @Test
    void aPairOfTheSameDigestGetsTheLatestView() {
        history.prePrepared(1, digest(7), 1);
        history.prePrepared(1, digest(7), 4);
        history.prePrepared(1, digest(7), 2);
        assertThat(told()).isEqualTo(stable(9, 0).prePrepared(1, 7, 4).message());
    }

    @Test
    void noPairIsEvicted() {
        ViewChangeBuilder all = stable(9, 0);
        for (int view = 0; view < 8; view++) {
            history.prePrepared(1, digest(20 + view), view);
            all.prePrepared(1, 20 + view, view);
        }
        assertThat(told()).isEqualTo(all.message());
    }

    @Test
    void freshBatchesForOneNumberAreBoundedAndChoicesAreNot() {
        for (int batch = 1; batch <= ViewGroup.FRESH_DIGESTS_MAX; batch++) {
            assertThat(history.mayAcceptFresh(2, digest(batch))).isTrue();
            history.prePrepared(2, digest(batch), batch);
        }
        assertThat(history.mayAcceptFresh(2, digest(99))).isFalse();
        assertThat(history.mayAcceptFresh(2, digest(1))).isTrue();
        assertThat(history.mayAcceptFresh(3, digest(99))).isTrue();
        for (int batch = ViewGroup.FRESH_DIGESTS_MAX + 1; batch <= GROUP.digestsMax(); batch++) {
            assertThat(history.mayAcceptChosen(2, digest(batch))).isTrue();
            history.prePrepared(2, digest(batch), 8);
        }
        assertThat(history.mayAcceptChosen(2, digest(99))).isFalse();
        told();
    }

    @Test
    void theLowWaterMarkTrimsBoth() {
        history.prepared(2, digest(7), 1);
        history.prepared(3, digest(8), 1);
        history.trim(2);
        history.prepared(1, digest(9), 1);
        history.prePrepared(2, digest(9), 1);
        assertThat(told()).isEqualTo(stable(9, 2).prepared(3, 8, 1).message());
        history.trim(0);
        assertThat(history.low()).isEqualTo(2);
    }

    @Test
    void nothingAboveTheHighWaterMark() {
        assertThat(history.mayAcceptFresh(ViewChangeBuilder.LOG + 1, digest(7))).isFalse();
        assertThat(history.mayAcceptChosen(0, digest(7))).isFalse();
        assertThatThrownBy(() -> history.prePrepared(ViewChangeBuilder.LOG + 1, digest(7), 0))
                .isInstanceOf(IllegalArgumentException.class);
        history.trim(2);
        assertThat(history.mayAcceptFresh(ViewChangeBuilder.LOG + 1, digest(7))).isTrue();
    }
}
