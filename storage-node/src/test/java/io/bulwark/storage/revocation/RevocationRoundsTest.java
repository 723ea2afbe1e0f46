package io.bulwark.storage.revocation;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.RevocationWatch;
import io.bulwark.protocol.control.NodeControlMessage.RevocationReply;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests a node's answers to parties that wait for the end of a revocation. */
@NullMarked
class RevocationRoundsTest {
    private static final PrincipalId REVOKED = PrincipalId.client(20);
    private static final PrincipalId ONE = PrincipalId.client(30);
    private static final PrincipalId OTHER = PrincipalId.client(31);
    private static final RevocationReply DONE = new RevocationReply(REVOKED, true, 0);
    private static final RevocationReply NOT_YET = new RevocationReply(REVOKED, false, 0);

    private long now = 1_000;
    private final AtomicInteger told = new AtomicInteger();
    private final List<BlockId> awaited = new ArrayList<>();
    private final RevocationRounds rounds =
            new RevocationRounds(_ -> told.incrementAndGet(), () -> now, (block, _, _) -> awaited.add(block));
    private final List<RevocationWatch> servers = List.of(rounds.watch(), rounds.watch());

    private RevocationReply ask(PrincipalId who) {
        now += 600;
        return rounds.answer(who, REVOKED);
    }

    private void over(int undecided) {
        servers.forEach(server -> server.begins(REVOKED));
        servers.getFirst().refuses(REVOKED, undecided);
        servers.getLast().refuses(REVOKED, 0);
    }

    @Test
    void whoIsNotKnownToBeRevokedIsNotRefused() {
        assertThat(ask(ONE)).isEqualTo(NOT_YET);
        assertThat(told).hasValue(0);
    }

    /** As long as a server knows of only one, it treats a version that both have prepared as one of a valid client. */
    @Test
    void nobodyIsAnsweredOfOneBeforeTheServersKnowAll() {
        PrincipalId another = PrincipalId.client(21);
        List<Boolean> known = new ArrayList<>();
        AtomicReference<RevocationRounds> asked = new AtomicReference<>();
        asked.set(new RevocationRounds(
                _ -> known.add(asked.get().knows(REVOKED) || asked.get().knows(another)), () -> now, (_, _, _) -> {}));
        asked.get().learn(List.of(REVOKED, another));
        assertThat(known).containsExactly(false, false);
        assertThat(asked.get().knows(REVOKED) && asked.get().knows(another)).isTrue();
    }

    /** A revoked client can leave as many as it likes. */
    @Test
    void leftoversDoNotKeepARevocationFromTheLog() {
        BlockId revocation = BlockId.register(3, 9_999);
        for (int round = 0; round < 2; round++) {
            for (long block = 0; block < 2_000; block++) {
                servers.getFirst().waitsFor(BlockId.register(3, block), 5, List.of(PrincipalId.node(1)));
            }
            servers.getFirst().waitsFor(revocation, 5);
            now += 10_000;
        }
        assertThat(awaited).contains(revocation);
    }

    @Test
    void whatServersWaitForIsLogged() {
        BlockId block = BlockId.register(3, 9);
        servers.forEach(server -> server.waitsFor(block, 5));
        now += 10_000;
        servers.forEach(server -> server.waitsFor(block, 5));
        assertThat(awaited).as("once in a while").containsExactly(block);
    }

    @Test
    void eachAnswerThatItIsDoneIsOfARoundThatBeganAfterTheQuestion() {
        rounds.learn(List.of(REVOKED));
        over(0);
        for (int round = 2; round < 5; round++) {
            assertThat(ask(ONE)).isEqualTo(NOT_YET);
            assertThat(told).hasValue(round);
            assertThat(ask(ONE)).as("nobody has said anything in this round").isEqualTo(NOT_YET);
            over(0);
            assertThat(ask(ONE)).isEqualTo(DONE);
            assertThat(told).hasValue(round);
        }
    }

    @Test
    void anothersRoundThatIsUnderWayIsNotEnough() {
        rounds.learn(List.of(REVOKED));
        over(0);
        assertThat(ask(ONE)).isEqualTo(NOT_YET);
        assertThat(ask(OTHER)).isEqualTo(NOT_YET);
        over(0);
        assertThat(ask(OTHER)).as("the round began before it asked").isEqualTo(NOT_YET);
        assertThat(told).hasValue(3);
        over(0);
        assertThat(ask(ONE)).isEqualTo(DONE);
        assertThat(ask(OTHER)).isEqualTo(DONE);
    }

