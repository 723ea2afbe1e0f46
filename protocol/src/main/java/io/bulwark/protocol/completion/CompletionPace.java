package io.bulwark.protocol.completion;

/**
 * How fast a node works unasked.
 *
 * @param pollMillis how often the metadata is asked for what is new
 * @param atOnce extents looked into at the same time
 * @param extentsPerSecond at most, in learning what is referenced
 * @param retryMillis what could not be completed is tried again after so long
 */
public record CompletionPace(long pollMillis, int atOnce, int extentsPerSecond, long retryMillis) {
    public CompletionPace {
        if (pollMillis < 1 || atOnce < 1 || extentsPerSecond < 1 || retryMillis < 1) {
            throw new IllegalArgumentException("completion that never works");
        }
    }
}
