package io.bulwark.appliance.transfer;

import io.bulwark.client.ObjectInfo;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Plan of a transfer: what differs between a source and a target.
 *
 * @param gone paths of the target that the source certainly has no more
 * @param kept number of paths of the target that the source may have, by the place in the source that was not read, ""
 *     for its top
 * @param findings about what is not moved
 */
public record TransferPlan(
        List<Change> changed, long unchanged, List<String> gone, SortedMap<String, Long> kept, Findings findings) {
    public TransferPlan {
        changed = List.copyOf(changed);
        gone = List.copyOf(gone);
        kept = Collections.unmodifiableSortedMap(new TreeMap<>(kept));
    }

    /**
     * A file to move.
     *
     * @param path relative to both sides
     * @param there whether the target has another file of this name
     * @param attributesOnly whether the contents are the same
     * @param object the source, if that is a bucket; else the object that a file replaces
     */
    public record Change(
            String path,
            long bytes,
            boolean there,
            boolean attributesOnly,
            @Nullable ObjectInfo object) {}

    /**
     * Paths of the source that no change stands for.
     *
     * @param skipped paths that are no files, with the reason
     * @param failures paths that could not be read, or cannot be written, with the cause
     * @param emptyDirectories directories without entries, for which no object can stand
     */
    public record Findings(List<String> skipped, List<String> failures, long emptyDirectories) {
        public static final Findings NONE = new Findings(List.of(), List.of(), 0);

        public Findings {
            skipped = List.copyOf(skipped);
            failures = List.copyOf(failures);
        }
    }

    public long bytes() {
        return changed.stream()
                .filter(change -> !change.attributesOnly())
                .mapToLong(Change::bytes)
                .sum();
    }

    /** Returns whether the source is empty although the target is not, for example because a file system is not mounted. */
    public boolean isEmptied() {
        return changed.isEmpty() && unchanged == 0 && !gone.isEmpty();
    }

    /** The same, of which only the first files are to be moved. */
    public TransferPlan beginning(int files) {
        return new TransferPlan(changed.subList(0, Math.min(files, changed.size())), 0, List.of(), kept, findings);
    }
}
