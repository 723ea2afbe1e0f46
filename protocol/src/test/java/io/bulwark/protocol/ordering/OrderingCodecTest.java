package io.bulwark.protocol.ordering;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodec;
import io.bulwark.protocol.wire.MessageCodecContract;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class OrderingCodecTest implements MessageCodecContract {
    private final OrderingCodec codec = new OrderingCodec();

    @Override
    public MessageCodec codec() {
        return codec;
    }

    @Override
    public List<Class<?>> families() {
        return List.of(OrderingMessage.class, RecoveryMessage.class, PeerMessage.class);
    }

    @Override
    public Map<String, Message> samples() {
        return OrderingSamples.all();
    }

    @Override
    public String golden() {
        return "/wire/ordering.hex";
    }

    @Test
    void lengthsBeyondTheBoundAreMalformed() {
        Bytes huge = new WireWriter().i64(1).u8(0).i32(Integer.MAX_VALUE).u16(0).toBytes();
        assertThatThrownBy(() -> codec.read(0x0301, new WireReader(huge))).isInstanceOf(MalformedException.class);
        Bytes tooLong = Bytes.of(new byte[OrderingMessage.COMMAND_BYTES_MAX + 1]);
        assertThatThrownBy(() -> new OrderingMessage.Submit(1, tooLong)).isInstanceOf(IllegalArgumentException.class);
    }
}
