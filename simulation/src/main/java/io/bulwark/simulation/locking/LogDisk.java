package io.bulwark.simulation.locking;

import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.locking.LogId;
import io.bulwark.protocol.locking.LogStoreRecord;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import io.bulwark.simulation.engine.SimulatedRecords;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * Store of a log server on a simulated disk: records in one row, which become durable in order. The first one tells from
 * which logs the store abstains. As in production, each record has a checksum, and a store with a bad one is as a new one.
 */
final class LogDisk {
    private static final BlockId ROW = BlockId.register(0, 0);
    private static final int CHECKSUM_BYTES = 8;

    private final List<LogStoreRecord> found = new ArrayList<>();
    private final Map<LogId, List<RecordKey>> keys = new HashMap<>();
    private final List<RecordKey> unreadable = new ArrayList<>();
    private final boolean isNew;
    private OptionalLong abstains = OptionalLong.empty();
    private long last;

    LogDisk(SimulatedRecords records) {
        isNew = records.keys().isEmpty();
        for (RecordKey key : records.keys()) {
            last = number(key);
            read(key, Objects.requireNonNull(records.get(key)));
        }
        if (!unreadable.isEmpty() || abstains.isEmpty()) {
            unreadable.clear();
            unreadable.addAll(records.keys());
            found.clear();
            keys.clear();
            abstains = OptionalLong.empty();
        }
    }

    private void read(RecordKey key, SimulatedRecords.Content content) {
        Bytes sealed = content.fragment();
        if (sealed == null
                || sealed.length() < CHECKSUM_BYTES
                || !sealed.equals(seal(sealed.slice(CHECKSUM_BYTES, sealed.length() - CHECKSUM_BYTES)))) {
            unreadable.add(key);
            return;
        }
        Bytes bytes = sealed.slice(CHECKSUM_BYTES, sealed.length() - CHECKSUM_BYTES);
        if (number(key) == 0) {
            abstains = OptionalLong.of(new WireReader(bytes).nonNegative64());
        } else {
            LogStoreRecord record = LogStoreRecord.decode(bytes);
            found.add(record);
            keys.computeIfAbsent(record.log(), log -> new ArrayList<>()).add(key);
        }
    }

    /** Returns up to which lock number the store abstains; empty if it is new or damaged, so that this is not known yet. */
    OptionalLong abstains() {
        return abstains;
    }

    /** Returns whether there was nothing. */
    boolean isNew() {
        return isNew;
    }

    /** Returns all records, those of a log in their order. */
    List<LogStoreRecord> found() {
        return List.copyOf(found);
    }

    /** Begins the store anew: it abstains from logs up to a lock number. */
    List<Mutation> begin(long abstainUpTo) {
        abstains = OptionalLong.of(abstainUpTo);
        List<Mutation> mutations = new ArrayList<>();
        unreadable.forEach(key -> mutations.add(new Mutation.Delete(key)));
        unreadable.clear();
        mutations.add(put(key(0), new WireWriter().i64(abstainUpTo).toBytes()));
        return mutations;
    }

    List<Mutation> append(LogStoreRecord record) {
        RecordKey key = key(++last);
        keys.computeIfAbsent(record.log(), log -> new ArrayList<>()).add(key);
        found.add(record);
        return List.of(put(key, record.encoded()));
    }

    List<Mutation> delete(LogId log) {
        found.removeIf(record -> record.log().equals(log));
        List<RecordKey> deleted = keys.remove(log);
        return deleted == null
                ? List.of()
                : deleted.stream().<Mutation>map(Mutation.Delete::new).toList();
    }

    private static Mutation put(RecordKey key, Bytes bytes) {
        return new Mutation.Put(key, Bytes.EMPTY, seal(bytes));
    }

    private static Bytes seal(Bytes bytes) {
        return new WireWriter()
                .raw(Hashes.sha256(bytes).slice(0, CHECKSUM_BYTES))
                .raw(bytes)
                .toBytes();
    }

    private static RecordKey key(long number) {
        return new RecordKey(
                RecordKind.SESSION, ROW, new WireWriter().i64(number).toBytes());
    }

    private static long number(RecordKey key) {
        return new WireReader(key.suffix()).nonNegative64();
    }
}
