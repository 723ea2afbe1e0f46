package io.bulwark.storage.background;

/**
 * What scrubbers have done since the node started.
 *
 * @param looked fragments re-read and checked, and blocks that peers were asked about
 * @param foundBad of these damaged, missing or behind
 * @param repaired of these made good
 */
public record ScrubCounts(long looked, long foundBad, long repaired) {
    static final ScrubCounts NONE = new ScrubCounts(0, 0, 0);

    ScrubCounts plus(ScrubCounts other) {
        return new ScrubCounts(looked + other.looked, foundBad + other.foundBad, repaired + other.repaired);
    }
}
