package io.bulwark.protocol.pasis;

/**
 * Counters of one server for one volume since its start; the first two are current values.
 *
 * @param possibleVersions versions that are neither verified nor collected
 * @param poolBytes the space that their fragments take in the history pool
 * @param verifications done by this node, by reading at the others
 * @param onDemand those of them that a bound, a read or a write waited for
 * @param cooperative versions verified by the word of b + 1 others
 * @param avoided versions collected without ever having been verified, as a later one was
 * @param poisonous versions discarded
 * @param refused writes refused at a bound
 */
public record PasisCounters(
        long possibleVersions,
        long poolBytes,
        long verifications,
        long onDemand,
        long cooperative,
        long avoided,
        long poisonous,
        long refused) {
    public static final PasisCounters ZERO = new PasisCounters(0, 0, 0, 0, 0, 0, 0, 0);

    public PasisCounters plus(PasisCounters other) {
        return new PasisCounters(
                possibleVersions + other.possibleVersions,
                poolBytes + other.poolBytes,
                verifications + other.verifications,
                onDemand + other.onDemand,
                cooperative + other.cooperative,
                avoided + other.avoided,
                poisonous + other.poisonous,
                refused + other.refused);
    }
}
