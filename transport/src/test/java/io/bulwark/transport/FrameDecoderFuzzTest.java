package io.bulwark.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.wire.FrameHeader;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Streams of frames, cut anywhere and damaged anywhere. */
@NullMarked
class FrameDecoderFuzzTest {
    private static final int ROUNDS = 3_000;

    private final long seed = Long.getLong("bulwark.seed", System.nanoTime());

    @Test
    void whatArrivesUndamagedIsReadAndNothingElse() {
        System.out.println("-Dbulwark.seed=" + seed);
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < ROUNDS; round++) {
            damagedStream(random, "seed " + seed + ", round " + round);
        }
    }

    @Test
    void garbageIsNeverAMessage() {
        System.out.println("-Dbulwark.seed=" + seed);
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < ROUNDS; round++) {
            byte[] garbage = new byte[random.nextInt(200)];
            random.nextBytes(garbage);
            // a good start lets the garbage reach further
            byte[] good = Letter.frame(1, Letter.ofLength(50, round));
            System.arraycopy(good, 0, garbage, 0, Math.min(garbage.length, random.nextInt(FrameHeader.BYTES - 3)));
            assertThat(decode(random, garbage))
                    .as("seed %d, round %d", seed, round)
                    .isEmpty();
        }
    }

    private static void damagedStream(SplittableRandom random, String context) {
        List<Received> sent = new ArrayList<>();
        List<Integer> ends = new ArrayList<>();
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        for (int i = random.nextInt(1, 6); i > 0; i--) {
            Letter letter = Letter.ofLength(random.nextInt(4) == 0 ? 0 : random.nextInt(5_000), random.nextLong());
            long requestId = random.nextLong();
            stream.writeBytes(Letter.frame(requestId, letter));
            sent.add(new Received(requestId, letter, letter.bytes().length()));
            ends.add(stream.size());
        }
        byte[] bytes = stream.toByteArray();
        int firstDamage = bytes.length;
        switch (random.nextInt(3)) {
            case 0 -> {
                firstDamage = random.nextInt(bytes.length);
                bytes[firstDamage] ^= (byte) (1 << random.nextInt(8));
            }
            case 1 -> {
                firstDamage = random.nextInt(bytes.length);
                bytes = Arrays.copyOf(bytes, firstDamage);
            }
            default -> {}
        }
        int limit = firstDamage;
        int whole = (int) ends.stream().filter(end -> end <= limit).count();
        assertThat(decode(random, bytes)).as(context).isEqualTo(sent.subList(0, whole));
    }

    /** What comes out when the bytes arrive in pieces, up to a fault if there is one. */
    private static List<Received> decode(SplittableRandom random, byte[] bytes) {
        EmbeddedChannel channel = new EmbeddedChannel(new FrameDecoder(Letter.CODECS, FrameHeader.BODY_BYTES_MAX));
        try {
            int at = 0;
            while (at < bytes.length) {
                int count = Math.min(bytes.length - at, random.nextInt(1, 1 << random.nextInt(1, 13)));
                channel.writeInbound(Unpooled.wrappedBuffer(bytes, at, count));
                at += count;
            }
        } catch (ConnectionFault expected) {
            assertThat(expected.fault())
                    .isIn(
                            Fault.MAGIC,
                            Fault.VERSION,
                            Fault.RESERVED,
                            Fault.LENGTH,
                            Fault.TYPE,
                            Fault.CHECKSUM,
                            Fault.BODY);
        }
        List<Received> received = new ArrayList<>();
        for (Received next = channel.readInbound(); next != null; next = channel.readInbound()) {
            received.add(next);
        }
        return received;
    }
}
