package io.bulwark.transport;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import java.net.InetSocketAddress;

/** One authenticated connection. All methods may be called from any thread and none blocks. */
public interface Peer {
    /** Returns the authenticated principal at the other end. */
    PrincipalId principal();

    InetSocketAddress remoteAddress();

    /**
     * Encodes the message on the calling thread and queues it. True is no promise of delivery: the connection may break
     * before the message leaves.
     *
     * @return false if the connection is closed or its queue is full; the drop is counted
     * @throws IllegalArgumentException if no codec knows the message, or it is longer than a frame may be
     */
    boolean send(long requestId, Message message);

    /**
     * Returns whether less than {@link TransportSettings#outboundHighBytes()} are queued: a hint to hold back, not a
     * lock.
     */
    boolean isWritable();

    /** Closes this connection without waiting for what is queued; a link connects again. The reason goes to the log. */
    void disconnect(String reason);
}
