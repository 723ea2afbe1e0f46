package io.bulwark.appliance.transfer;

import java.io.IOException;
import java.util.List;

/** A transfer of a tree between two places. It is planned once, and then run. */
public sealed interface Transfer permits TreeUpload, TreeDownload, BucketCopy {
    /**
     * Compares both sides.
     *
     * @throws IOException if the source or the target cannot be read at all
     */
    TransferPlan plan() throws IOException, InterruptedException;

    /**
     * Moves what the plan says, in parallel. At the end it deletes what is gone if it is asked to, unless a file could not be moved: that
     * file may be the new name of a missing one.
     *
     * @throws IOException if the target cannot be written at all
     */
    Result run(TransferPlan plan, boolean deleteGone, TransferListener listener)
            throws IOException, InterruptedException;

    /**
     * Result of a transfer.
     *
     * @param failures messages that name the file
     * @param notes messages about files that were moved
     */
    record Result(long files, long bytes, long deleted, List<String> failures, List<String> notes) {
        public Result {
            failures = List.copyOf(failures);
            notes = List.copyOf(notes);
        }
    }
}
