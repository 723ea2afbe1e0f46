package io.bulwark.simulation.fault;

/**
 * Behaviour of a node towards its peers.
 *
 * @param silent share of requests that it does not answer in time
 * @param stale share of answers that lack what all holders have had for a window
 * @param wrong share of answers with wrong bytes
 * @param frames whether it reports that each correct node answers nothing, and praises the faulty ones
 */
public record WatchedNode(double silent, double stale, double wrong, boolean frames) {
    /** Returns a correct node. */
    public static WatchedNode correct(double silent, double stale) {
        return new WatchedNode(silent, stale, 0, false);
    }

    /** Returns a faulty one. */
    public static WatchedNode faulty(double silent, double stale, double wrong) {
        return new WatchedNode(silent, stale, wrong, true);
    }

    boolean isFaulty() {
        return frames || wrong > 0;
    }
}
