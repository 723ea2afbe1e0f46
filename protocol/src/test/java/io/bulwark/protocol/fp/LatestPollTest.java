package io.bulwark.protocol.fp;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Timeouts;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests a poll by node 5 of the others (f = 1, m = 4, six slots, of which the first four count). */
@NullMarked
class LatestPollTest {
    private static final Timeouts TIMES = new Timeouts(100, 300, 0, 20_000);

    private final LocalNodes nodes = new LocalNodes(1, 4);
    private final Timestamp own = new Timestamp(5, nodes.encode(1).fpcc());
    private final Timestamp later = new Timestamp(6, nodes.encode(2).fpcc());
    private LatestPoll poll = new LatestPoll(nodes.group, 5, own, TIMES);

    private void answer(int slot, Timestamp latest) {
        poll.onMessage(
                11, PrincipalId.node(slot), new FpMessage.FoundTimestamp(nodes.group.target(slot), latest, null));
    }

    private void answers(Timestamp... latest) {
        for (int slot = 0; slot < latest.length; slot++) {
            assertThat(poll.outcome()).isEmpty();
            answer(slot, latest[slot]);
        }
    }

    private void again() {
        poll = new LatestPoll(nodes.group, 5, own, TIMES);
        poll.start(10);
    }

    @Test
    void agreedAtThreeOfTheFirstFourIfNobodyClaimsMore() {
        assertThat(poll.start(10)).hasSize(5);
        answers(own, own, own, Timestamp.NONE, Timestamp.NONE);
        assertThat(poll.outcome()).contains(LatestPoll.Outcome.AGREED);
        again();
        answers(own, own, own, own, later);
        assertThat(poll.outcome()).contains(LatestPoll.Outcome.DIFFERENT);
        again();
        answers(later, own, own, own, own);
        assertThat(poll.outcome()).contains(LatestPoll.Outcome.DIFFERENT);
        again();
        answers(own, own, Timestamp.NONE, Timestamp.NONE, own);
        assertThat(poll.outcome()).contains(LatestPoll.Outcome.DIFFERENT);
    }

    @Test
    void whoIsSilentIsAskedAgainAndLeftOutAfterTheTimeOfARetry() {
        again();
        answer(0, own);
        answer(1, own);
        answer(4, own);
        assertThat(poll.onTick(309)).isEmpty();
        assertThat(poll.onTick(310)).as("two of the four, and the others").hasSize(2);
        assertThat(poll.outcome()).isEmpty();
        assertThat(poll.onTick(609)).isEmpty();
        answer(3, own);
        assertThat(poll.onTick(611)).isEmpty();
        assertThat(poll.outcome()).contains(LatestPoll.Outcome.AGREED);
    }

    @Test
    void withoutThreeOfTheFourItEndsUnknown() {
        again();
        answer(0, own);
        answer(3, own);
        answer(4, own);
        poll.onTick(20_009);
        assertThat(poll.outcome()).isEmpty();
        poll.onTick(20_010);
        assertThat(poll.outcome()).contains(LatestPoll.Outcome.UNKNOWN);
    }
}
