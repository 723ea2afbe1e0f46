package io.bulwark.protocol.ordering.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.CodecFuzzing;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireWriter;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@NullMarked
class LogRecordCodecTest {
    private static final Bytes DIGEST = Batch.NULL_DIGEST;

    static Stream<LogRecord> records() {
        Request request = new Request(PrincipalId.client(1), 2, true, Bytes.of((byte) 3));
        return Stream.of(
                new LogRecord.Bodies(new Batch(5, List.of(request.id())), List.of(request)),
                new LogRecord.Prepare(1, 2, DIGEST),
                new LogRecord.Commit(3, 4, DIGEST),
                new LogRecord.Learned(5, DIGEST),
                new LogRecord.Checkpoint(6, DIGEST),
                new LogRecord.Stable(7, DIGEST),
                new LogRecord.ViewChange(
                        new ReplicaMessage.ViewChange(8, 9, List.of(new Numbered(9, DIGEST)), List.of(), List.of())),
                new LogRecord.NewView(new ReplicaMessage.NewView(10, List.of(), new Numbered(9, DIGEST), List.of())),
                new LogRecord.Recovery(true, false, 11));
    }

    private static Bytes bytes(LogRecord record) {
        WireWriter out = new WireWriter();
        LogRecordCodec.write(record, out);
        return out.toBytes();
    }

    @ParameterizedTest
    @MethodSource("records")
    void eachRecordComesBackAndNothingElseIsRead(LogRecord record) {
        Bytes bytes = bytes(record);
        assertThat(LogRecordCodec.read(bytes)).isEqualTo(record);
        assertThatThrownBy(() -> LogRecordCodec.read(bytes.slice(0, bytes.length() - 1)))
                .isInstanceOf(MalformedException.class);
        assertThatThrownBy(() ->
                        LogRecordCodec.read(new WireWriter().raw(bytes).u8(0).toBytes()))
                .isInstanceOf(MalformedException.class);
    }

    @Test
    void otherKindsAreMalformed() {
        assertThatThrownBy(() -> LogRecordCodec.read(Bytes.of((byte) 10))).isInstanceOf(MalformedException.class);
        assertThatThrownBy(() -> LogRecordCodec.read(Bytes.EMPTY)).isInstanceOf(MalformedException.class);
    }

    @Test
    void damagedBytesAreMalformedOrCanonical() {
        long seed = Long.getLong("bulwark.seed", 1);
        SplittableRandom random = new SplittableRandom(seed);
        records().forEach(record -> {
            byte[] bytes = bytes(record).toByteArray();
            for (int i = 0; i < 200; i++) {
                byte[] damaged = bytes.clone();
                damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
                CodecFuzzing.malformedOrCanonical(damaged, read -> bytes(LogRecordCodec.read(read)));
            }
        });
    }
}
