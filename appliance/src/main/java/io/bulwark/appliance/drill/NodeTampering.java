package io.bulwark.appliance.drill;

import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.storage.store.StoreConfig;
import io.bulwark.storage.store.StoreEditor;
import io.bulwark.transport.file.Directories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/** Edits the data of one stopped node. */
public final class NodeTampering {
    private static final List<RecordKind> FRAGMENTS =
            List.of(RecordKind.EXTENT, RecordKind.REGISTER_VERSION, RecordKind.PASIS_VERSION);

    private final Path nodeDirectory;
    private final Path savedDirectory;
    private final StoreConfig store;
    private final RandomGenerator random;

    /**
     * Prepares the tampering with one node.
     *
     * @param nodeDirectory all of its data
     * @param savedDirectory where {@link #save} keeps a copy
     */
    public NodeTampering(Path nodeDirectory, Path savedDirectory, StoreConfig store, RandomGenerator random) {
        this.nodeDirectory = nodeDirectory;
        this.savedDirectory = savedDirectory;
        this.store = store;
        this.random = random;
    }

    /**
     * Does it.
     *
     * @return how many fragments are wrong now; for {@link Lie#STALE} -1, as nobody counted
     */
    public long apply(Lie lie) throws IOException {
        if (lie == Lie.STALE) {
            restore();
            return -1;
        }
        try (StoreEditor editor = StoreEditor.open(store)) {
            long changed = 0;
            for (RecordKind kind : FRAGMENTS) {
                List<RecordKey> keys = editor.list(kind);
                changed += lie == Lie.SWAP ? swap(editor, keys) : each(editor, keys, lie);
            }
            return changed;
        }
    }

    /** Keeps a copy of the node's whole data directory, for {@link Lie#STALE}. */
    public void save() throws IOException {
        Directories.delete(savedDirectory);
        Directories.copy(nodeDirectory, savedDirectory);
    }

    private void restore() throws IOException {
        if (!Files.isDirectory(savedDirectory)) {
            throw new IOException("there is no earlier state of this node; save one with `bulwark node save N`");
        }
        Directories.delete(nodeDirectory);
        Directories.copy(savedDirectory, nodeDirectory);
    }

    private long each(StoreEditor editor, List<RecordKey> keys, Lie lie) throws IOException {
        long changed = 0;
        for (RecordKey key : keys) {
            if (!(editor.read(key) instanceof Loaded.Found found)
                    || found.fragment().isEmpty()) {
                continue;
            }
            switch (lie) {
                case DROP -> editor.delete(key);
                case FLIP -> editor.flip(key, random.nextLong(found.fragment().length() * 8L));
                case GARBLE ->
                    editor.replace(key, found.meta(), noise(found.fragment().length()));
                case SWAP, STALE -> throw new IllegalArgumentException(lie.name());
            }
            changed++;
        }
        return changed;
    }

    /**
     * Among fragments of one length each gets the next one's bytes, so that all are valid fragments of other blocks, which no length
     * gives away; so do those among them that are the only ones of their length.
     */
    private static long swap(StoreEditor editor, List<RecordKey> keys) throws IOException {
        Map<Integer, List<RecordKey>> byLength = new HashMap<>();
        for (RecordKey key : keys) {
            if (editor.read(key) instanceof Loaded.Found found
                    && !found.fragment().isEmpty()) {
                byLength.computeIfAbsent(found.fragment().length(), length -> new ArrayList<>())
                        .add(key);
            }
        }
        long changed = 0;
        List<RecordKey> alone = new ArrayList<>();
        for (List<RecordKey> ring : byLength.values()) {
            if (ring.size() == 1) {
                alone.addAll(ring);
            } else {
                changed += rotate(editor, ring);
            }
        }
        return changed + rotate(editor, alone);
    }

    private static long rotate(StoreEditor editor, List<RecordKey> ring) throws IOException {
        if (ring.size() < 2 || !(editor.read(ring.getFirst()) instanceof Loaded.Found first)) {
            return 0;
        }
        long changed = 0;
        for (int i = 0; i < ring.size(); i++) {
            Bytes next = first.fragment();
            if (i + 1 < ring.size() && editor.read(ring.get(i + 1)) instanceof Loaded.Found following) {
                next = following.fragment();
            }
            if (editor.read(ring.get(i)) instanceof Loaded.Found own
                    && !own.fragment().equals(next)) {
                editor.replace(ring.get(i), own.meta(), next);
                changed++;
            }
        }
        return changed;
    }

    private Bytes noise(int length) {
        byte[] noise = new byte[length];
        random.nextBytes(noise);
        return Bytes.of(noise);
    }
}
