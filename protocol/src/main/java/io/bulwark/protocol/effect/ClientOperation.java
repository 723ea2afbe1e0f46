package io.bulwark.protocol.effect;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import java.util.List;
import java.util.Optional;

/**
 * The client's side of one protocol operation: single-threaded, no I/O. The driver calls {@link #start} once, then
 * hands in each message that came under the operation's id, and a tick at least every 50 ms. Messages may be lost,
 * repeated, late or forged by up to f nodes.
 *
 * @param <R> the outcome: success or one of the operation's expected failures
 */
public interface ClientOperation<R> {
    List<Effect> start(long nowMillis);

    List<Effect> onMessage(long nowMillis, PrincipalId from, Message message);

    List<Effect> onTick(long nowMillis);

    /**
     * Whether a message that it sends again is only for the case that the one before was lost. Where the driver knows that it was not, it keeps such a
     * message back for a while, unless the peer has answered anything since.
     */
    default boolean repeatsInCaseOfLoss() {
        return false;
    }

    /**
     * What this peer was asked, or its answer, may still be on the way: the connection that carries it was moving at this time. Says nothing of what
     * the peer is about, which may be a liar that keeps it moving.
     */
    default void onMoving(PrincipalId peer, long atMillis) {}

    /** What the caller gets, as soon as it is known. */
    Optional<R> outcome();

    /** Whether nothing is left to do, as with the outcome; some operations go on helping slow nodes for a while after it. */
    default boolean finished() {
        return outcome().isPresent();
    }
}
