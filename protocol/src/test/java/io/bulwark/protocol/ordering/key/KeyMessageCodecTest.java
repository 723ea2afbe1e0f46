package io.bulwark.protocol.ordering.key;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
class KeyMessageCodecTest implements MessageCodecContract {
    private static final Bytes SIXTEEN = Bytes.of(new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});

    static Map<String, Message> all() {
        Map<String, Message> all = new LinkedHashMap<>();
        for (Message message : List.of(
                new KeyMessage.AskNonce(600_000, 3),
                new KeyMessage.GiveNonce(SIXTEEN),
                new KeyMessage.NewKey(SIXTEEN, Bytes.of((byte) 7), Bytes.of((byte) 8, (byte) 9)),
                new KeyMessage.NoKey(),
                new KeyMessage.Authentic(0x0601, Bytes.of((byte) 10), SIXTEEN))) {
            all.put(message.getClass().getSimpleName(), message);
        }
        return all;
    }

    @Override
    public MessageCodec codec() {
        return new KeyMessageCodec();
    }

    @Override
    public List<Class<?>> families() {
        return List.of(KeyMessage.class);
    }

    @Override
    public Map<String, Message> samples() {
        return all();
    }

    @Override
    public String golden() {
        return "/wire/ordering-key.hex";
    }

    @Test
    void lengthsBeyondTheBoundsAreMalformed() {
        assertMalformed(
                0x0803,
                new WireWriter()
                        .raw(SIXTEEN)
                        .i32(KeyCipher.SEALED_BYTES_MAX + 1)
                        .toBytes());
        assertMalformed(
                0x0803,
                new WireWriter()
                        .raw(SIXTEEN)
                        .i32(0)
                        .i32(Signing.SIGNATURE_BYTES_MAX + 1)
                        .toBytes());
        assertMalformed(
                0x0805,
                new WireWriter()
                        .u16(1)
                        .raw(SIXTEEN)
                        .i32(KeyMessage.BODY_BYTES_MAX + 1)
                        .toBytes());
        assertMalformed(0x0801, new WireWriter().i64(1).i64(-1).toBytes());
        assertMalformed(0x0801, new WireWriter().i64(1).i64(1).u8(0).toBytes());
        assertMalformed(0x0806, Bytes.EMPTY);
    }

    private void assertMalformed(int type, Bytes body) {
        assertThatThrownBy(() -> codec().read(type, new WireReader(body))).isInstanceOf(MalformedException.class);
    }
}
