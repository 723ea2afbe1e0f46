package io.bulwark.protocol.ordering.driver;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.message.ViewMessages;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;

/** The canonical bytes of log records: a kind of one byte, then what belongs to it. */
public final class LogRecordCodec {
    private static final int BODIES = 1;
    private static final int PREPARE = 2;
    private static final int COMMIT = 3;
    private static final int LEARNED = 4;
    private static final int CHECKPOINT = 5;
    private static final int STABLE = 6;
    private static final int VIEW_CHANGE = 7;
    private static final int NEW_VIEW = 8;
    private static final int RECOVERY = 9;

    private LogRecordCodec() {}

    public static void write(LogRecord record, WireWriter out) {
        switch (record) {
            case LogRecord.Bodies bodies -> {
                out.u8(BODIES);
                bodies.batch().write(out);
                bodies.requests().forEach(request -> request.write(out));
            }
            case LogRecord.Prepare prepare ->
                out.u8(PREPARE).i64(prepare.view()).i64(prepare.sequence()).raw(prepare.digest());
            case LogRecord.Commit commit ->
                out.u8(COMMIT).i64(commit.view()).i64(commit.sequence()).raw(commit.digest());
            case LogRecord.Learned learned ->
                out.u8(LEARNED).i64(learned.sequence()).raw(learned.digest());
            case LogRecord.Checkpoint checkpoint ->
                out.u8(CHECKPOINT).i64(checkpoint.sequence()).raw(checkpoint.digest());
            case LogRecord.Stable stable ->
                out.u8(STABLE).i64(stable.sequence()).raw(stable.digest());
            case LogRecord.ViewChange change -> ViewMessages.write(change.message(), out.u8(VIEW_CHANGE));
            case LogRecord.NewView newView -> ViewMessages.write(newView.message(), out.u8(NEW_VIEW));
            case LogRecord.Recovery recovery ->
                out.u8(RECOVERY)
                        .bool(recovery.open())
                        .bool(recovery.forgotten())
                        .i64(recovery.floor());
        }
    }

    /**
     * Reads one record, to its last byte.
     *
     * @throws MalformedException on an unknown kind, a value out of bounds, or trailing bytes
     */
    public static LogRecord read(Bytes bytes) {
        WireReader in = new WireReader(bytes);
        try {
            LogRecord record = read(in.u8(), in);
            in.end();
            return record;
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        }
    }

    private static LogRecord read(int kind, WireReader in) {
        return switch (kind) {
            case BODIES -> bodies(in);
            case PREPARE -> new LogRecord.Prepare(in.nonNegative64(), in.nonNegative64(), digest(in));
            case COMMIT -> new LogRecord.Commit(in.nonNegative64(), in.nonNegative64(), digest(in));
            case LEARNED -> new LogRecord.Learned(in.nonNegative64(), digest(in));
            case CHECKPOINT -> new LogRecord.Checkpoint(in.nonNegative64(), digest(in));
            case STABLE -> new LogRecord.Stable(in.nonNegative64(), digest(in));
            case VIEW_CHANGE -> new LogRecord.ViewChange(ViewMessages.viewChange(in));
            case NEW_VIEW -> new LogRecord.NewView(ViewMessages.newView(in));
            case RECOVERY -> new LogRecord.Recovery(in.bool(), in.bool(), in.nonNegative64());
            default -> throw new MalformedException("unknown kind of record " + kind);
        };
    }

    private static LogRecord bodies(WireReader in) {
        Batch batch = Batch.read(in);
        List<Request> requests = new ArrayList<>();
        for (int i = 0; i < batch.requests().size(); i++) {
            requests.add(Request.read(in));
        }
        return new LogRecord.Bodies(batch, requests);
    }

    private static Bytes digest(WireReader in) {
        return in.raw(Hashes.LENGTH);
    }
}
