package io.bulwark.protocol.state;

import io.bulwark.protocol.wire.Bytes;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Consumer;

/**
 * Where a {@link StateTree} keeps its pages, by digest, and the records of its checkpoints. What it gives back is
 * checked by whoever reads it: a store that rots gives wrong bytes or none, and no harm is done.
 *
 * <p>One thread writes; others may read at the same time.
 */
public interface PageStore {
    /** The page with this digest, unchecked; none if it is not there or cannot be read. */
    Optional<Bytes> get(Bytes digest);

    /**
     * Applies a batch, all of it or nothing, after those before it. If it is {@link PageBatch#synced}, it and all before
     * it are durable when this returns.
     */
    void write(PageBatch batch);

    /** The records of the checkpoints, by number. */
    SortedMap<Long, Bytes> checkpoints();

    /** The digests of the pages that were staged and belong to no checkpoint yet. */
    Set<Bytes> staged();

    /** Shows the digests of all pages, staged or not, in any order. */
    void forEach(Consumer<Bytes> visitor);
}
