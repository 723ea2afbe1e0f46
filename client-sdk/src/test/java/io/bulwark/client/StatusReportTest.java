package io.bulwark.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.survey.Survey;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.OrderingMessage.Reply;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.wire.Bytes;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests of the answers that show a replica at work. */
@NullMarked
class StatusReportTest {
    private static final long CALL = 7;
    private static final long LONG_AFTER = 60_000;

    private static final Configuration GENESIS = Configuration.fixed(1);
    private static final Configuration NEXT = GENESIS.replacing(2, new Member(PrincipalId.replica(4), Bytes.EMPTY, ""));

    private static void answer(Survey survey, int replica, long configuration) {
        survey.onMessage(
                1,
                PrincipalId.replica(replica),
                new Reply(CALL, Configuration.incarnationOf(configuration), Bytes.of((byte) 1)));
    }

    private static Survey begun(Configuration now) {
        Survey survey = StatusReport.surveyOfReplicas(now, CALL);
        survey.start(0);
        return survey;
    }

    @Test
    void whoIsStillInTheConfigurationOfBeforeHasNotGoneOn() {
        Survey survey = begun(NEXT);
        answer(survey, 0, 1);
        answer(survey, 1, 0);
        answer(survey, 3, 1);
        answer(survey, 4, 1);
        assertThat(survey.isFinished()).as("it is asked again").isFalse();
        survey.onTick(LONG_AFTER);
        assertThat(survey.outcome().orElseThrow().keySet())
                .containsExactly(PrincipalId.replica(0), PrincipalId.replica(3), PrincipalId.replica(4));
    }

    @Test
    void whoHasGoneOnSinceItWasFirstAskedCounts() {
        Survey survey = begun(NEXT);
        answer(survey, 1, 0);
        answer(survey, 1, 1);
        survey.onTick(LONG_AFTER);
        assertThat(survey.outcome().orElseThrow()).containsOnlyKeys(PrincipalId.replica(1));
    }

    @Test
    void anEngineThatCountsIncarnationsIsInTheGenesissConfiguration() {
        Survey survey = begun(GENESIS);
        survey.onMessage(1, PrincipalId.replica(0), new Reply(CALL, 3, Bytes.of((byte) 1)));
        survey.onTick(LONG_AFTER);
        assertThat(survey.outcome().orElseThrow()).containsOnlyKeys(PrincipalId.replica(0));
    }
}
