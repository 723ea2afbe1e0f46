package io.bulwark.protocol.completion;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.MetadataError;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ReplicaQuestionsTest {
    private static final PrincipalId CLIENT = PrincipalId.client(1);
    private static final Volume VOLUME = new Volume(
            3,
            "v",
            VolumeKind.OBJECT,
            new ProtectionPolicy(1, 2, 4, 512),
            0,
            List.of(new PlacementGroup(1, List.of(0, 1, 2, 3))));
    private static final Question SESSION = new Question.OfSession(3, CLIENT, 7);
    private static final Question GRANT = new Question.OfGrant(3, CLIENT);
    private static final Question KNOWN = new Question.OfVolume(3, 0, 1);
    private static final Reply MAP = new Reply.Map(new ClusterMap(1, List.of(), List.of(VOLUME)));

    @Test
    void eachQuestionHasItsQueryAndItsFact() {
        assertThat(ReplicaQuestions.query(SESSION)).isEqualTo(new Query.SessionOf(3, CLIENT, 7));
        assertThat(ReplicaQuestions.query(GRANT)).isEqualTo(new Query.GrantOf(3, CLIENT));
        assertThat(ReplicaQuestions.query(KNOWN)).isEqualTo(new Query.GetMap());
        for (SessionState state : SessionState.values()) {
            assertThat(ReplicaQuestions.fact(SESSION, new Reply.Session(state)))
                    .contains(new Fact.OfSession(3, CLIENT, 7, state));
        }
        assertThat(ReplicaQuestions.fact(GRANT, new Reply.Granted(true, false)))
                .contains(new Fact.OfGrant(3, CLIENT, true, false));
        assertThat(ReplicaQuestions.fact(KNOWN, MAP)).contains(new Fact.OfVolume(3, Optional.of(VOLUME)));
        assertThat(ReplicaQuestions.fact(new Question.OfVolume(4, 0, 1), MAP))
                .contains(new Fact.OfVolume(4, Optional.empty()));
    }

    @Test
    void aRefusalOrAnAnswerToAnotherQuestionIsNoFact() {
        for (Question question : List.of(SESSION, GRANT, KNOWN)) {
            assertThat(ReplicaQuestions.fact(question, new Reply.Failed(MetadataError.NOT_AUTHORISED, "")))
                    .isEmpty();
        }
        assertThat(ReplicaQuestions.fact(SESSION, MAP)).isEmpty();
        assertThat(ReplicaQuestions.fact(KNOWN, new Reply.Granted(true, true))).isEmpty();
    }
}
