package io.bulwark.simulation.ordering;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.ordering.replica.LogRecord;
import io.bulwark.protocol.ordering.replica.LogRecordCodec;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import io.bulwark.simulation.engine.SimulatedRecords;
import java.util.ArrayList;
import java.util.List;

/**
 * A replica's log as records of a simulated disk. Each append is one store: a crash keeps any first part of those under way,
 * which is what a log has whose tail was not synced. When a write of pages is durable an empty store says; it waits for
 * nothing else.
 */
final class ReplicaDisk {
    private static final RecordKind KIND = RecordKind.REGISTER;
    private static final BlockId LOG = BlockId.register(1, 1);
    private static final BlockId STATE = BlockId.register(1, 2);
    private static final int RECORDS_MAX = 1 << 16;

    /** What a store was for: its token. */
    enum Kind {
        LOG,
        CHECKPOINT,
        FETCHED,
        NOTHING;

        long token(long number) {
            return number * values().length + ordinal();
        }

        static Kind of(long token) {
            return values()[(int) (token % values().length)];
        }

        static long number(long token) {
            return token / values().length;
        }
    }

    private final SimulatedRecords records;
    private long next;
    private final long firstOfLife;

    ReplicaDisk(SimulatedRecords records) {
        this.records = records;
        long last = -1;
        for (RecordKey key : keys(LOG)) {
            last = Math.max(last, number(key));
        }
        next = last + 1;
        firstOfLife = next;
    }

    private List<RecordKey> keys(BlockId block) {
        return records.keys().stream().filter(key -> key.block().equals(block)).toList();
    }

    /** The log from the last summary on, which was stored as a whole or not at all. */
    List<LogRecord> read() {
        List<LogRecord> log = new ArrayList<>();
        for (RecordKey key : keys(LOG)) {
            WireReader in = new WireReader(content(key));
            if (in.bool()) {
                log.clear();
            }
            for (int left = in.i32(0, RECORDS_MAX); left > 0; left--) {
                log.add(LogRecordCodec.read(in.bytes(1 << 24)));
            }
            in.end();
        }
        return log;
    }

    private Bytes content(RecordKey key) {
        SimulatedRecords.Content content = records.get(key);
        Bytes bytes = content == null ? null : content.fragment();
        if (bytes == null) {
            throw new IllegalStateException("damaged: " + key);
        }
        return bytes;
    }

    Effect append(long index, LogRecord record) {
        return store(index, false, List.of(record));
    }

    Effect roll(long index, List<LogRecord> summary) {
        return store(index, true, summary);
    }

    private Effect store(long index, boolean isSummary, List<LogRecord> group) {
        WireWriter out = new WireWriter().bool(isSummary).i32(group.size());
        for (LogRecord record : group) {
            WireWriter one = new WireWriter();
            LogRecordCodec.write(record, one);
            out.bytes(one.toBytes());
        }
        return new Effect.Store(Kind.LOG.token(index), List.of(put(LOG, next++, out.toBytes())));
    }

    /** Segments before a durable summary go. */
    Effect cutBefore(long summaryIndex) {
        long keepFrom = firstOfLife + summaryIndex - 1;
        List<Mutation> deletes = new ArrayList<>();
        for (RecordKey key : keys(LOG)) {
            if (number(key) < keepFrom) {
                deletes.add(new Mutation.Delete(key));
            }
        }
        return new Effect.Store(Kind.NOTHING.token(0), deletes);
    }

    /** Pages: the token comes back when they would be on disk. */
    Effect pages(Kind kind, long number) {
        return new Effect.Store(kind.token(number), List.of(put(STATE, 0, Bytes.EMPTY)));
    }

    /** All that was promised is lost. */
    static void forget(SimulatedRecords records) {
        List<Mutation> deletes = new ArrayList<>();
        records.keys().forEach(key -> deletes.add(new Mutation.Delete(key)));
        records.apply(deletes);
    }

    int logRecords() {
        return keys(LOG).size();
    }

    private static Mutation put(BlockId block, long number, Bytes content) {
        Bytes suffix = new WireWriter(8).i64(number).toBytes();
        return new Mutation.Put(new RecordKey(KIND, block, suffix), Bytes.EMPTY, content);
    }

    private static long number(RecordKey key) {
        return new WireReader(key.suffix()).i64();
    }
}
