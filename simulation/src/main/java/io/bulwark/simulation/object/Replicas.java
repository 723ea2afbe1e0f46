package io.bulwark.simulation.object;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.Submission;
import io.bulwark.protocol.ordering.ReplicatedCall;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/** Calls of a party to the replicas: the production calls, and their results. */
record Replicas(List<PrincipalId> all, long timeoutMillis, RandomGenerator random) {
    static Replicas of(int count, long timeoutMillis, RandomGenerator random) {
        return new Replicas(
                IntStream.range(0, count).mapToObj(PrincipalId::replica).toList(), timeoutMillis, random);
    }

    ReplicatedCall submit(Submission submission) {
        return ReplicatedCall.command(all, submission.encoded(), timeoutMillis, random);
    }

    ReplicatedCall ask(Query query) {
        return ReplicatedCall.query(all, query.encoded(), timeoutMillis, random);
    }

    /** Empty if no 2f+1 of them answered the same in time. */
    static Optional<Reply> reply(Object outcome) {
        return outcome instanceof ReplicatedCall.Agreed(Bytes reply)
                ? Optional.of(Reply.decode(reply))
                : Optional.empty();
    }
}
