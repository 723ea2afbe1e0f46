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
     * A message arrived.
     *
     * @param done must be run once the message and what it pinned in memory are no longer needed, from any thread,
     *     whatever became of it; running it again does nothing. While more than
     *     {@link TransportSettings#inboundMaxBytes()} of a connection are not done, nothing more is read from it
     */
    void onMessage(Peer peer, long requestId, Message message, Runnable done);

    /** The peer is authenticated and can be sent to. */
    default void onConnected(Peer peer) {}

    /** The connection is gone, and with it what was queued. */
    default void onDisconnected(Peer peer) {}

    /** The peer's queue, once full, has room again: {@link Peer#isWritable()} became true. */
    default void onWritable(Peer peer) {}
}
