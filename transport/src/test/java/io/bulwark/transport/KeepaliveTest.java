package io.bulwark.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.socket.nio.NioSocketChannel;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * Tests that sockets probe the other end themselves. The test does not cover the kernel's probing: it takes half a
 * minute and a cut network.
 */
@NullMarked
class KeepaliveTest {
    @Test
    void socketsOfEpollAreGivenUpInHalfAMinute() {
        if (!Epoll.isAvailable()) {
            System.out.println("LEFT OUT: sockets of epoll, since there is none here");
        }
        assumeThat(Epoll.isAvailable()).isTrue();
        EpollSocketChannel channel = new EpollSocketChannel();
        try {
            Keepalive.applyTo(channel, true);
            assertThat(channel.config().isKeepAlive()).isTrue();
            assertThat(channel.config().getOption(EpollChannelOption.TCP_KEEPIDLE))
                    .isEqualTo(10);
            assertThat(channel.config().getOption(EpollChannelOption.TCP_KEEPINTVL))
                    .isEqualTo(5);
            assertThat(channel.config().getOption(EpollChannelOption.TCP_KEEPCNT))
                    .isEqualTo(4);
            assertThat(channel.config().getOption(EpollChannelOption.TCP_USER_TIMEOUT))
                    .isEqualTo(30_000);
        } finally {
            channel.unsafe().closeForcibly();
        }
    }

    @Test
    void socketsOfTheJdkAskAfterTenSecondsOfSilence() {
        NioSocketChannel channel = new NioSocketChannel();
        try {
            Keepalive.applyTo(channel, false);
            assertThat(channel.config().isKeepAlive()).isTrue();
            assertThat(channel.config().getOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPIDLE)))
                    .isEqualTo(10);
            assertThat(channel.config().getOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPINTERVAL)))
                    .isEqualTo(5);
            assertThat(channel.config().getOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPCOUNT)))
                    .isEqualTo(4);
        } finally {
            channel.unsafe().closeForcibly();
        }
    }
}
