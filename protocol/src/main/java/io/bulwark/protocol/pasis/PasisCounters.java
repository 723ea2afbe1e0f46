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
 * @param fragmentsSent answers to clients' reads with a fragment
 * @param hashesSent answers to clients' reads with the hash alone
 */
public record PasisCounters(
        long possibleVersions,
        long poolBytes,
        long verifications,
        long onDemand,
        long cooperative,
        long avoided,
        long poisonous,
        long refused,
        long fragmentsSent,
        long hashesSent) {
    public static final PasisCounters ZERO = new PasisCounters(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    static PasisCounters ofAnswer(boolean withFragment) {
        return new PasisCounters(0, 0, 0, 0, 0, 0, 0, 0, withFragment ? 1 : 0, withFragment ? 0 : 1);
    }

    public PasisCounters plus(PasisCounters other) {
        return new PasisCounters(
                possibleVersions + other.possibleVersions,
                poolBytes + other.poolBytes,
                verifications + other.verifications,
                onDemand + other.onDemand,
                cooperative + other.cooperative,
                avoided + other.avoided,
                poisonous + other.poisonous,
                refused + other.refused,
                fragmentsSent + other.fragmentsSent,
                hashesSent + other.hashesSent);
    }
}
