package io.bulwark.protocol.ordering;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.ordering.PeerMessage.AskDigest;
import io.bulwark.protocol.ordering.PeerMessage.DigestAt;
import io.bulwark.protocol.ordering.PeerMessage.PeerStatus;
import io.bulwark.protocol.ordering.PeerMessage.Start;
import io.bulwark.protocol.ordering.Settlement.Action;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * Tests the conclusions of one replica of four on its way into an incarnation, step by step. Replica 1 coordinates the
 * first.
 */
@NullMarked
class SettlementTest {
    private final List<Action> actions = new ArrayList<>();
    private Position own = Position.GENESIS;
    private long now = 1;

    private static Position position(long sequence, int seed) {
        byte[] digest = new byte[Position.GENESIS.digest().length()];
        digest[0] = (byte) seed;
        return new Position(sequence, Bytes.of(digest));
    }

    private Settlement settlement(int self, boolean forgetful) {
        return settlement(self, 4, forgetful);
    }

    private Settlement settlement(int self, int replicas, boolean forgetful) {
        Settlement.History history = new Settlement.History() {
            @Override
            public Position position() {
                return own;
            }

            @Override
            public Optional<Bytes> digestAt(long sequence) {
                return sequence == own.sequence() ? Optional.of(own.digest()) : Optional.empty();
            }
        };
        return new Settlement(self, replicas, 0, history, forgetful);
    }

    /** A replica that has begun to seal incarnation 1, and waits for its disk. */
    private Settlement sealing(int self) {
        Settlement settlement = settlement(self, false);
        settlement.start(now);
        for (int peer = 0; peer < 4; peer++) {
            if (peer != self) {
                settlement.onStanding(now, peer, new PeerStatus(0, Phase.FOLLOWING, Position.GENESIS));
            }
        }
        now += Settlement.HEAR_MILLIS;
        assertThat(settlement.onTick(now)).contains(new Action.Seal(1));
        return settlement;
    }

    private Settlement sealed(int self) {
        Settlement settlement = sealing(self);
        actions.addAll(settlement.onSealed(now));
        return settlement;
    }

    private void hear(Settlement settlement, int peer, long incarnation, Phase phase, Position position) {
        actions.addAll(settlement.onStanding(now, peer, new PeerStatus(incarnation, phase, position)));
        actions.addAll(settlement.onTick(now));
    }

    private void waitLong(Settlement settlement) {
        now += Settlement.SEAL_GRACE_MILLIS + 1;
        actions.addAll(settlement.onTick(now));
    }

    private List<Start> starts() {
        return actions.stream()
                .filter(action -> action instanceof Action.Send send && send.message() instanceof Start)
                .map(action -> (Start) ((Action.Send) action).message())
                .distinct()
                .toList();
    }

    @PlantedBug(
            in = Settlement.class,
            rule = "a coordinator decides with 2f + 1 sealed replicas",
            replace = "if (sealed < quorum()) {",
            with = "if (sealed < quorum() - 1) {")
    @Test
    void threeSealedReplicasStartAnIncarnationAndTwoDoNot() {
        Settlement settlement = sealed(1);
        hear(settlement, 0, 1, Phase.SEALED, Position.GENESIS);
        waitLong(settlement);
        assertThat(starts()).isEmpty();
        hear(settlement, 2, 1, Phase.SEALED, Position.GENESIS);
        waitLong(settlement);
        assertThat(starts()).containsExactly(new Start(1, Position.GENESIS));
    }

    @Test
    void ofSevenReplicasFiveStartAnIncarnationWithWhatThreeHave() {
        own = position(5, 1);
        Settlement settlement = settlement(1, 7, false);
        settlement.start(now);
        for (int peer = 0; peer < 7; peer++) {
            if (peer != 1) {
                settlement.onStanding(now, peer, new PeerStatus(0, Phase.FOLLOWING, Position.GENESIS));
            }
        }
        now += Settlement.HEAR_MILLIS;
        assertThat(settlement.onTick(now)).contains(new Action.Seal(1));
        settlement.onSealed(now);
        for (int peer : new int[] {0, 2, 3}) {
            hear(settlement, peer, 1, Phase.SEALED, position(peer == 3 ? 3 : 5, 1));
        }
        waitLong(settlement);
        assertThat(starts()).isEmpty();
        hear(settlement, 4, 1, Phase.SEALED, Position.GENESIS);
        waitLong(settlement);
        assertThat(starts()).containsExactly(new Start(1, position(5, 1)));
    }

    @Test
    void theLongestHistoryThatTwoOfTheSealedHaveIsChosen() {
        own = position(5, 1);
        Settlement settlement = sealed(1);
        hear(settlement, 0, 1, Phase.SEALED, position(5, 1));
        hear(settlement, 2, 1, Phase.SEALED, position(3, 1));
        waitLong(settlement);
        assertThat(starts()).containsExactly(new Start(1, position(5, 1)));
    }

    /** A replica with a longer log must report its digest at the requested length. */
    @Test
    void aLongerLogIsAskedForItsDigest() {
        own = position(3, 1);
        Settlement settlement = sealed(1);
        hear(settlement, 0, 1, Phase.SEALED, position(5, 9));
        hear(settlement, 2, 1, Phase.SEALED, position(3, 2));
        waitLong(settlement);
        assertThat(starts()).isEmpty();
        assertThat(actions).contains(new Action.Send(0, new AskDigest(3)));
        actions.addAll(settlement.onDigest(
                now, 0, new DigestAt(3, Optional.of(position(3, 1).digest()))));
        assertThat(starts()).containsExactly(new Start(1, position(3, 1)));
    }

