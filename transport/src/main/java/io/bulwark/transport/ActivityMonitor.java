package io.bulwark.transport;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;

/** Next to the socket: when it last took or gave any bytes. TLS writes a large frame in pieces, each of which counts. */
final class ActivityMonitor extends ChannelDuplexHandler {
    private volatile long lastNanos = System.nanoTime();

    long lastNanos() {
        return lastNanos;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        lastNanos = System.nanoTime();
        ctx.fireChannelRead(message);
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        var unused = ctx.write(message, promise.unvoid().addListener(written -> {
            if (written.isSuccess()) {
                lastNanos = System.nanoTime();
            }
        }));
    }
}
