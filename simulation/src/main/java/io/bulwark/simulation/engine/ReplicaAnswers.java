package io.bulwark.simulation.engine;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.id.PrincipalId;
import java.util.Optional;

/** What 2f+1 replicas answer a node; empty if they do not answer now. */
@FunctionalInterface
public interface ReplicaAnswers {
    Optional<Fact> answer(PrincipalId asker, Question question);
}
