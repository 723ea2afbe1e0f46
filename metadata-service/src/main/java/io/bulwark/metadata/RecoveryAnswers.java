package io.bulwark.metadata;

import io.bulwark.protocol.ordering.Phase;
import io.bulwark.protocol.ordering.RecoveryMessage;
import io.bulwark.protocol.ordering.recovery.RecoveryStatus;
import io.bulwark.protocol.wire.Message;
import io.bulwark.transport.Peer;

/** Answers queries about recoveries from the replica's own knowledge. */
public final class RecoveryAnswers {
    private RecoveryAnswers() {}

    /**
     * Answers, if the message asks that.
     *
     * @param status as of a moment ago
     * @return whether it did
     */
    public static boolean answer(ReplicaStatus status, Peer peer, long requestId, Message message) {
        if (!(message instanceof RecoveryMessage.StatusQuery ask)) {
            return false;
        }
        var _ = peer.send(
                requestId, new RecoveryMessage.StatusAnswer(ask.call(), status.leader(), status.view(), of(status)));
        return true;
    }

    private static RecoveryStatus of(ReplicaStatus status) {
        boolean takesPart = status.phase() == Phase.RUNNING && status.failure().isEmpty();
        return status.recovery()
                .map(standing -> standing.told(System.currentTimeMillis(), takesPart))
                .orElseGet(() -> RecoveryStatus.none(takesPart));
    }
}
