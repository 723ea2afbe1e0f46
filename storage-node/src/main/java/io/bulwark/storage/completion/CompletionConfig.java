package io.bulwark.storage.completion;

import io.bulwark.protocol.completion.CompletionPace;

/**
 * Configuration of a node's background work.
 *
 * @param pace its pace
 * @param renewMillis interval at which the node renews its session with the metadata, which moves the agreed time
 * @param peersMillis time after which a comparison goes on without peers that do not answer
 */
public record CompletionConfig(CompletionPace pace, long renewMillis, long peersMillis) {
    public CompletionConfig {
        if (renewMillis < 1 || peersMillis < 1) {
            throw new IllegalArgumentException(
                    "a session renewed every " + renewMillis + " ms, peers awaited for " + peersMillis + " ms");
        }
    }

    /**
     * Polls each second, at rest every 5, 16 extents at once, at most 500 per second, tries again after 5 s, renews after 30 s, and
     * waits 2 s for peers.
     */
    public static CompletionConfig standard() {
        return new CompletionConfig(new CompletionPace(1_000, 16, 500, 5_000, 5_000), 30_000, 2_000);
    }
}