    @Test
    void whatIsUndecidedIsToldAndNoRoundBeginsAnew() {
        rounds.learn(List.of(REVOKED));
        over(3);
        for (int i = 0; i < 3; i++) {
            assertThat(ask(ONE)).isEqualTo(new RevocationReply(REVOKED, true, 3));
        }
        assertThat(told).hasValue(1);
        servers.getFirst().refuses(REVOKED, 0);
        now += 10_000;
        assertThat(ask(ONE)).isEqualTo(NOT_YET);
        assertThat(told).hasValue(2);
    }

    @Test
    void aServerThatHasNotSaidAnythingIsWaitedFor() {
        rounds.learn(List.of(REVOKED));
        servers.getFirst().begins(REVOKED);
        servers.getFirst().refuses(REVOKED, 0);
        assertThat(ask(ONE)).isEqualTo(NOT_YET);
        servers.getLast().begins(REVOKED);
        assertThat(ask(ONE)).isEqualTo(NOT_YET);
        assertThat(told).hasValue(1);
    }

    @Test
    void whatWasSaidInARoundBeforeIsNoAnswer() {
        rounds.learn(List.of(REVOKED));
        over(0);
        assertThat(ask(ONE)).isEqualTo(NOT_YET);
        servers.forEach(server -> server.refuses(REVOKED, 0));
        assertThat(ask(ONE)).as("they have not heard of the next one yet").isEqualTo(NOT_YET);
        over(0);
        assertThat(ask(ONE)).isEqualTo(DONE);
    }

    /**
     * Returns the time until the third such answer. Meanwhile another party asks constantly, for other revoked
     * principals too.
     */
    private long thriceDone(int roundMillis, int everyMillis) {
        rounds.learn(List.of(REVOKED));
        int begun = told.get();
        servers.forEach(server -> server.begins(REVOKED));
        long dueMillis = now + roundMillis;
        long askMillis = now;
        long start = now;
        for (int done = 0; done < 3; now++) {
            if (told.get() > begun) {
                begun = told.get();
                servers.forEach(server -> server.begins(REVOKED));
                dueMillis = now + roundMillis;
            }
            if (now == dueMillis) {
                servers.forEach(server -> server.refuses(REVOKED, 0));
            }
            if (now % everyMillis == 0) {
                rounds.answer(OTHER, REVOKED);
            }
            if (now == askMillis) {
                askMillis += 217;
                done += rounds.answer(ONE, REVOKED).equals(DONE) ? 1 : 0;
            }
            assertThat(now - start)
                    .as("%d ms, asked every %d ms", roundMillis, everyMillis)
                    .isLessThan(200_000);
        }
        assertThat(begun - 1).as("half of the time is for the rest").isLessThanOrEqualTo((int)
                ((now - start) / Math.max(500, 2 * roundMillis)));
        return now - start;
    }

    /** A party that asks constantly neither prevents others from learning that it is done, nor overloads the node. */
    @Test
    void whoAsksAllTheTimeKeepsNobodyWaiting() {
        assertThat(thriceDone(5, 1)).isLessThan(5_000);
    }

    @Test
    void whoAsksAllTheTimeKeepsNobodyWaitingAlsoWhereRoundsTakeLong() {
        assertThat(thriceDone(3_000, 10)).isLessThan(7 * 6_000);
    }

    @Test
    void aRoundThatIsOverStaysSoForAWhile() {
        rounds.learn(List.of(REVOKED));
        over(0);
        assertThat(rounds.answer(ONE, REVOKED)).isEqualTo(NOT_YET);
        now += 499;
        assertThat(rounds.answer(ONE, REVOKED)).isEqualTo(NOT_YET);
        assertThat(told).hasValue(1);
        now++;
        assertThat(rounds.answer(ONE, REVOKED)).isEqualTo(NOT_YET);
        assertThat(told).hasValue(2);
    }

    /** The state kept for a waiting party is not evicted by others' questions, or by its own other questions. */
    @Test
    void whoAsksForManyTakesNoRoomOfOthers() {
        rounds.learn(List.of(REVOKED));
        over(0);
        ask(ONE);
        over(0);
        for (int i = 0; i < 2_000; i++) {
            PrincipalId other = PrincipalId.client(1_000 + i);
            rounds.learn(List.of(other));
            rounds.answer(OTHER, other);
        }
        assertThat(ask(ONE)).isEqualTo(DONE);
    }
}
