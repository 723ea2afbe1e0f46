package io.bulwark.protocol.bucket;

import io.bulwark.protocol.metadata.Reply;

/** Outcome of putting an object. */
public sealed interface PutOutcome {
    /** It is there, whole. */
    record Stored(Reply.Stored reply) implements PutOutcome {}

    /** The state machine refuses it; it is not there. */
    record Refused(Reply.Failed reply) implements PutOutcome {}

    /** An extent could not be stored; the object is not there. */
    record Failed(ExtentFailure failure) implements PutOutcome {}

    /**
     * The session was closed before the command that makes the object visible was sent, or nobody knows it: the object is
     * not there, and another session may do better.
     */
    record SessionLost(String message) implements PutOutcome {}

    /**
     * The object may be complete and visible, now or later: nobody answered in time, or the session was found closed.
     * It may have executed the command before, and its replies were lost.
     */
    record Unknown(String message) implements PutOutcome {}

    /** It was given up before it was finished. */
    record GivenUp() implements PutOutcome {}
}
