package io.bulwark.protocol.fp;

import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.Outbox;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.function.Predicate;

/**
 * Index of the versions that each client has staged at this node, over all blocks. It serves the bound S per client,
 * which must hold across restarts, and the search for leftovers of a closed session. Versions staged by REPAIR stand
 * under its tag, so that the end of a revocation can wait for them. One small record per staged version, written and
 * deleted together with it.
 */
final class StagedIndex {
    private static final long GONE = -1;

    /** A staged version. */
    record Entry(BlockId block, Version version) implements Comparable<Entry> {
        private static final Comparator<Entry> ORDER =
                Comparator.comparing(Entry::block).thenComparing(Entry::version);

        @Override
        public int compareTo(Entry other) {
            return ORDER.compare(this, other);
        }
    }

    private final Outbox out;
    private final Predicate<BlockId> mine;
    private final int clientsMax;
    private final LinkedHashMap<PrincipalId, Map<Entry, Long>> staged = new LinkedHashMap<>(16, 0.75f, true);
    private final OutstandingRepairs repairs = new OutstandingRepairs();
    private final Map<PrincipalId, List<LongConsumer>> loading = new HashMap<>();
    /**
     * Changes while a load was in flight, which may or may not have seen them: the session of an added entry, {@link
     * #GONE} for a removed one.
     */
    private final Map<PrincipalId, Map<Entry, Long>> meanwhile = new HashMap<>();

    /**
     * @param mine whether a block is this server's; another shard bounds and clears the others
     */
    StagedIndex(Outbox out, Predicate<BlockId> mine, int clientsMax) {
        this.out = out;
        this.mine = mine;
        this.clientsMax = clientsMax;
    }

    boolean ready(PrincipalId client) {
        return staged.containsKey(client);
    }

    void load(PrincipalId client, LongConsumer then) {
        List<LongConsumer> waiting = loading.get(client);
        if (waiting != null) {
            waiting.add(then);
            return;
        }
        loading.put(client, new ArrayList<>(List.of(then)));
        meanwhile.put(client, new HashMap<>());
        out.loadMetas(RecordKind.REGISTER, indexOf(client), (now, records) -> loaded(now, client, records));
    }

    private void loaded(long nowMillis, PrincipalId client, List<Loaded.Meta> records) {
        Map<Entry, Long> entries = new HashMap<>();
        for (Loaded.Meta record : records) {
            try {
                Entry entry = decode(record.key().suffix());
                WireReader meta = new WireReader(record.meta());
                long session = meta.nonNegative64();
                meta.end();
                if (mine.test(entry.block())) {
                    entries.put(entry, session);
                }
            } catch (MalformedException e) {
                // Not one of ours: nothing is charged for it.
            }
        }
        Objects.requireNonNull(meanwhile.remove(client)).forEach((entry, session) -> {
            if (session == GONE) {
                entries.remove(entry);
            } else {
                entries.put(entry, session);
            }
        });
        staged.put(client, entries);
        if (client.equals(PrepareTag.REPAIR)) {
            entries.keySet().forEach(repairs::add);
        }
        List<LongConsumer> waiting = loading.remove(client);
        if (waiting != null) {
            waiting.forEach(then -> then.accept(nowMillis));
        }
        // That of repairs stays beside those of the clients, as a repair that is under way counts on it: get() makes it
        // the one used last.
        int ofRepairs = staged.get(PrepareTag.REPAIR) == null ? 0 : 1;
        while (staged.size() > clientsMax + ofRepairs) {
            staged.remove(staged.firstEntry().getKey());
        }
    }

    /** Returns the number of versions that the client has staged under each of its sessions. */
    Map<FpAccess.SessionKey, Integer> countBySession(PrincipalId client) {
        Map<FpAccess.SessionKey, Integer> counts = new HashMap<>();
        staged.getOrDefault(client, Map.of())
                .forEach((entry, session) -> counts.merge(
                        new FpAccess.SessionKey(entry.block().volume(), client, session), 1, Integer::sum));
        return counts;
    }

