package io.bulwark.protocol.state;

import io.bulwark.protocol.wire.Bytes;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Atomic changes of a {@link PageStore}.
 *
 * @param pages by digest; one that was staged is no longer staged
 * @param staged pages by digest of a checkpoint that is not complete yet; a page that the store has already gets these
 *     bytes, but does not become staged
 * @param removed digests of pages, staged or not, that are removed
 * @param checkpoints records by number, each of which replaces an existing one
 * @param discarded numbers of the records that are removed
 * @param adopted true if, after this, no page counts as staged any longer
 * @param synced whether it must be durable when the write returns
 */
public record PageBatch(
        Map<Bytes, Bytes> pages,
        Map<Bytes, Bytes> staged,
        List<Bytes> removed,
        Map<Long, Bytes> checkpoints,
        Set<Long> discarded,
        boolean adopted,
        boolean synced) {
    public PageBatch {
        // In the order given, unlike Map.copyOf, so that a run can be repeated.
        pages = Collections.unmodifiableMap(new LinkedHashMap<>(pages));
        staged = Collections.unmodifiableMap(new LinkedHashMap<>(staged));
        removed = List.copyOf(removed);
        checkpoints = Collections.unmodifiableMap(new TreeMap<>(checkpoints));
        discarded = Collections.unmodifiableSet(new TreeSet<>(discarded));
    }

    /** Right bytes in the place of damaged ones. */
    static PageBatch repaired(Map<Bytes, Bytes> pages) {
        return new PageBatch(pages, Map.of(), List.of(), Map.of(), Set.of(), false, true);
    }

    /** Pages that arrived for a checkpoint that is not complete. */
    static PageBatch staged(Map<Bytes, Bytes> repaired, Map<Bytes, Bytes> staged) {
        return new PageBatch(repaired, staged, List.of(), Map.of(), Set.of(), false, false);
    }
}
