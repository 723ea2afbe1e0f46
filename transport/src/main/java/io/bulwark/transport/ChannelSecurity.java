package io.bulwark.transport;

import io.bulwark.protocol.id.PrincipalId;
import io.netty.channel.ChannelPipeline;
import java.net.InetSocketAddress;

/**
 * Security of a connection, and authentication of its other end. The handlers it installs raise {@link Authenticated}
 * as a user event once they know the principal, or throw a {@link ConnectionFault}. The pipeline already holds a {@link
 * FrameDecoder} that admits only {@link ControlMessage}s until then.
 */
interface ChannelSecurity extends AutoCloseable {
    /**
     * Refuses an address.
     *
     * @throws UnsafeAddressException if connections at or to this address would not be protected
     */
    void check(InetSocketAddress address);

    /** Returns whether a link to this principal can ever be authenticated. */
    boolean knows(PrincipalId remote);

    void accepting(ChannelPipeline pipeline);

    void connecting(ChannelPipeline pipeline, PrincipalId remote);

    /** Stands for the identity that this side shows on new connections; equal as long as that does not change. */
    Object shown();

    @Override
    default void close() {}

    /** The user event that ends the handshake. */
    record Authenticated(PrincipalId principal) {}
}
