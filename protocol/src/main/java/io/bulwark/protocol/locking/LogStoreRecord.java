package io.bulwark.protocol.locking;

import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/** One record in the store of a log server. The store keeps the order of the records of a log. */
public sealed interface LogStoreRecord {
    /** The longest record, in bytes: the entries of a log, and little beside them. */
    int BYTES_MAX = LogLimits.BYTES_MAX + 1_024;

    LogId log();

    /** A batch that continues the log. */
    record Batch(LockingMessage.Append append) implements LogStoreRecord {
        @Override
        public LogId log() {
            return append.log();
        }
    }

    /** End of the log: this server takes and answers nothing for it any more. */
    record Closure(LogId log) implements LogStoreRecord {}

    /** Returns the canonical bytes. */
    default Bytes encoded() {
        WireWriter out = new WireWriter();
        switch (this) {
            case Batch batch -> {
                out.u8(1);
                batch.log().write(out);
                LockingCodec.writeEntries(batch.append.entries(), out);
                batch.append.head().write(out);
            }
            case Closure closure -> closure.log.write(out.u8(2));
        }
        return out.toBytes();
    }

    /**
     * Reads one record, to its last byte.
     *
     * @throws MalformedException unless these are its canonical bytes
     */
    static LogStoreRecord decode(Bytes bytes) {
        WireReader in = new WireReader(bytes);
        try {
            int kind = in.u8();
            LogId log = LogId.read(in);
            LogStoreRecord record = switch (kind) {
                case 1 -> new Batch(new LockingMessage.Append(log, LockingCodec.readEntries(in), LogHead.read(in)));
                case 2 -> new Closure(log);
                default -> throw new MalformedException("unknown kind of record " + kind);
            };
            in.end();
            return record;
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        }
    }
}
