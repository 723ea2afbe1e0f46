package io.bulwark.protocol.pasis;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.MessageCodec;
import io.bulwark.protocol.wire.MessageCodecContract;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class PasisCodecTest implements MessageCodecContract {
    private final PasisCodec codec = new PasisCodec();

    @Override
    public MessageCodec codec() {
        return codec;
    }

    @Override
    public List<Class<?>> families() {
        return List.of(PasisMessage.class);
    }

    @Override
    public Map<String, PasisMessage> samples() {
        return SampleMessages.all();
    }

    @Override
    public String golden() {
        return "/wire/pasis.hex";
    }

    @Test
    void whatNobodyWritesIsMalformed() {
        Bytes target = target();
        Bytes none = new WireWriter().raw(target).i64(0).toBytes();
        // A version that was never written is neither repaired nor notified of.
        assertMalformed(9, none);
        assertMalformed(11, new WireWriter().raw(none).bool(true).toBytes());
        assertMalformed(
                4, new WireWriter().raw(none).raw(SampleMessages.filled(32, 1)).toBytes());
        // A history of more than five versions, and a cross-checksum of too many fragments.
        assertMalformed(6, new WireWriter().raw(none).u8(6).toBytes());
        WireWriter long65 = new WireWriter().raw(target).i64(1);
        assertMalformed(
                9,
                long65.u8(0)
                        .i32(0)
                        .u8(65)
                        .raw(SampleMessages.filled(65 * 32, 1))
                        .toBytes());
        assertMalformed(
                12, new WireWriter().raw(target).u8(0).bool(false).u8(99).i64(1).toBytes());
        assertMalformed(99, target);
    }

    private void assertMalformed(int number, Bytes body) {
        assertThatThrownBy(() -> codec.read(0x0700 | number, new WireReader(body)))
                .as("type %s", number)
                .isInstanceOf(MalformedException.class);
    }

    private static Bytes target() {
        WireWriter out = new WireWriter();
        SampleMessages.TARGET.write(out);
        return out.toBytes();
    }
}
