package io.bulwark.protocol.fp;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.id.BlockId;
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
class FpCodecTest implements MessageCodecContract {
    private final FpCodec codec = new FpCodec();

    @Override
    public MessageCodec codec() {
        return codec;
    }

    @Override
    public List<Class<?>> families() {
        return List.of(FpMessage.class);
    }

    @Override
    public Map<String, FpMessage> samples() {
        return SampleMessages.all();
    }

    @Override
    public String golden() {
        return "/wire/fp.hex";
    }

    @Test
    void whatNobodyWritesIsMalformed() {
        Bytes target = target(1);
        Bytes none = new WireWriter().raw(target).i64(0).toBytes();
        assertMalformed(10, none);
        assertMalformed(
                8, new WireWriter().raw(none).raw(SampleMessages.filled(32, 1)).toBytes());
        assertMalformed(7, new WireWriter().raw(none).u8(2).toBytes());
        assertMalformed(
                16, new WireWriter().raw(target).u8(0).i64(0).u8(99).i64(1).toBytes());
        assertMalformed(99, target);
        assertMalformed(6, new WireWriter().raw(target(0)).bool(true).toBytes());
    }

    @Test
    void slotsOfNoncesAscend() {
        WireWriter twice = new WireWriter()
                .raw(target(1))
                .i64(0)
                .u8(1)
                .raw(SampleMessages.filled(32, 1))
                .u8(2);
        twice.u8(3).raw(SampleMessages.filled(32, 1)).u8(3).raw(SampleMessages.filled(32, 1));
        assertThatThrownBy(() -> codec.read(0x0207, new WireReader(twice.toBytes())))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("slot 3 after 3");
    }

    private void assertMalformed(int number, Bytes body) {
        assertThatThrownBy(() -> codec.read(0x0200 | number, new WireReader(body)))
                .as("type %s", number)
                .isInstanceOf(MalformedException.class);
    }

    private static Bytes target(long epoch) {
        WireWriter out = new WireWriter();
        BlockId.register(7, 42).write(out);
        return out.i64(epoch).u8(0).toBytes();
    }
}
