package io.bulwark.storage.completion;

import java.nio.file.Path;

/**
 * How fast a node works unasked.
 *
 * @param cursors the file that remembers how far it has come
 * @param pollMillis how often the metadata is asked for what is new
 * @param requestsAtOnce extents looked into at the same time
 * @param extentsPerSecond at most, in learning what is referenced
 * @param scrubPerSecond at most so many fragments are re-read and checked; 0 for no scrubbing
 * @param retryMillis what could not be completed is tried again after so long
 * @param renewMillis how often the node renews its session with the metadata, which moves the agreed time
 */
public record CompletionConfig(
        Path cursors,
        long pollMillis,
        int requestsAtOnce,
        int extentsPerSecond,
        int scrubPerSecond,
        long retryMillis,
        long renewMillis) {
    public CompletionConfig {
        boolean works = pollMillis > 0 && requestsAtOnce > 0 && extentsPerSecond > 0 && scrubPerSecond >= 0;
        if (!works || retryMillis < 1 || renewMillis < 1) {
            throw new IllegalArgumentException("completion that never works");
        }
    }

    /** Polls each second, 16 extents at once, at most 500 per second, 20 scrubbed, tries again after 5 s, renews after 30 s. */
    public static CompletionConfig standard(Path cursors) {
        return new CompletionConfig(cursors, 1_000, 16, 500, 20, 5_000, 30_000);
    }
}
