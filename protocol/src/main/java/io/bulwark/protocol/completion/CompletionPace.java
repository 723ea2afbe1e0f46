package io.bulwark.protocol.completion;

/**
 * Rate of a node's background work.
 *
 * @param pollMillis interval at which the node asks the metadata for changes
 * @param atOnce number of extents examined at the same time
 * @param extentsPerSecond maximum rate while the node learns which extents are referenced
 * @param retryMillis time after which an extent that could not be completed is tried again
 */
public record CompletionPace(long pollMillis, int atOnce, int extentsPerSecond, long retryMillis) {
    public CompletionPace {
        if (pollMillis < 1 || atOnce < 1 || extentsPerSecond < 1 || retryMillis < 1) {
            throw new IllegalArgumentException("completion that never works");
        }
    }
}
