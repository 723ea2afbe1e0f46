package io.bulwark.client.survey;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.RecoveryMessage;
import io.bulwark.protocol.ordering.RecoveryMessage.StatusAnswer;
import io.bulwark.protocol.ordering.recovery.RecoveryStatus;
import io.bulwark.protocol.wire.Message;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;

/** Asks replicas where recoveries stand. */
public final class RecoverySurvey {
    private RecoverySurvey() {}

    /** The question to these replicas. */
    public static Survey of(Set<PrincipalId> replicas, long timeoutMillis) {
        long call = ThreadLocalRandom.current().nextLong();
        return new Survey(
                replicas,
                new RecoveryMessage.StatusQuery(call),
                message -> message instanceof StatusAnswer told && told.call() == call,
                timeoutMillis);
    }

    /** Returns each replica's answer, by the number of the replica. */
    public static SortedMap<Integer, StatusAnswer> answers(SortedMap<PrincipalId, Message> told) {
        SortedMap<Integer, StatusAnswer> answers = new TreeMap<>();
        told.forEach((replica, message) -> answers.put(replica.number(), (StatusAnswer) message));
        return answers;
    }

    /** Returns each replica's report on recoveries, by the number of the replica. */
    public static SortedMap<Integer, RecoveryStatus> recoveries(SortedMap<Integer, StatusAnswer> answers) {
        SortedMap<Integer, RecoveryStatus> recoveries = new TreeMap<>();
        answers.forEach((replica, answer) -> recoveries.put(replica, answer.status()));
        return recoveries;
    }
}
