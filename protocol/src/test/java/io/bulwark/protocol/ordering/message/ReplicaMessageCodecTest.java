package io.bulwark.protocol.ordering.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.OrderingMessage;
import io.bulwark.protocol.state.FetchSettings;
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
class ReplicaMessageCodecTest implements MessageCodecContract {
    private final ReplicaMessageCodec codec = new ReplicaMessageCodec();

    @Override
    public MessageCodec codec() {
        return codec;
    }

    @Override
    public List<Class<?>> families() {
        return List.of(ReplicaMessage.class);
    }

    @Override
    public Map<String, Message> samples() {
        return ReplicaMessageSamples.all();
    }

    @Override
    public String golden() {
        return "/wire/ordering-replica.hex";
    }

    @Test
    void countsAndNumbersBeyondTheBoundsAreMalformed() {
        Bytes manyIds = new WireWriter().u16(Batch.REQUESTS_MAX + 1).toBytes();
        assertMalformed(0x0601, manyIds);
        Bytes negativeView =
                new WireWriter().i64(-1).i64(1).raw(Batch.NULL_DIGEST).toBytes();
        assertMalformed(0x0603, negativeView);
        Bytes noSuchReplica = new WireWriter()
                .i64(1)
                .u8(ReplicaMessage.REPLICAS_MAX)
                .raw(Batch.NULL_DIGEST)
                .toBytes();
        assertMalformed(0x0608, noSuchReplica);
        Bytes longBits = new WireWriter()
                .i64(1)
                .bool(true)
                .i64(1)
                .i64(1)
                .i32(ReplicaMessage.NUMBERS_MAX / 4 + 1)
                .toBytes();
        assertMalformed(0x0610, longBits);
        assertMalformed(0x0611, new WireWriter().i64(1).u16(0).toBytes());
        Bytes longPage = new WireWriter()
                .i64(1)
                .u16(1)
                .i32(FetchSettings.PAGE_BYTES_MAX + 1)
                .toBytes();
        assertMalformed(0x0612, longPage);
        WireWriter muchInAll = new WireWriter().i64(1).u16(5);
        for (int i = 0; i < 5; i++) {
            muchInAll.bytes(Bytes.of(new byte[1 << 20]));
        }
        assertMalformed(0x0612, muchInAll.toBytes());
        assertMalformed(
                0x0614,
                new WireWriter()
                        .i64(1)
                        .i64(-1)
                        .i64(1)
                        .raw(Bytes.of(new byte[16]))
                        .toBytes());
        assertMalformed(0x0617, manyIds);
        assertMalformed(0x0618, Bytes.EMPTY);
        assertThatThrownBy(() -> new Request(
                        PrincipalId.client(1), 1, false, Bytes.of(new byte[OrderingMessage.COMMAND_BYTES_MAX + 1])))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aRequestsNameCoversAllOfIt() {
        Request request = new Request(PrincipalId.client(1), 2, false, Bytes.of((byte) 3));
        assertThat(List.of(
                                new Request(PrincipalId.client(2), 2, false, request.operation()),
                                new Request(request.client(), 3, false, request.operation()),
                                new Request(request.client(), 2, true, request.operation()),
                                new Request(request.client(), 2, false, Bytes.of((byte) 4)))
                        .stream()
                        .map(other -> other.id().digest()))
                .doesNotContain(request.id().digest());
        WireWriter out = new WireWriter();
        request.write(out);
        assertThat(Request.read(new WireReader(out.toBytes())).id()).isEqualTo(request.id());
    }

    private void assertMalformed(int type, Bytes body) {
        assertThatThrownBy(() -> codec.read(type, new WireReader(body))).isInstanceOf(MalformedException.class);
    }
}
