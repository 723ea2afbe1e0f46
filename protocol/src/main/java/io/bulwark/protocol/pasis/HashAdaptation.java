package io.bulwark.protocol.pasis;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Adaptation of the number of nodes that send the block while the others send its hash, by hill climbing on the latency
 * of reads (Agile Store paper, 3.3.3). Each {@link #TRIAL_EVERY}-th read tries a neighbouring number. The neighbour is
 * chosen once it is faster; fewer copies are also chosen if they are as fast, since they cost fewer bytes.
 */
final class HashAdaptation {
    static final int TRIAL_EVERY = 16;

    private static final int SAMPLES_MIN = 8;
    private static final double WEIGHT = 1.0 / 8;
    /** More copies must save so much of the latency. */
    private static final double GAIN_MIN = 0.05;

    private static final class Latency {
        private int samples;
        private double nanos;

        void add(long value) {
            nanos = samples == 0 ? value : nanos + WEIGHT * (value - nanos);
            samples++;
        }
    }

    private final Map<Integer, Latency> latencies = new HashMap<>();
    private int copies = 1;
    private int plans;
    private boolean more;

    int copies() {
        return copies;
    }

    /** Returns the number of copies for the next read. */
    int next(int max) {
        if (++plans % TRIAL_EVERY != 0) {
            return Math.min(copies, max);
        }
        more = !more;
        return Math.clamp(more ? copies + 1 : copies - 1, 0, max);
    }

    void finished(int planned, long nanos) {
        latency(planned).add(nanos);
        Latency chosen = latency(copies);
        Latency other = latency(planned);
        if (planned == copies || chosen.samples < SAMPLES_MIN || other.samples < SAMPLES_MIN) {
            return;
        }
        double limit = planned > copies ? chosen.nanos * (1 - GAIN_MIN) : chosen.nanos;
        if (other.nanos < limit) {
            copies = planned;
            // Conditions have changed since the others were tried.
            latencies.keySet().retainAll(Set.of(planned));
        }
    }

    private Latency latency(int number) {
        return latencies.computeIfAbsent(number, ignored -> new Latency());
    }
}