    /** Returns the versions that the client has staged under one session, or under any if it is negative. */
    List<Entry> of(PrincipalId client, long session) {
        Map<Entry, Long> entries = staged.getOrDefault(client, Map.of());
        return entries.entrySet().stream()
                .filter(entry -> session < 0 || entry.getValue() == session)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Sessions under which the client has staged something; none if its index is not here. */
    Set<FpAccess.SessionKey> sessionsOf(PrincipalId client) {
        return Set.copyOf(countBySession(client).keySet());
    }

    Mutation put(PrincipalId client, long session, Entry entry) {
        return new Mutation.Put(
                key(client, entry), new WireWriter(8).i64(session).toBytes(), Bytes.EMPTY);
    }

    Mutation delete(PrincipalId client, Entry entry) {
        return new Mutation.Delete(key(client, entry));
    }

    /** Charged from the moment that the store is begun. */
    void onAdded(PrincipalId client, long session, Entry entry) {
        Map<Entry, Long> entries = staged.get(client);
        if (entries != null) {
            entries.put(entry, session);
            if (client.equals(PrepareTag.REPAIR)) {
                repairs.add(entry);
            }
        }
        meanwhile.computeIfPresent(client, (ignored, changes) -> with(changes, entry, session));
    }

    private static Map<Entry, Long> with(Map<Entry, Long> changes, Entry entry, long session) {
        changes.put(entry, session);
        return changes;
    }

    /** Returns the versions on the account of repairs, once that is ready. */
    OutstandingRepairs repairs() {
        return repairs;
    }

    /**
     * Records that a version on the account of repairs is no longer staged. The entry stays, as this node alone may
     * have the version that overwrote it.
     *
     * @param taken the epoch in which this node took its slot, as in {@link VersionRecord}
     */
    Mutation overwrite(Entry entry, long taken) {
        onAdded(PrepareTag.REPAIR, taken, entry);
        return put(PrepareTag.REPAIR, taken, entry);
    }

    /** Returns the versions overwritten so, as far as the account of repairs is loaded. */
    List<Entry> overwritten() {
        Map<Entry, Long> entries = staged.getOrDefault(PrepareTag.REPAIR, Map.of());
        return entries.entrySet().stream()
                .filter(entry -> entry.getValue() > 0)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** The epoch in which the node took its slot that had what was overwritten so; 0 of anything else. */
    long overwrittenIn(Entry entry) {
        return staged.getOrDefault(PrepareTag.REPAIR, Map.of()).getOrDefault(entry, 0L);
    }

    void onRemoved(PrincipalId client, Entry entry) {
        Map<Entry, Long> entries = staged.get(client);
        if (entries != null) {
            entries.remove(entry);
        }
        if (client.equals(PrepareTag.REPAIR)) {
            repairs.remove(entry);
        }
        meanwhile.computeIfPresent(client, (ignored, changes) -> with(changes, entry, GONE));
    }

    /**
     * Removes an entry that is no longer staged, also from the disk, since otherwise each restart finds it again. Such
     * an entry comes from a store that was reported as failed and has not. Runs in turn with the block's stores.
     */
    void clear(FpRegister register, PrincipalId client, Entry entry) {
        register.store(List.of(delete(client, entry)), null, ignored -> onRemoved(client, entry), ignored -> {});
    }

    /** Corrects the charge from the block's state, after a store that failed or may have failed. */
    void recheck(long nowMillis, FpRegister register, PrincipalId client, Version version) {
        register.enqueue(nowMillis, ignored -> {
            Entry entry = new Entry(register.block(), version);
            VersionRecord record = register.versions().byName(version);
            boolean charged = record != null && record.isChargedTo(client);
            // A queued task may have overwritten it first.
            boolean overwritten = client.equals(PrepareTag.REPAIR) && overwrittenIn(entry) > 0;
            if (!charged && !overwritten) {
                onRemoved(client, entry);
            }
        });
    }

    /** The index of a client stands under an id that no block has. */
    private static BlockId indexOf(PrincipalId client) {
        return new BlockId(0, client, 0, 0);
    }

    private static RecordKey key(PrincipalId client, Entry entry) {
        WireWriter suffix = new WireWriter(RecordKey.SUFFIX_BYTES_MAX);
        suffix.i32(entry.block().volume()).i64(entry.block().counter());
        entry.version().write(suffix);
        return new RecordKey(RecordKind.REGISTER, indexOf(client), suffix.toBytes());
    }

    private static Entry decode(Bytes suffix) {
        WireReader in = new WireReader(suffix);
        Entry entry = new Entry(BlockId.register(in.i32(0, Integer.MAX_VALUE), in.nonNegative64()), Version.read(in));
        in.end();
        return entry;
    }
}
