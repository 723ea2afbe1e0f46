package io.bulwark.protocol.locking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodec;
import io.bulwark.protocol.wire.MessageCodecContract;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class LockingCodecTest implements MessageCodecContract {
    private final LockingCodec codec = new LockingCodec();

    @Override
    public MessageCodec codec() {
        return codec;
    }

    @Override
    public List<Class<?>> families() {
        return List.of(LockingMessage.class);
    }

    @Override
    public Map<String, Message> samples() {
        return LockingSamples.all();
    }

    @Override
    public String golden() {
        return "/wire/locking.hex";
    }

    @Test
    void largestBatchOfALogFitsIntoOneRecordOfTheStore() {
        LogEntry empty = new LogEntry(1, Optional.empty(), Bytes.EMPTY);
        LogEntry filling = new LogEntry(
                1,
                Optional.empty(),
                Bytes.of(new byte[LogLimits.BYTES_MAX / LogLimits.OUTSTANDING_MAX - empty.length()]));
        LockingMessage.Append largest = new LockingMessage.Append(
                LockingSamples.LOG,
                Collections.nCopies(LogLimits.OUTSTANDING_MAX, filling),
                new LogHead(
                        LogLimits.OUTSTANDING_MAX,
                        LockingSamples.append().head().hash(),
                        LockingSamples.append().head().signature()));
        LogStoreRecord record = new LogStoreRecord.Batch(largest);
        assertThat(record.encoded().length()).isLessThanOrEqualTo(LogStoreRecord.BYTES_MAX);
        assertThat(LogStoreRecord.decode(record.encoded())).isEqualTo(record);
    }

    @Test
    void batchesOfNothingOrBeyondTheLimitsAreMalformed() {
        WireWriter none = new WireWriter();
        LockingSamples.LOG.write(none);
        none.u16(0);
        LockingSamples.append().head().write(none);
        Bytes empty = none.toBytes();
        assertThatThrownBy(() -> codec.read(0x0B01, new WireReader(empty))).isInstanceOf(MalformedException.class);
        LogEntry large = new LogEntry(1, Optional.empty(), Bytes.of(new byte[LogEntry.COMMAND_BYTES_MAX]));
        assertThatThrownBy(() -> new LockingMessage.Append(
                        LockingSamples.LOG,
                        Collections.nCopies(LogLimits.BYTES_MAX / large.length() + 1, large),
                        LockingSamples.append().head()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void otherRecordsOfTheStoreAreMalformed() {
        LogStoreRecord closure = new LogStoreRecord.Closure(LockingSamples.LOG);
        assertThat(LogStoreRecord.decode(closure.encoded())).isEqualTo(closure);
        Bytes longer = new WireWriter().raw(closure.encoded()).u8(0).toBytes();
        assertThatThrownBy(() -> LogStoreRecord.decode(longer)).isInstanceOf(MalformedException.class);
        Bytes unknown = new WireWriter()
                .u8(3)
                .raw(closure.encoded().slice(1, closure.encoded().length() - 1))
                .toBytes();
        assertThatThrownBy(() -> LogStoreRecord.decode(unknown)).isInstanceOf(MalformedException.class);
    }
}
