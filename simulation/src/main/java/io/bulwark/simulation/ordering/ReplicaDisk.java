package io.bulwark.simulation.ordering;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.ordering.driver.LogRecord;
import io.bulwark.protocol.ordering.driver.LogRecordCodec;
import io.bulwark.protocol.ordering.membership.HandoverProof;
import io.bulwark.protocol.ordering.membership.MembershipMessage.Successor;
import io.bulwark.protocol.ordering.membership.OperatorAuthorizations;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import io.bulwark.simulation.engine.SimulatedRecords;
import java.util.ArrayList;
import java.util.List;

/**
 * A replica's log as records of a simulated disk. Each append is one store: a crash keeps any prefix of the pending
 * ones, as in a log whose tail was not synced. An empty store signals that a write of pages is durable; it waits for
 * nothing else.
 */
final class ReplicaDisk {
    private static final RecordKind KIND = RecordKind.REGISTER;
    private static final BlockId LOG = BlockId.register(1, 1);
    private static final BlockId STATE = BlockId.register(1, 2);
    private static final BlockId PROOFS = BlockId.register(1, 3);
    private static final int LATER_LOGS = 3;
    private static final int RECORDS_MAX = 1 << 16;

    /** Purpose of a store, encoded in its token. */
    enum Kind {
        LOG,
        CHECKPOINT,
        FETCHED,
        PROOF,
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
    private final BlockId log;
    private long next;
    private final long firstOfLife;

    /** @param configuration whose log this is: each has its own */
    ReplicaDisk(SimulatedRecords records, long configuration) {
        this.records = records;
        log = logOf(configuration);
        long last = -1;
        for (RecordKey key : keys(log)) {
            last = Math.max(last, number(key));
        }
        next = last + 1;
        firstOfLife = next;
    }

    private static BlockId logOf(long configuration) {
        return configuration == 0 ? LOG : BlockId.register(1, LATER_LOGS + configuration);
    }

    private List<RecordKey> keys(BlockId block) {
        return keys(records, block);
    }

    private static List<RecordKey> keys(SimulatedRecords records, BlockId block) {
        return records.keys().stream().filter(key -> key.block().equals(block)).toList();
    }

    /** Returns the ends of the configurations that this replica was in, or has heard of. */
    static List<Successor> successors(SimulatedRecords records) {
        List<Successor> successors = new ArrayList<>();
        for (RecordKey key : keys(records, PROOFS)) {
            WireReader in = new WireReader(content(records, key));
            successors.add(new Successor(HandoverProof.read(in), in.bytes(OperatorAuthorizations.BYTES_MAX)));
        }
        return successors;
    }

    /** The number of the configuration that this replica is in, also where the disk of one that is faulty gives the proofs no more. */
    static long configuration(SimulatedRecords records) {
        return keys(records, PROOFS).size();
    }

    /** Returns whether any promise was made in the configuration that this replica is in. */
    static boolean hasLog(SimulatedRecords records) {
        return !keys(records, logOf(configuration(records))).isEmpty();
    }

    /** A proof, after which the log of the configuration that has ended is of no use. */
    static Effect.Store keep(SimulatedRecords records, Successor said) {
        HandoverProof proof = said.proof();
        WireWriter out = new WireWriter();
        proof.write(out);
        out.bytes(said.authorization());
        List<Mutation> mutations = new ArrayList<>(List.of(put(PROOFS, proof.number(), out.toBytes())));
        keys(records, logOf(proof.number())).forEach(key -> mutations.add(new Mutation.Delete(key)));
        return new Effect.Store(Kind.PROOF.token(proof.number()), mutations);
    }

    /** The log from the last summary on, which was stored as a whole or not at all. */
    List<LogRecord> read() {
        List<LogRecord> found = new ArrayList<>();
        for (RecordKey key : keys(log)) {
            WireReader in = new WireReader(content(records, key));
            if (in.bool()) {
                found.clear();
            }
            for (int left = in.i32(0, RECORDS_MAX); left > 0; left--) {
                found.add(LogRecordCodec.read(in.bytes(1 << 24)));
            }
            in.end();
        }
        return found;
    }

    private static Bytes content(SimulatedRecords records, RecordKey key) {
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
        return new Effect.Store(Kind.LOG.token(index), List.of(put(log, next++, out.toBytes())));
    }

    /** Segments before a durable summary go. */
    Effect cutBefore(long summaryIndex) {
        long keepFrom = firstOfLife + summaryIndex - 1;
        List<Mutation> deletes = new ArrayList<>();
        for (RecordKey key : keys(log)) {
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

    /** All that was promised is lost; which configuration it was in is kept elsewhere. */
    static void forget(SimulatedRecords records) {
        wipe(
                records,
                records.keys().stream()
                        .filter(key -> !key.block().equals(PROOFS))
                        .toList());
    }

    /** All is lost. */
    static void wipe(SimulatedRecords records) {
        wipe(records, List.copyOf(records.keys()));
    }

    private static void wipe(SimulatedRecords records, List<RecordKey> keys) {
        List<Mutation> deletes = new ArrayList<>();
        keys.forEach(key -> deletes.add(new Mutation.Delete(key)));
        records.apply(deletes);
    }

    int logRecords() {
        return keys(log).size();
    }

    private static Mutation put(BlockId block, long number, Bytes content) {
        Bytes suffix = new WireWriter(8).i64(number).toBytes();
        return new Mutation.Put(new RecordKey(KIND, block, suffix), Bytes.EMPTY, content);
    }

    private static long number(RecordKey key) {
        return new WireReader(key.suffix()).i64();
    }
}
