package io.bulwark.protocol.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.control.NodeControlMessage.NodeStatusReply;
import io.bulwark.protocol.control.NodeControlMessage.NodeStatusRequest;
import io.bulwark.protocol.control.NodeControlMessage.PeerVerdict;
import io.bulwark.protocol.control.NodeControlMessage.VolumeWork;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class NodeControlCodecFuzzTest {
    private static final NodeControlCodec CODEC = new NodeControlCodec();
    private static final List<Message> SAMPLES = List.of(
            new NodeStatusRequest(),
            new NodeStatusReply(
                    true,
                    1 << 20,
                    5L << 40,
                    List.of(new VolumeWork(1, 0, true), new VolumeWork(7, 12, false)),
                    List.of(new PeerVerdict(3, Verdict.CORRUPT, 2))));

    @Test
    void eachMessageHasItsGoldenBytes() throws IOException {
        try (var in = getClass().getResourceAsStream("/wire/control.hex")) {
            String golden = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.US_ASCII);
            assertThat(SAMPLES.stream().map(NodeControlCodecFuzzTest::line))
                    .containsExactlyElementsOf(golden.lines().toList());
        }
    }

    @Test
    void hostileBodiesAreMalformedOrCanonical() {
        long seed = Long.getLong("bulwark.seed", 20_261_121L);
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 20_000; round++) {
            Message message = SAMPLES.get(random.nextInt(SAMPLES.size()));
            byte[] body = body(message).toByteArray();
            for (int flips = random.nextInt(4); flips > 0 && body.length > 0; flips--) {
                body[random.nextInt(body.length)] = (byte) random.nextInt(256);
            }
            Bytes cut = Bytes.of(body).slice(0, random.nextInt(4) == 0 ? random.nextInt(body.length + 1) : body.length);
            try {
                Message read = CODEC.read(CODEC.typeOf(message), new WireReader(cut));
                assertThat(body(read)).as("seed %d round %d", seed, round).isEqualTo(cut);
            } catch (MalformedException expected) {
                assertThat(expected).hasMessageNotContaining("null");
            }
        }
    }

    @Test
    void trailingBytesUnknownTypesAndHugeCountsAreMalformed() {
        Bytes trailing = new WireWriter().u8(0).toBytes();
        assertThatThrownBy(() -> CODEC.read(0x0501, new WireReader(trailing))).isInstanceOf(MalformedException.class);
        assertThatThrownBy(() -> CODEC.read(0x0503, new WireReader(Bytes.EMPTY)))
                .isInstanceOf(MalformedException.class);
        Bytes huge = new WireWriter().bool(true).i64(0).i64(0).u16(0xFFFF).toBytes();
        assertThatThrownBy(() -> CODEC.read(0x0502, new WireReader(huge)))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("65535");
    }

    private static Bytes body(Message message) {
        WireWriter out = new WireWriter();
        CODEC.write(message, out);
        return out.toBytes();
    }

    private static String line(Message message) {
        String type = HexFormat.of().toHexDigits((short) CODEC.typeOf(message));
        return (message.getClass().getSimpleName() + " " + type + " "
                        + body(message).toHex())
                .trim();
    }
}
