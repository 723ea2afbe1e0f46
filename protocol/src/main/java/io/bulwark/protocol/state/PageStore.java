package io.bulwark.protocol.state;

import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Consumer;

/**
 * Store for the pages of a {@link StateTree}, by digest, and for the records of its checkpoints. The reader checks
 * everything that it returns: a corrupt store gives wrong bytes or none, and does no harm.
 *
 * <p>One thread writes; others may read at the same time.
 */
public interface PageStore {
    /** Number of digests listed in one step: a step may have to read this many pages. */
    int DIGESTS_AT_ONCE = 256;

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

    /**
     * The next digests of pages, staged or not, in order. Those whose pages cannot be read are among them.
     *
     * @param above those above this; {@link Bytes#EMPTY} for the first ones
     * @param limit so many at most; fewer only at the end
     */
    List<Bytes> digests(Bytes above, int limit);

    /** Shows the digests of all pages, in order. */
    default void forEach(Consumer<Bytes> visitor) {
        List<Bytes> some = digests(Bytes.EMPTY, DIGESTS_AT_ONCE);
        while (!some.isEmpty()) {
            some.forEach(visitor);
            some = digests(some.getLast(), DIGESTS_AT_ONCE);
        }
    }
}
