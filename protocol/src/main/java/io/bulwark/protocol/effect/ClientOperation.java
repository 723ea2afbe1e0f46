package io.bulwark.protocol.effect;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import java.util.List;
import java.util.Optional;

/**
 * The client's side of one protocol operation: single-threaded, no I/O. The driver calls {@link #start} once, then
 * hands in each message with the operation's id, and a tick at least every 50 ms. Up to f nodes may lose, repeat, delay
 * or forge messages.
 *
 * @param <R> the outcome: success or one of the operation's expected failures
 */
public interface ClientOperation<R> {
    List<Effect> start(long nowMillis);

    List<Effect> onMessage(long nowMillis, PrincipalId from, Message message);

    List<Effect> onTick(long nowMillis);

    /**
     * Returns whether retries only guard against loss of the earlier message. If the driver knows that it was not lost,
     * it holds such a retry back for a while, unless the peer has answered anything since.
     */
    default boolean isResendOptional() {
        return false;
    }

    /**
     * Reports that this peer's connection was moving at this time, so that a request or its answer may still be in
     * flight. This is no evidence that the peer is correct: a liar can keep its connection moving.
     */
    default void onMoving(PrincipalId peer, long atMillis) {}

    /** Returns about how many bytes it holds at most until its outcome is known. A server lets it wait while others hold too much. */
    default long memoryBytes() {
        return 0;
    }

    /** Returns the caller's result, as soon as it is known. */
    Optional<R> outcome();

    /**
     * Returns whether nothing is left to do, as with the outcome; some operations continue to help slow nodes for a
     * while after it.
     */
    default boolean isFinished() {
        return outcome().isPresent();
    }
}
