package io.bulwark.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.FrameHeader;
import io.bulwark.protocol.wire.MalformedException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class ControlCodecTest {
    private static final PrincipalId FROM = PrincipalId.client(7);
    private static final PrincipalId TO = PrincipalId.node(1);
    private static final Bytes KEY = counting(0x40, 32);
    private static final ControlMessage.Hello HELLO = new ControlMessage.Hello(1, FROM, TO, counting(0, 32));
    private static final Bytes NONCE = counting(0x80, 32);

    private static Map<String, ControlMessage> vectors() {
        PairwiseKeys accepting = new PairwiseKeys(TO, Map.of(TO, counting(0, 32), FROM, KEY));
        PairwiseKeys connecting = new PairwiseKeys(FROM, Map.of(FROM, counting(1, 32), TO, KEY));
        Map<String, ControlMessage> vectors = new LinkedHashMap<>();
        vectors.put("hello", HELLO);
        vectors.put(
                "challenge",
                new ControlMessage.Challenge(NONCE, MacChallenge.challengeMac(accepting, FROM, HELLO, NONCE)));
        vectors.put("proof", new ControlMessage.Proof(MacChallenge.proofMac(connecting, TO, HELLO, NONCE)));
        vectors.put("ready", new ControlMessage.Ready());
        return vectors;
    }

    @Test
    void framesAndMacsAreTheGoldenOnes() throws IOException {
        Map<String, String> golden = new LinkedHashMap<>();
        try (InputStream in =
                Objects.requireNonNull(ControlCodecTest.class.getResourceAsStream("/wire/transport.hex"))) {
            new String(in.readAllBytes(), StandardCharsets.US_ASCII)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> line.split(" "))
                    .forEach(line -> golden.put(line[0], line[1]));
        }
        Map<String, String> actual = new LinkedHashMap<>();
        vectors()
                .forEach((name, message) ->
                        actual.put(name, HexFormat.of().formatHex(Letter.flat(MacChallenge.CODECS, 0, message))));
        assertThat(actual).isEqualTo(golden);
    }

    @Test
    void whatWasWrittenIsRead() {
        for (ControlMessage message : vectors().values()) {
            byte[] frame = Letter.flat(MacChallenge.CODECS, 0, message);
            FrameHeader header = FrameHeader.read(Bytes.of(frame, 0, FrameHeader.BYTES));
            Bytes body = Bytes.of(frame, FrameHeader.BYTES, frame.length - FrameHeader.BYTES);
            assertThat(MacChallenge.CODECS.decode(header, body)).isEqualTo(message);
            assertThat(body.length()).isLessThanOrEqualTo(ControlMessage.BODY_BYTES_MAX);
        }
    }

    @Test
    void otherTypesAndLengthsAreMalformed() {
        assertThatThrownBy(() -> MacChallenge.CODECS.decode(new FrameHeader(0x0405, 0, 0, 0), Bytes.EMPTY))
                .isInstanceOf(MalformedException.class);
        Bytes trailing = counting(0, 17);
        assertThatThrownBy(() -> MacChallenge.CODECS.decode(new FrameHeader(0x0403, 0, 17, 0), trailing))
                .isInstanceOf(MalformedException.class);
        assertThatThrownBy(() -> new ControlMessage.Proof(Bytes.EMPTY)).isInstanceOf(IllegalArgumentException.class);
    }

    private static Bytes counting(int first, int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (first + i);
        }
        return Bytes.of(bytes);
    }
}
