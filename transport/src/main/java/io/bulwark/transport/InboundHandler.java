package io.bulwark.transport;

import io.bulwark.protocol.wire.Message;

/**
 * Receiver of the events of one server's or one link's connections.
 *
 * <p>All methods are called on an event loop that many connections share: they must not block, nor compute for long,
 * but hand off. The calls for one connection come one after the other, {@link #onConnected} first and {@link
 * #onDisconnected} last.
 */
public interface InboundHandler {
    /**
     * Handles a message.
     *
     * @param done must be run once the message and its pinned memory are no longer needed, from any thread, with any
     *     outcome; running it again does nothing. While more than {@link TransportSettings#inboundMaxBytes()} of a
     *     connection are not done, nothing more is read from it
     */
    void onMessage(Peer peer, long requestId, Message message, Runnable done);

    /** The peer is authenticated and can be sent to. */
    default void onConnected(Peer peer) {}

    /** Handles the end of a connection; its queued messages are lost. */
    default void onDisconnected(Peer peer) {}

    /** The peer's queue, once full, has room again: {@link Peer#isWritable()} became true. */
    default void onWritable(Peer peer) {}
}
