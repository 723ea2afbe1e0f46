package io.bulwark.protocol.control;

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
class NodeControlCodecTest implements MessageCodecContract {
    private final NodeControlCodec codec = new NodeControlCodec();

    @Override
    public MessageCodec codec() {
        return codec;
    }

    @Override
    public List<Class<?>> families() {
        return List.of(NodeControlMessage.class);
    }

    @Override
    public Map<String, NodeControlMessage> samples() {
        return ControlSamples.all();
    }

    @Override
    public String golden() {
        return "/wire/control.hex";
    }

    @Test
    void unknownTypesAndHugeCountsAreMalformed() {
        assertThatThrownBy(() -> codec.read(0x0503, new WireReader(Bytes.EMPTY)))
                .isInstanceOf(MalformedException.class);
        Bytes huge = new WireWriter().bool(true).i64(0).i64(0).u16(0xFFFF).toBytes();
        assertThatThrownBy(() -> codec.read(0x0502, new WireReader(huge)))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("65535");
    }
}
