package io.bulwark.protocol.bucket;

import io.bulwark.protocol.metadata.MetadataError;
import io.bulwark.protocol.metadata.Reply;

/** Outcome of putting an object. */
public sealed interface PutOutcome {
    /** It is there, whole. */
    record Stored(Reply.Stored reply) implements PutOutcome {}

    /** The state machine refuses it; it is not there. */
    record Refused(Reply.Failed reply) implements PutOutcome {}

    /** An extent could not be stored for a reason that stays; the object is not there. */
    record Failed(ExtentFailure failure) implements PutOutcome {}

    /**
     * The session was closed before the command that makes the object visible was sent, or nobody knows it: the object is
     * not there, and another session may do better.
     */
    record SessionLost(String message) implements PutOutcome {}

    /** A placement group has a later epoch than the put's map: the object is not there, and a later map may do better. */
    record StaleEpoch(String message) implements PutOutcome {}

    /**
     * The object may be complete and visible, now or later: nobody answered in time, or the session was found closed.
     * It may have executed the command before, and its replies were lost.
     */
    record Unknown(String message) implements PutOutcome {}

    /** It was given up before it was finished. */
    record GivenUp() implements PutOutcome {}

    /** Returns the outcome of a put whose extent could not be stored. */
    static PutOutcome of(ExtentFailure failure) {
        return switch (failure.reason()) {
            case SESSION_CLOSED -> new SessionLost(failure.message());
            case STALE_EPOCH -> new StaleEpoch(failure.message());
            default -> new Failed(failure);
        };
    }

    /** Returns the outcome of a put whose command has another reply than its result, and was not executed before. */
    static PutOutcome of(Reply reply) {
        if (!(reply instanceof Reply.Failed failed)) {
            return new Unknown("the replicas agree on an answer to another question: "
                    + reply.getClass().getSimpleName());
        }
        if (SessionCommands.isLost(failed)) {
            return new SessionLost(failed.message());
        }
        return failed.error() == MetadataError.STALE_EPOCH ? new StaleEpoch(failed.message()) : new Refused(failed);
    }
}
