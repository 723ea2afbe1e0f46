package io.bulwark.protocol.agreement;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.ordering.key.KeyCipher;
import io.bulwark.protocol.ordering.key.Signing;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodec;
import io.bulwark.protocol.wire.MessageCodecContract;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class AgreementCodecTest implements MessageCodecContract {
    private static final Bytes SIXTEEN = Bytes.of(new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
    private static final Bytes OTHER = Bytes.of(new byte[] {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17});

    static Map<String, Message> all() {
        Map<String, Message> all = new LinkedHashMap<>();
        for (Message message : List.of(
                new AgreementMessage.AskNonce(),
                new AgreementMessage.GiveNonce(SIXTEEN),
                new AgreementMessage.NewKey(SIXTEEN, OTHER, Bytes.of((byte) 7), Bytes.of((byte) 8, (byte) 9)),
                new AgreementMessage.KeyAccepted(SIXTEEN))) {
            all.put(message.getClass().getSimpleName(), message);
        }
        return all;
    }

    @Override
    public MessageCodec codec() {
        return new AgreementCodec();
    }

    @Override
    public List<Class<?>> families() {
        return List.of(AgreementMessage.class);
    }

    @Override
    public Map<String, Message> samples() {
        return all();
    }

    @Override
    public String golden() {
        return "/wire/agreement.hex";
    }

    @Test
    void lengthsBeyondTheBoundsAreMalformed() {
        WireWriter begun = new WireWriter().raw(SIXTEEN).raw(OTHER);
        assertMalformed(
                0x0903,
                new WireWriter()
                        .raw(begun.toBytes())
                        .i32(KeyCipher.SEALED_BYTES_MAX + 1)
                        .toBytes());
        assertMalformed(
                0x0903,
                new WireWriter()
                        .raw(begun.toBytes())
                        .i32(0)
                        .i32(Signing.SIGNATURE_BYTES_MAX + 1)
                        .toBytes());
        assertMalformed(0x0902, SIXTEEN.slice(0, 15));
        assertMalformed(0x0905, Bytes.EMPTY);
    }

    private void assertMalformed(int type, Bytes body) {
        assertThatThrownBy(() -> codec().read(type, new WireReader(body))).isInstanceOf(MalformedException.class);
    }
}
