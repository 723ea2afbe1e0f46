package io.bulwark.protocol.completion;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import java.util.Optional;

/** A node's questions as queries to the replicas, and their replies as facts. */
public final class ReplicaQuestions {
    private ReplicaQuestions() {}

    public static Query query(Question question) {
        return switch (question) {
            case Question.OfSession of -> new Query.SessionOf(of.volume(), of.owner(), of.session());
            case Question.OfGrant of -> new Query.GrantOf(of.volume(), of.principal());
            case Question.OfVolume ignored -> new Query.GetMap();
        };
    }

    /** Empty if the reply is a refusal, or answers another question. */
    public static Optional<Fact> fact(Question question, Reply reply) {
        return Optional.ofNullable(
                switch (question) {
                    case Question.OfSession of
                    when reply instanceof Reply.Session(var state) ->
                        new Fact.OfSession(of.volume(), of.owner(), of.session(), state);
                    case Question.OfGrant of
                    when reply instanceof Reply.Granted granted ->
                        new Fact.OfGrant(of.volume(), of.principal(), granted.mayRead(), granted.mayWrite());
                    case Question.OfVolume of
                    when reply instanceof Reply.Map(var map) -> new Fact.OfVolume(of.volume(), map.volume(of.volume()));
                    default -> null;
                });
    }
}
