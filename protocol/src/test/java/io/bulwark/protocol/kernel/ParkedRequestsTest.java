package io.bulwark.protocol.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Outbox;
import io.bulwark.protocol.id.PrincipalId;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class ParkedRequestsTest {
    private static final int VOLUME = 3;
    private static final Question GRANT = new Question.OfGrant(VOLUME, PrincipalId.client(1));
    private static final Question EPOCH = new Question.OfVolume(VOLUME, 0, 2);
    private static final Question OTHER = new Question.OfVolume(VOLUME + 1, 0, 1);

    private final Outbox out = new Outbox();
    private final RequestBudget budget = new RequestBudget(1 << 20);
    private final ParkedRequests<Request> parked = new ParkedRequests<>(out, budget, 2, 5_000);

    private record Request(PrincipalId from, int number) implements PendingRequest {
        @Override
        public long bytes() {
            return 1_024;
        }
    }

    private static Request request(int number) {
        return new Request(PrincipalId.client(1), number);
    }

    @Test
    void aQuestionIsAskedOnceAndAgainWhileARequestWaits() {
        assertThat(parked.park(2_000, request(1), GRANT, true)).isTrue();
        assertThat(parked.park(2_000, request(2), GRANT, true)).isTrue();
        assertThat(parked.park(2_000, request(3), EPOCH, false)).isTrue();
        assertThat(out.drain()).containsExactly(new Effect.Ask(GRANT));
        parked.onTick(2_100);
        assertThat(out.drain()).containsExactly(new Effect.Ask(GRANT), new Effect.Ask(EPOCH));
        parked.onTick(3_000);
        assertThat(out.drain()).isEmpty();
        assertThat(parked.release(GRANT)).containsExactly(request(1), request(2));
        parked.onTick(3_100);
        assertThat(out.drain()).containsExactly(new Effect.Ask(EPOCH));
    }

    @Test
    void onlySoManyWaitForOneAnswer() {
        assertThat(parked.park(0, request(1), GRANT, true)).isTrue();
        assertThat(parked.park(0, request(2), GRANT, true)).isTrue();
        assertThat(parked.park(0, request(3), GRANT, true)).isFalse();
        assertThat(parked.park(0, request(3), EPOCH, true)).isTrue();
    }

    @Test
    void onlySoManyQuestionsAreOpen() {
        ParkedRequests<Request> roomy = new ParkedRequests<>(out, new RequestBudget(1L << 30), 2, 5_000);
        for (int i = 0; i < 1_024; i++) {
            Request of = new Request(PrincipalId.client(i), i);
            assertThat(roomy.park(0, of, new Question.OfVolume(i, 0, 1), true)).isTrue();
        }
        assertThat(roomy.park(0, request(1), GRANT, true)).isFalse();
    }

    @Test
    void whoeverWaitsInVainLeavesItsRoom() {
        RequestBudget small = new RequestBudget(2 * 1_024);
        ParkedRequests<Request> few = new ParkedRequests<>(out, small, 2, 5_000);
        assertThat(few.park(0, request(1), GRANT, true)).isTrue();
        assertThat(few.park(0, request(2), GRANT, true)).isFalse();
        few.onTick(4_999);
        assertThat(few.park(4_999, request(2), GRANT, true)).isFalse();
        few.onTick(5_000);
        assertThat(few.release(GRANT)).isEmpty();
        assertThat(few.park(5_000, request(2), GRANT, true)).isTrue();
    }

    @Test
    void questionsAboutAVolumeAreFound() {
        parked.park(0, request(1), GRANT, true);
        parked.park(0, request(2), EPOCH, true);
        parked.park(0, request(3), OTHER, true);
        assertThat(parked.questionsAbout(VOLUME)).containsExactly(EPOCH);
    }
}