    @Test
    void aReplicaThatIsSealedFollowsIntoALaterIncarnationAndAFollowerDoesNot() {
        Settlement settlement = sealed(0);
        hear(settlement, 1, 7, Phase.FOLLOWING, Position.GENESIS);
        assertThat(settlement.incarnation()).isEqualTo(1);
        hear(settlement, 1, 7, Phase.SEALED, Position.GENESIS);
        assertThat(settlement.incarnation()).isEqualTo(7);
        assertThat(actions).contains(new Action.Seal(7));
        Settlement follower = settlement(0, true);
        follower.start(now);
        assertThat(follower.onStanding(now, 1, new PeerStatus(7, Phase.SEALED, Position.GENESIS)))
                .isEmpty();
        assertThat(follower.phase()).isEqualTo(Phase.FOLLOWING);
    }

    @PlantedBug(
            in = Settlement.class,
            rule = "replicas of another incarnation do not count as sealed",
            replace = "if (last.standing().phase() == Phase.SEALED && "
                    + "last.standing().incarnation() == incarnation) { sealed.put",
            with = "if (last.standing().phase() == Phase.SEALED) { sealed.put")
    @Test
    void whoIsSealedInAnotherIncarnationOrRunsDoesNotCount() {
        Settlement settlement = sealed(1);
        hear(settlement, 0, 1, Phase.SEALED, Position.GENESIS);
        hear(settlement, 2, 0, Phase.SEALED, Position.GENESIS);
        waitLong(settlement);
        assertThat(starts()).as("sealed in incarnation 0").isEmpty();
        hear(settlement, 2, 1, Phase.RUNNING, Position.GENESIS);
        waitLong(settlement);
        assertThat(starts()).as("running").isEmpty();
    }

    @PlantedBug(
            in = Settlement.class,
            rule = "a coordinator's own seal is durable before it decides",
            replace = "sealing = true; return List.of(new Action.Seal(target));",
            with = "return List.of(new Action.Seal(target));")
    @Test
    void nothingIsDecidedBeforeTheOwnSealIsDurable() {
        Settlement settlement = sealing(1);
        hear(settlement, 0, 1, Phase.SEALED, Position.GENESIS);
        hear(settlement, 2, 1, Phase.SEALED, Position.GENESIS);
        waitLong(settlement);
        assertThat(starts()).isEmpty();
    }

    @PlantedBug(
            in = Settlement.class,
            rule = "a history is adopted only if f + 1 replicas have it",
            replace = "count() > faulty)",
            with = "count() >= faulty)")
    @Test
    void aHistoryThatOnlyOneHasIsNotChosen() {
        own = position(5, 1);
        Settlement settlement = sealed(1);
        hear(settlement, 0, 1, Phase.SEALED, position(5, 2));
        hear(settlement, 2, 1, Phase.SEALED, Position.GENESIS);
        waitLong(settlement);
        assertThat(starts()).isEmpty();
    }

    /** Replicas 0, 1 and 2 acknowledged five batches; 1 has lost them, 3 never had them, and 2 is slow. */
    @Test
    void whoForgotTakesPartOnlyOnceItHasAllAgain() {
        Settlement settlement = settlement(1, true);
        settlement.start(now);
        hear(settlement, 0, 1, Phase.SEALED, position(5, 1));
        hear(settlement, 3, 1, Phase.SEALED, Position.GENESIS);
        waitLong(settlement);
        assertThat(settlement.phase()).as("only two others are known").isEqualTo(Phase.FOLLOWING);
        hear(settlement, 2, 0, Phase.FOLLOWING, position(5, 1));
        waitLong(settlement);
        assertThat(settlement.phase()).as("it lacks them still").isEqualTo(Phase.FOLLOWING);
        own = position(5, 1);
        hear(settlement, 0, 1, Phase.SEALED, position(6, 1));
        hear(settlement, 2, 0, Phase.FOLLOWING, position(6, 1));
        assertThat(settlement.phase()).isEqualTo(Phase.SEALED);
    }

    @Test
    void aCoordinatorDecidesOnce() {
        Settlement settlement = sealed(1);
        hear(settlement, 0, 1, Phase.SEALED, Position.GENESIS);
        hear(settlement, 2, 1, Phase.SEALED, Position.GENESIS);
        waitLong(settlement);
        hear(settlement, 0, 1, Phase.SEALED, position(5, 1));
        hear(settlement, 2, 1, Phase.SEALED, position(5, 1));
        waitLong(settlement);
        assertThat(starts()).containsExactly(new Start(1, Position.GENESIS));
    }

    @PlantedBug(
            in = Settlement.class,
            rule = "a replica runs only when its log is where the others' are",
            replace = "aligning == null || !history.position().equals(aligning)",
            with = "aligning == null")
    @Test
    void aReplicaRunsOnceItsLogIsWhereTheOthersAre() {
        Settlement settlement = sealed(0);
        Position target = position(5, 1);
        assertThat(settlement.onStart(now, 1, new Start(1, target))).contains(new Action.Align(target));
        assertThat(settlement.onAligned(now)).isEmpty();
        own = target;
        assertThat(settlement.onAligned(now)).contains(new Action.Run(1));
    }

    @Test
    void aStartOfAnotherIncarnationOrFromAnotherReplicaIsIgnored() {
        Settlement settlement = sealed(0);
        assertThat(settlement.onStart(now, 1, new Start(5, position(5, 1)))).isEmpty();
        assertThat(settlement.onStart(now, 2, new Start(1, position(5, 1)))).isEmpty();
    }
}
