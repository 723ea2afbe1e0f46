package io.bulwark.protocol.extent;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
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
class ExtentCodecTest implements MessageCodecContract {
    private final ExtentCodec codec = new ExtentCodec();

    @Override
    public MessageCodec codec() {
        return codec;
    }

    @Override
    public List<Class<?>> families() {
        return List.of(ExtentMessage.class);
    }

    @Override
    public Map<String, ExtentMessage> samples() {
        return SampleMessages.all();
    }

    @Override
    public String golden() {
        return "/wire/extent.hex";
    }

    @Test
    void unknownTypesReasonsAndAnEpochOfZeroAreMalformed() {
        WireWriter head = new WireWriter();
        new BlockId(1, PrincipalId.client(0), 1, 1).write(head);
        Bytes id = head.toBytes();
        Bytes epochZero = new WireWriter().raw(id).i64(0).toBytes();
        Bytes reason = new WireWriter().raw(id).i64(1).u8(200).toBytes();
        assertThatThrownBy(() -> codec.read(ExtentCodec.HOLDS, new WireReader(epochZero)))
                .isInstanceOf(MalformedException.class);
        assertThatThrownBy(() -> codec.read(ExtentCodec.NOT_FOUND, new WireReader(reason)))
                .isInstanceOf(MalformedException.class);
        assertThatThrownBy(() -> codec.read(0x01FF, new WireReader(reason))).isInstanceOf(MalformedException.class);
    }
}
