package io.bulwark.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.socket.nio.NioChannelOption;
import jdk.net.ExtendedSocketOptions;

/**
 * Timing by which TCP gives up a connection whose other end has disappeared: a network was cut, or a host returned at
 * another address. With TCP's defaults this takes a quarter of an hour with data in flight, and two hours without.
 */
final class Keepalive {
    /** Silence before the first probe. */
    static final int IDLE_SECONDS = 10;

    /** Between probes. */
    static final int INTERVAL_SECONDS = 5;

    static final int PROBES = 4;

    /** Without an acknowledgement of what was sent; as long as silence may last. */
    static final int UNACKNOWLEDGED_MILLIS = 1_000 * (IDLE_SECONDS + PROBES * INTERVAL_SECONDS);

    private Keepalive() {}

    /**
     * Sets a socket's options, before it is connected or as it is accepted. A system without such an option keeps its
     * default.
     */
    static void applyTo(Channel channel, boolean epoll) {
        ChannelConfig config = channel.config();
        config.setOption(ChannelOption.SO_KEEPALIVE, true);
        if (epoll) {
            config.setOption(EpollChannelOption.TCP_KEEPIDLE, IDLE_SECONDS);
            config.setOption(EpollChannelOption.TCP_KEEPINTVL, INTERVAL_SECONDS);
            config.setOption(EpollChannelOption.TCP_KEEPCNT, PROBES);
            config.setOption(EpollChannelOption.TCP_USER_TIMEOUT, UNACKNOWLEDGED_MILLIS);
        } else {
            config.setOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPIDLE), IDLE_SECONDS);
            config.setOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPINTERVAL), INTERVAL_SECONDS);
            config.setOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPCOUNT), PROBES);
        }
    }
}
