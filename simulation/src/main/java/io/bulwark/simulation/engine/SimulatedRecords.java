package io.bulwark.simulation.engine;

import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** A disk's durable records, in the order of their keys. Survives crashes; tests rot, swap and roll back what it holds. */
public final class SimulatedRecords {
    /** One record; no fragment means that it is damaged. */
    public record Content(Bytes meta, @Nullable Bytes fragment) {}

    private final NavigableMap<Bytes, Content> records = new TreeMap<>();
    private boolean full;

    /** Makes writes fail for want of space, or work again; deletions always work. */
    public void setFull(boolean full) {
        this.full = full;
    }

    public boolean refuses(List<Mutation> mutations) {
        return full && mutations.stream().anyMatch(mutation -> !(mutation instanceof Mutation.Delete));
    }

    public void apply(List<Mutation> mutations) {
        for (Mutation mutation : mutations) {
            Bytes key = mutation.key().encoded();
            switch (mutation) {
                case Mutation.Put put -> records.put(key, new Content(put.meta(), put.fragment()));
                case Mutation.UpdateMeta update ->
                    records.computeIfPresent(key, (_, old) -> new Content(update.meta(), old.fragment()));
                case Mutation.Delete _ -> records.remove(key);
            }
        }
    }

    public Loaded load(RecordKey key) {
        Content content = records.get(key.encoded());
        if (content == null) {
            return new Loaded.Missing(key);
        }
        Bytes fragment = content.fragment();
        return fragment == null
                ? new Loaded.Damaged(key, content.meta())
                : new Loaded.Found(key, content.meta(), fragment);
    }

    /** The meta data of the records of one kind whose blocks lie between two, at most {@code max}. */
    public Loaded.Metas scan(RecordKind kind, BlockId from, BlockId to, int max) {
        List<Loaded.Meta> metas = new ArrayList<>();
        for (var entry :
                records.tailMap(RecordKey.of(kind, from).encoded(), true).entrySet()) {
            RecordKey key = RecordKey.decode(entry.getKey());
            if (key.kind() != kind || key.block().compareTo(to) > 0 || metas.size() == max) {
                break;
            }
            metas.add(new Loaded.Meta(key, entry.getValue().meta()));
        }
        return new Loaded.Metas(kind, metas);
    }

    /** The fragment is lost, the meta data stays. */
    public void damage(RecordKey key) {
        records.computeIfPresent(key.encoded(), (_, old) -> new Content(old.meta(), null));
    }

    /** Lets something rot without a report of the disk: bits flip in a fragment, or whole records are gone. */
    public void rot(RandomGenerator random) {
        List<RecordKey> keys = keys();
        int many = keys.isEmpty() ? 0 : random.nextInt(4) == 0 ? keys.size() : 1;
        for (int i = 0; i < many; i++) {
            RecordKey key = keys.get(random.nextInt(keys.size()));
            Content content = get(key);
            Bytes fragment = content == null ? null : content.fragment();
            if (content == null || fragment == null || fragment.isEmpty() || random.nextInt(3) == 0) {
                records.remove(key.encoded());
            } else {
                byte[] flipped = fragment.toByteArray();
                flipped[random.nextInt(flipped.length)] ^= (byte) (1 << random.nextInt(8));
                put(key, new Content(content.meta(), Bytes.of(flipped)));
            }
        }
    }

    /** Lets something rot that the disk reports: fragments are lost, the meta data stays. */
    public void damage(RandomGenerator random) {
        List<RecordKey> keys = keys();
        int many = keys.isEmpty() ? 0 : random.nextInt(4) == 0 ? keys.size() : 1;
        for (int i = 0; i < many; i++) {
            damage(keys.get(random.nextInt(keys.size())));
        }
    }

    /** All that was written since the copy was made is gone. */
    public void rollBackTo(SimulatedRecords copy) {
        records.clear();
        records.putAll(copy.records);
    }

    /** Writes behind the server's back. */
    public void put(RecordKey key, Content content) {
        records.put(key.encoded(), content);
    }

    public @Nullable Content get(RecordKey key) {
        return records.get(key.encoded());
    }

    public List<RecordKey> keys() {
        return records.keySet().stream().map(RecordKey::decode).toList();
    }

    /** A copy as of now, to roll back to. */
    public SimulatedRecords copy() {
        SimulatedRecords copy = new SimulatedRecords();
        copy.records.putAll(records);
        return copy;
    }
}
