package io.bulwark.protocol.extent;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.extent.ExtentMessage.StoreBlock;
import io.bulwark.protocol.fingerprint.Fpcc;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class PendingRequestsTest {
    private static final PrincipalId GREEDY = PrincipalId.client(1);
    private static final PrincipalId HONEST = PrincipalId.client(2);
    private static final int LARGE = 1 << 20;

    private final PendingRequests pendingRequests = new PendingRequests(8L << 20);

    @Test
    void whoTakesAllTheSpaceGivesWay() {
        for (int session = 1; session <= 20; session++) {
            park(0, GREEDY, session, LARGE);
        }
        park(0, HONEST, 1, LARGE);
        park(0, HONEST, 2, LARGE);
        park(0, PrincipalId.client(3), 1, LARGE);
        assertThat(pendingRequests.answered(_ -> true))
                .filteredOn(asked -> !asked.from.equals(GREEDY))
                .hasSize(3);
        for (int session = 1; session <= 20; session++) {
            park(0, GREEDY, session, LARGE);
        }
        assertThat(pendingRequests.answered(_ -> true))
                .as("all space is free again")
                .hasSize(7);
    }

    @Test
    void aQuestionIsAskedAgainOnlyAfterAWhileHoweverOftenItIsAnswered() {
        int asked = 0;
        for (long now = 0; now < 10_000; now++) {
            asked += park(now, GREEDY, 1, 0);
            ServerCall tick = ServerCall.at(now);
            pendingRequests.onTick(tick);
            asked += tick.effects().size();
            pendingRequests.answered(_ -> true);
        }
        assertThat(asked).isBetween(10, 40);
    }

    @Test
    void oneSenderAsksOnlySoManyQuestions() {
        int asked = 0;
        for (int session = 1; session <= 256; session++) {
            asked += park(0, GREEDY, session, 0);
        }
        assertThat(asked).isEqualTo(64);
        assertThat(park(0, HONEST, 1, 0)).isEqualTo(1);
    }

    /** A denial is believed after two seconds. Without an answer, the request is dropped. The room is free again. */
    @Test
    void requestsWaitForTwoSeconds() {
        park(0, HONEST, 1, 4 * LARGE);
        park(1_000, HONEST, 1, 0);
        park(0, HONEST, 2, 3 * LARGE);
        Question denied = new Question.OfSession(1, HONEST, 1);
        pendingRequests.onDenied(denied::equals);
        assertThat(pendingRequests.onTick(ServerCall.at(1_999))).isEmpty();
        List<PendingRequests.ParkedRequest> over = pendingRequests.onTick(ServerCall.at(2_000));
        assertThat(over)
                .singleElement()
                .satisfies(asked -> assertThat(asked.answered).containsExactly(denied));
        assertThat(pendingRequests.onTick(ServerCall.at(2_100))).isEmpty();
        for (int session = 3; session <= 9; session++) {
            park(2_100, GREEDY, session, LARGE);
        }
        assertThat(pendingRequests.answered(_ -> true))
                .as("one waits, seven fit")
                .hasSize(8);
    }

    @Test
    void aQuestionIsAskedAgainLessAndLessOften() {
        park(0, HONEST, 1, 0);
        List<Long> asked = new ArrayList<>();
        for (long now = 1; now < 1_900; now++) {
            ServerCall turn = ServerCall.at(now);
            pendingRequests.onTick(turn);
            if (!turn.effects().isEmpty()) {
                asked.add(now);
            }
        }
        assertThat(asked).containsExactly(250L, 750L, 1_750L);
    }

    private int park(long nowMillis, PrincipalId from, long session, int bytes) {
        BlockId block = new BlockId(1, from, session, 1);
        Fpcc fpcc = Fpcc.of(1, List.of(Bytes.of(new byte[32])), List.of(Bytes.of(new byte[16])));
        StoreBlock store = new StoreBlock(block, 1, 0, Bytes.of(new byte[bytes]), fpcc);
        ServerCall turn = ServerCall.at(nowMillis);
        pendingRequests.park(
                turn,
                new Question.OfSession(1, from, session),
                new PendingRequests.ParkedRequest(from, 1, store, nowMillis));
        return turn.effects().size();
    }
}
