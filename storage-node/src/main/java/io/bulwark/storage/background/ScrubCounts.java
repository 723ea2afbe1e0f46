package io.bulwark.storage.background;

/**
 * Results of the scrubbers since the node started.
 *
 * @param looked fragments re-read and checked, and blocks that peers were asked about
 * @param foundBad of these, the corrupt, missing or outdated ones
 * @param repaired of these, the repaired ones
 */
public record ScrubCounts(long looked, long foundBad, long repaired) {
    static final ScrubCounts NONE = new ScrubCounts(0, 0, 0);

    ScrubCounts plus(ScrubCounts other) {
        return new ScrubCounts(looked + other.looked, foundBad + other.foundBad, repaired + other.repaired);
    }
}
