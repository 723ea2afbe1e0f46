package io.bulwark.storage.store;

import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.wire.Bytes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Edits the store of a stopped node, for fault drills: what an intruder with the disk in his hands could do. Replaced
 * records get right checksums, so that only the protocols' own hashes can notice; flipped bits do not.
 */
public final class StoreEditor implements AutoCloseable {
    private final FragmentStore store;

    private StoreEditor(FragmentStore store) {
        this.store = store;
    }

    /**
     * Opens the store of a stopped node.
     *
     * @throws StoreException if the node still runs, or its store cannot be read
     */
    public static StoreEditor open(StoreConfig config) throws IOException {
        return new StoreEditor(FragmentStore.open(config));
    }

    /** The keys of all records of a kind, in order. */
    public List<RecordKey> list(RecordKind kind) throws StoreException {
        List<RecordKey> keys = new ArrayList<>();
        store.index().forEachFrom(Bytes.of((byte) kind.ordinal()), (encoded, value) -> {
            RecordKey key = RecordKey.decode(encoded);
            return key.kind() == kind && keys.add(key);
        });
        return keys;
    }

    /** Reads a record as the node would. */
    public Loaded read(RecordKey key) {
        return store.load(key).join();
    }

    /** Writes a record with right checksums. */
    public void replace(RecordKey key, Bytes meta, Bytes fragment) throws StoreException {
        store(new Mutation.Put(key, meta, fragment));
    }

    /** Replaces a record's meta data only. */
    public void replaceMeta(RecordKey key, Bytes meta) throws StoreException {
        store(new Mutation.UpdateMeta(key, meta));
    }

    public void delete(RecordKey key) throws StoreException {
        store(new Mutation.Delete(key));
    }

    /**
     * Flips one bit of a record's fragment where it lies on the disk; no checksum is made right.
     *
     * @param bit counted from 0 in the order of the bytes
     * @throws StoreException if there is no such record or bit
     */
    public void flip(RecordKey key, long bit) throws IOException {
        IndexEntry entry = store.entry(key);
        if (entry == null || entry.place() == IndexEntry.Place.LOST || bit < 0 || bit / 8 >= entry.length()) {
            throw new StoreException("no bit " + bit + " in " + key);
        }
        int index = (int) (bit / 8);
        int mask = 1 << (bit % 8);
        if (entry.place() == IndexEntry.Place.SEGMENT) {
            store.segments().flip(entry, index, mask);
            return;
        }
        Bytes encoded = key.encoded();
        byte[] fragment = store.index().fragment(encoded);
        if (fragment == null || fragment.length <= index) {
            throw new StoreException("no bit " + bit + " in " + key);
        }
        fragment[index] ^= (byte) mask;
        try (RecordIndex.Changes changes = store.index().change()) {
            changes.putFragment(encoded, Bytes.of(fragment));
            changes.commit(true);
        }
    }

    @Override
    public void close() {
        store.close();
    }

    private void store(Mutation mutation) throws StoreException {
        Stored stored = store.store(List.of(mutation)).join();
        if (stored != Stored.DURABLE) {
            throw new StoreException(mutation.key() + " was not written: " + stored);
        }
    }
}
