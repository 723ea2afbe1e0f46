package io.bulwark.gateway.s3.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.Promise;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Responses that clients take slowly. */
class WriteGateTest {
    private static final int BUFFERS = 5;

    private final EmbeddedChannel channel = new EmbeddedChannel();

    @BeforeEach
    void write() {
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(128 << 10, 384 << 10));
        for (int i = 0; i < BUFFERS; i++) {
            var _ = channel.write(Unpooled.wrappedBuffer(new byte[128 << 10]));
        }
        ChannelOutboundBuffer pending = channel.unsafe().outboundBuffer();
        assertThat(pending).isNotNull();
        pending.addFlush();
        assertThat(channel.isWritable()).isFalse();
    }

    @AfterEach
    void close() {
        var _ = channel.close().awaitUninterruptibly();
    }

    /** Lets the client take a buffer several times in a stall, and all of them in more than that. */
    private void take(WriteGate gate) throws InterruptedException {
        ChannelOutboundBuffer pending = channel.unsafe().outboundBuffer();
        for (int i = 0; i < BUFFERS && pending != null; i++) {
            Thread.sleep(300);
            assertThat(pending.remove()).isTrue();
            gate.onChange();
        }
    }

    @Test
    void aClientThatKeepsThePaceIsAwaited() throws Exception {
        WriteGate gate = new WriteGate(channel, 1_000);
        CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> {
            try {
                gate.await();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        take(gate);
        waiting.join();
        assertThat(channel.isOpen()).isTrue();
    }

    @Test
    void theEndOfAResponseIsAwaitedAtThePace() throws Exception {
        WriteGate gate = new WriteGate(channel, 1_000);
        Promise<Boolean> end = GlobalEventExecutor.INSTANCE.newPromise();
        CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(() -> gate.await(end));
        take(gate);
        var _ = end.setSuccess(true);
        assertThat(waiting.join()).isTrue();
    }

    @Test
    void aClientThatTakesNothingIsNotAwaited() {
        WriteGate gate = new WriteGate(channel, 50);
        assertThatThrownBy(gate::await).isInstanceOf(IOException.class).hasMessageContaining("too slowly");
        assertThat(channel.isOpen()).isFalse();
    }
}
