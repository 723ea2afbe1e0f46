package io.bulwark.protocol.fp;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Target;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests the number of claims that a holder needs. Here n = 5, m + f = 4, and 2f + 1 = 3 are too few. */
@NullMarked
class ClaimPollTest {
    private static final Timeouts TIMES = new Timeouts(100, 400, 0, 3_000);
    private static final int OWN = 0;

    private final LocalNodes nodes = new LocalNodes(1, 3);
    private final Timestamp version = new Timestamp(5, nodes.encode(1).fpcc());
    private final Timestamp later = new Timestamp(6, nodes.encode(2).fpcc());
    private final ClaimPoll poll = new ClaimPoll(nodes.group, OWN, version, TIMES);

    private List<Effect> claims(int slot, Timestamp latest) {
        return poll.onMessage(
                1, PrincipalId.node(slot), new FpMessage.FoundTimestamp(nodes.group.target(slot), latest, null));
    }

    @PlantedBug(
            in = ClaimPoll.class,
            rule = "m + f nodes must claim a version before it counts as held",
            replace = "claiming >= group.policy().writeQuorum()",
            with = "claiming >= group.policy().timestampQuorum()")
    @Test
    void allButFSlotsClaimItOrALaterOne() {
        assertThat(poll.start(1)).hasSize(4);
        claims(1, version);
        claims(2, later);
        assertThat(poll.outcome()).isEmpty();
        claims(3, version);
        assertThat(poll.outcome()).contains(ClaimPoll.Outcome.CLAIMED);
    }

    @Test
    void aSlotCountsOnceAndSpeaksForItself() {
        poll.start(1);
        claims(1, version);
        claims(1, version);
        claims(1, later);
        poll.onMessage(1, PrincipalId.node(1), new FpMessage.FoundTimestamp(nodes.group.target(3), version, null));
        claims(OWN, version);
        claims(2, version);
        assertThat(poll.outcome()).isEmpty();
    }

    @Test
    void whatIsSaidInAnotherEpochDoesNotCount() {
        poll.start(1);
        claims(1, version);
        claims(2, version);
        Target before = new Target(nodes.group.block(), 2, 3);
        poll.onMessage(1, PrincipalId.node(3), new FpMessage.FoundTimestamp(before, version, null));
        assertThat(poll.outcome()).isEmpty();
    }

    @Test
    void whoIsBehindIsAskedForRepairAndCountsThen() {
        poll.start(1);
        claims(1, version);
        claims(2, version);
        assertThat(claims(3, Timestamp.NONE))
                .containsExactly(
                        new Effect.Send(PrincipalId.node(3), 0, new FpMessage.Repair(nodes.group.target(3), version)));
        assertThat(poll.outcome()).isEmpty();
        poll.onMessage(2, PrincipalId.node(3), new FpMessage.RepairAnswer(nodes.group.target(3), version));
        assertThat(poll.outcome()).contains(ClaimPoll.Outcome.CLAIMED);
    }

    @Test
    void itAsksAgainAndGivesUp() {
        poll.start(1);
        claims(1, Timestamp.NONE);
        assertThat(poll.onTick(300)).isEmpty();
        assertThat(poll.onTick(402))
                .hasSize(4)
                .filteredOn(effect -> effect instanceof Effect.Send(PrincipalId to, long _, FpMessage.Repair _)
                        && to.equals(PrincipalId.node(1)))
                .hasSize(1);
        poll.onTick(3_001);
        assertThat(poll.outcome()).contains(ClaimPoll.Outcome.TIMED_OUT);
        assertThat(poll.isFinished()).isTrue();
    }
}
