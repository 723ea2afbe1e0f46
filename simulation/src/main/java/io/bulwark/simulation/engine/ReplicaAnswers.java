package io.bulwark.simulation.engine;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.id.PrincipalId;
import java.util.Optional;

/** Answers of 2f+1 replicas to a node; empty if they do not answer now. */
@FunctionalInterface
public interface ReplicaAnswers {
    Optional<Fact> answer(PrincipalId asker, Question question);
}
