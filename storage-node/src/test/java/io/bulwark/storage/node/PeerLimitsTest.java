package io.bulwark.storage.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.id.PrincipalId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * Tests how much of a node's memory and of the replicas' attention one peer may take, and what remains for the others.
 */
@NullMarked
class PeerLimitsTest {
    private static final int MEBIBYTE = 1 << 20;
    private static final PrincipalId ALICE = PrincipalId.client(100);

    private final Map<Question, CompletableFuture<Fact>> asked = new HashMap<>();
    private final AtomicLong now = new AtomicLong();
    private final FactCache facts =
            new FactCache(question -> asked.computeIfAbsent(question, _ -> new CompletableFuture<>()), now::get);

    @Test
    void howeverManyFloodTheNodeOneMoreFindsRoom() {
        RequestLimits limits = new RequestLimits(96L * MEBIBYTE);
        List<Integer> admitted = new ArrayList<>();
        for (int client = 0; client < 5; client++) {
            int count = 0;
            while (limits.admit(PrincipalId.client(client), MEBIBYTE)) {
                count++;
            }
            admitted.add(count);
        }
        assertThat(admitted.getFirst()).isBetween(40, 48);
        assertThat(admitted).allSatisfy(count -> assertThat(count).isPositive());
        assertThat(limits.bytes()).isLessThan(96L * MEBIBYTE);
        assertThat(limits.admit(ALICE, MEBIBYTE)).isTrue();
        for (int i = 0; i < 30; i++) {
            limits.release(PrincipalId.client(0), MEBIBYTE);
        }
        int more = 0;
        while (limits.admit(ALICE, MEBIBYTE)) {
            more++;
        }
        assertThat(more).isGreaterThan(10);
    }

    @Test
    void questionsAboutInventedSessionsLeaveRoomForOthers() {
        for (int session = 0; session < 10_000; session++) {
            var _ = facts.ask(new Question.OfSession(1, PrincipalId.client(1), session));
        }
        assertThat(asked).hasSize(FactCache.OUTSTANDING_PER_PRINCIPAL_MAX);
        Question mine = new Question.OfSession(1, ALICE, 1);
        CompletableFuture<Fact> answer = facts.ask(mine);
        Fact fact = new Fact.OfSession(1, ALICE, 1, SessionState.OPEN);
        answered(mine).complete(fact);
        assertThat(answer).isCompletedWithValue(fact);
        // An answered question gives its place to the next.
        Question first = new Question.OfSession(1, PrincipalId.client(1), 0);
        answered(first).complete(new Fact.OfSession(1, PrincipalId.client(1), 0, SessionState.UNKNOWN));
        assertThat(facts.ask(new Question.OfSession(1, PrincipalId.client(1), 20_000)))
                .isNotCompletedExceptionally();
    }

    @Test
    void answersAboutInventedSessionsPushOutNoOther() {
        Question mine = new Question.OfSession(1, ALICE, 1);
        var _ = facts.ask(mine);
        answered(mine).complete(new Fact.OfSession(1, ALICE, 1, SessionState.OPEN));
        for (int session = 0; session < 2 * FactCache.ENTRIES_MAX; session++) {
            Question invented = new Question.OfSession(1, PrincipalId.client(1), session);
            var _ = facts.ask(invented);
            answered(invented).complete(new Fact.OfSession(1, PrincipalId.client(1), session, SessionState.UNKNOWN));
        }
        asked.clear();
        assertThat(facts.ask(mine)).isCompleted();
        assertThat(asked).isEmpty();
    }

    private CompletableFuture<Fact> answered(Question question) {
        return asked.computeIfAbsent(question, _ -> new CompletableFuture<>());
    }
}
