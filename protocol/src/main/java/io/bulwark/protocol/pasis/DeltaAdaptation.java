package io.bulwark.protocol.pasis;

/**
 * Adaptation of delta to a target share of reads that end in the first round (Agile Store paper, 3.3.2). It rises once
 * too many reads of a window needed a second round. After calm windows it falls by one as a trial; a trial that fails
 * doubles the number of calm windows before the next one.
 */
final class DeltaAdaptation {
    /** Reads of a window. */
    static final int WINDOW = 32;

    /** Second rounds of a window that the target of 90% allows. */
    static final int MISSES_MAX = 3;

    private static final int PATIENCE_MAX = 64;

    private int delta;
    private int reads;
    private int misses;
    private int calm;
    private int patience = 1;
    private boolean trial;

    int delta() {
        return delta;
    }

    /** @param max the greatest delta that asks one more node */
    void finished(boolean secondRound, int max) {
        reads++;
        misses += secondRound ? 1 : 0;
        if (misses > MISSES_MAX) {
            patience = trial ? Math.min(2 * patience, PATIENCE_MAX) : patience;
            delta = Math.min(delta + 1, max);
            restart(false);
            calm = 0;
        } else if (reads == WINDOW) {
            patience = trial ? 1 : patience;
            calm++;
            boolean falls = delta > 0 && calm >= patience;
            delta -= falls ? 1 : 0;
            calm = falls ? 0 : calm;
            restart(falls);
        }
    }

    private void restart(boolean asTrial) {
        reads = 0;
        misses = 0;
        trial = asTrial;
    }
}
