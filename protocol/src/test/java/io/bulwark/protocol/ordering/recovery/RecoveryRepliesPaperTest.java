package io.bulwark.protocol.ordering.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RecoveryReply;
import io.bulwark.protocol.ordering.view.ViewGroup;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Section 4.4: 2f+1 replies, and the view that a recovering replica goes on with. */
@NullMarked
class RecoveryRepliesPaperTest {
    private final RecoveryReplies replies = new RecoveryReplies(new ViewGroup(1, 8, 16));

    private void says(int replica, boolean accepted, long sequence, long view) {
        replies.onReply(replica, new RecoveryReply(1, accepted, sequence, view));
    }

    @PlantedBug(
            in = RecoveryReplies.class,
            rule = "a recovery takes 2f + 1 equal replies",
            replace = "sequence(true, group.quorum())",
            with = "sequence(true, group.quorum() - 1)")
    @Test
    void twoFPlusOneEqualOnesAreNeededItsOwnAmongThem() {
        says(0, true, 9, 0);
        says(3, true, 9, RecoveryReplies.NO_VIEW);
        says(1, true, 10, 0);
        assertThat(replies.accepted()).isEmpty();
        says(2, true, 9, 0);
        assertThat(replies.accepted()).hasValue(9L);
        replies.forget(2);
        assertThat(replies.accepted()).isEmpty();
    }

    @PlantedBug(
            in = RecoveryReplies.class,
            rule = "f + 1 replicas must refuse a recovery",
            replace = "sequence(false, group.weakQuorum())",
            with = "sequence(false, group.faulty())")
    @Test
    void aLiarAloneRefusesNothing() {
        says(0, false, 9, 0);
        assertThat(replies.isRefused()).isFalse();
        says(1, false, 9, 0);
        assertThat(replies.isRefused()).isTrue();
    }

    @Test
    void theLastWordOfEachCounts() {
        says(0, true, 9, 0);
        says(1, true, 10, 0);
        says(3, true, 10, RecoveryReplies.NO_VIEW);
        says(0, true, 10, 0);
        assertThat(replies.accepted()).hasValue(10L);
    }

    @Test
    void whatWasSaidOfOneRequestIsNoAnswerToTheNext() {
        says(0, false, 9, 0);
        says(1, false, 9, 0);
        replies.clear();
        says(2, false, 9, 0);
        assertThat(replies.isRefused()).isFalse();
    }

    @Test
    void theOwnViewStaysIfFPlusOneOthersAreAsFar() {
        says(0, true, 9, 7);
        says(1, true, 9, 5);
        says(2, true, 9, 3);
        says(3, true, 9, RecoveryReplies.NO_VIEW);
        assertThat(replies.validView(5)).isEqualTo(5);
        assertThat(replies.validView(4)).isEqualTo(4);
    }

    /**
     * If the disk is correct, f other correct replicas have reached the view before. Otherwise one of f such others is
     * correct.
     */
    @PlantedBug(
            in = RecoveryReplies.class,
            rule = "a view is forged only if 2f + 1 others are behind it",
            replace = "< own - 1).count() >= group.quorum();",
            with = "< own - 1).count() >= group.quorum() - 1;")
    @Test
    void aViewIsForgedIf2fPlus1OthersAreBehindByMoreThanOne() {
        says(0, true, 9, 3);
        says(1, true, 9, 3);
        says(3, true, 9, RecoveryReplies.NO_VIEW);
        assertThat(replies.isJudged(5)).isFalse();
        assertThat(replies.isForged(5)).isFalse();
        assertThat(replies.isJudged(4)).isTrue();
        says(2, true, 9, 4);
        assertThat(replies.isJudged(5)).isTrue();
        assertThat(replies.isForged(5)).isFalse();
        assertThat(replies.isJudged(6)).isTrue();
        assertThat(replies.isForged(6)).isTrue();
    }

    @PlantedBug(
            in = RecoveryReplies.class,
            rule = "the view of a recovery is not a liar's",
            replace = "views[(views.length - 1) / 2]",
            with = "views[views.length - 1]")
    @Test
    void elseItIsTheMedian() {
        says(0, true, 9, 7_000);
        says(1, true, 9, 5);
        says(2, true, 9, 3);
        assertThat(replies.validView(6)).isEqualTo(5);
        says(3, true, 9, RecoveryReplies.NO_VIEW);
        assertThat(replies.validView(6)).as("its own says nothing").isEqualTo(5);
        replies.forget(2);
        // A liar says the greater one: f+1 are not below the lesser.
        assertThat(replies.validView(6)).isEqualTo(5);
    }
}
