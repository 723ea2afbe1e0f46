package io.bulwark.client;

/** Receives the progress of a transfer, after each block, on a thread of the client; must be quick and must not throw. */
@FunctionalInterface
public interface ProgressListener {
    ProgressListener NONE = (doneBytes, totalBytes) -> {};

    /**
     * Reports progress.
     *
     * @param totalBytes -1 while the length is not known
     */
    void onProgress(long doneBytes, long totalBytes);
}
