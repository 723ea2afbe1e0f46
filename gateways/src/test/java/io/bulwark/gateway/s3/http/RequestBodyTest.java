package io.bulwark.gateway.s3.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.gateway.s3.request.S3Exception;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RequestBodyTest {
    private static final long SEED = Long.getLong("bulwark.seed", 20261129L);
    private static final int PART_BYTES = 64 << 10;

    private final AtomicInteger asked = new AtomicInteger();
    private final RequestBody body = new RequestBody(asked::incrementAndGet, () -> {}, 60_000);

    @Test
    void aFullQueueStopsReadingUntilTheReaderHasTakenHalf() throws IOException {
        int parts = 0;
        do {
            parts++;
        } while (body.offer(Unpooled.wrappedBuffer(new byte[PART_BYTES])));
        assertThat(parts).isEqualTo(RequestBody.QUEUE_BYTES_MAX / PART_BYTES);
        assertThat(body.readNBytes(RequestBody.QUEUE_BYTES_MAX / 2)).hasSize(RequestBody.QUEUE_BYTES_MAX / 2);
        assertThat(asked).hasValue(0);
        assertThat(body.read()).isZero();
        assertThat(body.read()).isZero();
        assertThat(asked).hasValue(1);
    }

    @Test
    void smallPartsKeepTheirOrderInFewBuffers() throws IOException {
        Random random = new Random(SEED);
        ByteArrayOutputStream sent = new ByteArrayOutputStream();
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        for (int run = 0; run < 20_000; run++) {
            byte[] part = new byte[random.nextInt(10) == 0 ? random.nextInt(3_000) : random.nextInt(20)];
            random.nextBytes(part);
            sent.writeBytes(part);
            body.offer(Unpooled.wrappedBuffer(part));
            while (sent.size() - read.size() > 100_000) {
                read.writeBytes(body.readNBytes(1 + random.nextInt(5_000)));
            }
        }
        body.end();
        read.writeBytes(body.readAllBytes());
        assertThat(read.toByteArray()).as("seed %d", SEED).isEqualTo(sent.toByteArray());
        RequestBody other = new RequestBody(() -> {}, () -> {}, 60_000);
        for (int i = 0; i < 100_000; i++) {
            other.offer(Unpooled.wrappedBuffer(new byte[] {1}));
        }
        assertThat(other.bufferCount()).isEqualTo(25);
    }

    @Test
    void discardedPartsAreReleased() {
        List<ByteBuf> parts = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            parts.add(Unpooled.buffer().writeBytes(new byte[2_000]));
        }
        body.offer(parts.get(0));
        body.discard();
        body.offer(parts.get(1));
        assertThat(parts.get(0).refCnt()).isZero();
        assertThat(parts.get(1).refCnt()).isZero();
        assertThat(body.receivedBytes()).isEqualTo(4_000);
        assertThatThrownBy(body::read).isInstanceOf(IllegalStateException.class);
        parts.get(2).release();
    }

    @Test
    void aFailureComesAfterTheParts() throws IOException {
        body.offer(Unpooled.wrappedBuffer(new byte[] {5}));
        body.fail(new S3Exception(400, "IncompleteBody", "cut"));
        assertThat(body.read()).isEqualTo(5);
        assertThatThrownBy(body::read).isInstanceOf(S3Exception.class);
        assertThatThrownBy(body::read).isInstanceOf(S3Exception.class);
    }

    @Test
    void aDrainAsksForMoreOnlyUpToItsBound() {
        assertThat(new RequestBody(() -> {}, () -> {}, 60_000).drain(0, 1)).isFalse();
        body.offer(Unpooled.wrappedBuffer(new byte[] {5}));
        body.end();
        assertThat(body.drain(10, Long.MAX_VALUE / 2)).isTrue();
    }
}
