package io.bulwark.protocol.ordering;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class OrderingCodecFuzzTest {
    private static final OrderingCodec CODEC = new OrderingCodec();
    private static final Bytes BODY = Bytes.of((byte) 0xAB, (byte) 0xCD);

    private static List<Message> samples() {
        return OrderingSamples.all();
    }

    @Test
    void eachMessageHasItsGoldenBytes() {
        Map<String, String> golden = golden();
        List<String> seen = new ArrayList<>();
        for (Message message : samples()) {
            String name = message.getClass().getSimpleName();
            seen.add(name);
            assertThat(hex(message)).as(name).isEqualTo(golden.get(name));
        }
        assertThat(golden.keySet()).containsExactlyElementsOf(seen);
    }

    @Test
    void whatIsReadIsWrittenTheSame() {
        for (Message message : samples()) {
            Bytes body = body(message);
            assertThat(CODEC.read(CODEC.typeOf(message), new WireReader(body))).isEqualTo(message);
        }
    }

    @Test
    void hostileBodiesAreMalformedOrCanonical() {
        long seed = Long.getLong("bulwark.seed", 20_261_121L);
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 20_000; round++) {
            Message message = samples().get(random.nextInt(samples().size()));
            byte[] body = body(message).toByteArray();
            for (int flips = random.nextInt(4); flips > 0 && body.length > 0; flips--) {
                body[random.nextInt(body.length)] = (byte) random.nextInt(256);
            }
            Bytes cut = Bytes.of(body).slice(0, random.nextInt(4) == 0 ? random.nextInt(body.length + 1) : body.length);
            int type = random.nextInt(8) == 0 ? random.nextInt(1 << 16) : CODEC.typeOf(message);
            try {
                Message read = CODEC.read(type, new WireReader(cut));
                assertThat(body(read)).as("seed %d round %d", seed, round).isEqualTo(cut);
                assertThat(CODEC.typeOf(read)).isEqualTo(type);
            } catch (MalformedException expected) {
                assertThat(expected).hasMessageNotContaining("null");
            }
        }
    }

    @Test
    void trailingBytesAndLengthsBeyondTheBoundAreMalformed() {
        Bytes trailing = new WireWriter().i64(1).bytes(BODY).u8(0).toBytes();
        assertThatThrownBy(() -> CODEC.read(0x0301, new WireReader(trailing))).isInstanceOf(MalformedException.class);
        Bytes huge = new WireWriter().i64(1).i32(Integer.MAX_VALUE).raw(BODY).toBytes();
        assertThatThrownBy(() -> CODEC.read(0x0301, new WireReader(huge))).isInstanceOf(MalformedException.class);
        Bytes tooLong = Bytes.of(new byte[OrderingMessage.COMMAND_BYTES_MAX + 1]);
        assertThatThrownBy(() -> new OrderingMessage.Submit(1, tooLong)).isInstanceOf(IllegalArgumentException.class);
    }

    private static Bytes body(Message message) {
        WireWriter out = new WireWriter();
        CODEC.write(message, out);
        return out.toBytes();
    }

    private static String hex(Message message) {
        return HexFormat.of().toHexDigits((short) CODEC.typeOf(message)) + " "
                + body(message).toHex();
    }

    /** Lines of name, type number, body. */
    private static Map<String, String> golden() {
        Map<String, String> golden = new LinkedHashMap<>();
        try (var in = OrderingCodecFuzzTest.class.getResourceAsStream("/wire/ordering.hex")) {
            String text = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.US_ASCII);
            text.lines().forEach(line -> {
                int space = line.indexOf(' ');
                golden.put(line.substring(0, space), line.substring(space + 1));
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return golden;
    }
}
