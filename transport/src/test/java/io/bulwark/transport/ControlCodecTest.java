package io.bulwark.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.FrameHeader;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.MessageCodec;
import io.bulwark.protocol.wire.MessageCodecContract;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** The handshake of client-7 with node-1: key 40..5f, nonces 00..1f and 80..9f. */
@NullMarked
class ControlCodecTest implements MessageCodecContract {
    private static final PrincipalId FROM = PrincipalId.client(7);
    private static final PrincipalId TO = PrincipalId.node(1);
    private static final Bytes KEY = counting(0x40, 32);
    private static final ControlMessage.Hello HELLO = new ControlMessage.Hello(1, FROM, TO, counting(0, 32));
    private static final Bytes NONCE = counting(0x80, 32);

    static Map<String, ControlMessage> messages() {
        PairwiseKeys accepting = new PairwiseKeys(TO, Map.of(TO, counting(0, 32), FROM, KEY));
        PairwiseKeys connecting = new PairwiseKeys(FROM, Map.of(FROM, counting(1, 32), TO, KEY));
        Map<String, ControlMessage> messages = new LinkedHashMap<>();
        messages.put("hello", HELLO);
        messages.put(
                "challenge",
                new ControlMessage.Challenge(NONCE, MacChallenge.challengeMac(accepting, FROM, HELLO, NONCE)));
        messages.put("proof", new ControlMessage.Proof(MacChallenge.proofMac(connecting, TO, HELLO, NONCE)));
        messages.put("ready", new ControlMessage.Ready());
        return messages;
    }

    @Override
    public MessageCodec codec() {
        return new ControlCodec();
    }

    @Override
    public List<Class<?>> families() {
        return List.of(ControlMessage.class);
    }

    @Override
    public Map<String, ControlMessage> samples() {
        return messages();
    }

    @Override
    public String golden() {
        return "/wire/transport.hex";
    }

    @Test
    void noBodyIsLongerThanTheBound() {
        messages()
                .values()
                .forEach(message -> assertThat(
                                TestMessage.flat(MacChallenge.CODECS, 0, message).length - FrameHeader.BYTES)
                        .isLessThanOrEqualTo(ControlMessage.BODY_BYTES_MAX));
    }

    @Test
    void otherTypesAndLengthsAreMalformed() {
        assertThatThrownBy(() -> MacChallenge.CODECS.decode(new FrameHeader(0x0405, 0, 0, 0), Bytes.EMPTY))
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
