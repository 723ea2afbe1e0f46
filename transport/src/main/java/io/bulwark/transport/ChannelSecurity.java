package io.bulwark.transport;

import io.bulwark.protocol.id.PrincipalId;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import java.net.InetSocketAddress;

/**
 * What secures a connection and finds out who is at its other end. The handlers it installs raise
 * {@link Authenticated} as a user event once they know, or throw a {@link ConnectionFault}; the pipeline already holds
 * a {@link FrameDecoder} that lets only {@link ControlMessage}s through until then.
 */
interface ChannelSecurity extends AutoCloseable {
    /**
     * Refuses an address.
     *
     * @throws UnsafeAddressException if connections at or to this address would not be protected
     */
    void check(InetSocketAddress address);

    /** Whether a link to this principal can ever be authenticated. */
    boolean knows(PrincipalId remote);

    void accepting(ChannelPipeline pipeline);

    void connecting(ChannelPipeline pipeline, PrincipalId remote);

    /** Stands for what this side shows of itself on the connections made now: equal as long as that stays. */
    Object shown();

    /** Whether this principal may be sent, over this channel, what is there since a version; on the event loop. */
    default boolean maySay(Channel channel, PrincipalId remote, int since) {
        return true;
    }

    /** It has said there what only those say who speak this version; on the event loop. */
    default void speaks(Channel channel, PrincipalId remote, int version) {}

    @Override
    default void close() {}

    /** The user event that ends the handshake. */
    record Authenticated(PrincipalId principal) {}
}
