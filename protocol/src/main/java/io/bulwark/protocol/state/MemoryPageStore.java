package io.bulwark.protocol.state;

import io.bulwark.protocol.wire.Bytes;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** Pages in memory: the disk of simulated replicas. */
public final class MemoryPageStore implements PageStore {
    private final Map<Bytes, Bytes> pages = new HashMap<>();
    private final SortedMap<Long, Bytes> checkpoints = new TreeMap<>();
    private final Set<Bytes> staged = new HashSet<>();

    @Override
    public Optional<Bytes> get(Bytes digest) {
        return Optional.ofNullable(pages.get(digest));
    }

    @Override
    public void write(PageBatch batch) {
        batch.staged().forEach((digest, page) -> {
            if (pages.put(digest, page) == null) {
                staged.add(digest);
            }
        });
        pages.putAll(batch.pages());
        staged.removeAll(batch.pages().keySet());
        batch.removed().forEach(digest -> {
            pages.remove(digest);
            staged.remove(digest);
        });
        checkpoints.putAll(batch.checkpoints());
        checkpoints.keySet().removeAll(batch.discarded());
        if (batch.adopted()) {
            staged.clear();
        }
    }

    @Override
    public SortedMap<Long, Bytes> checkpoints() {
        return Collections.unmodifiableSortedMap(checkpoints);
    }

    @Override
    public Set<Bytes> staged() {
        return Collections.unmodifiableSet(staged);
    }

    @Override
    public List<Bytes> digests(Bytes above, int limit) {
        return pages.keySet().stream()
                .filter(digest -> digest.compareTo(above) > 0)
                .sorted()
                .limit(limit)
                .toList();
    }

    /** Puts other bytes, or none, in the place of a page, as a disk that rots does. */
    public void rot(Bytes digest, Optional<Bytes> page) {
        page.ifPresentOrElse(bytes -> pages.put(digest, bytes), () -> pages.remove(digest));
    }
}
