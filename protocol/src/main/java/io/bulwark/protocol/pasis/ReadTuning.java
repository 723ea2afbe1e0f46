package io.bulwark.protocol.pasis;

import java.util.OptionalDouble;

/**
 * Choice of the first round of reads. No choice is unsafe.
 *
 * @param optimism the choice of delta (Agile Store paper, 3.3.2)
 * @param hashProbability p_h, with which a node answers with the hash under masking quorums (3.3.3); empty if it is
 *     adapted to the latency of reads
 */
public record ReadTuning(Optimism optimism, OptionalDouble hashProbability) {
    /** Choice of delta, the number of nodes asked at first beyond 2b + 1. */
    public enum Optimism {
        /** All that can be waited for are asked, as if there were no optimism. */
        FULL,
        /** Delta is 0. */
        BLIND,
        /** Delta is the number of faults that is expected among nodes drawn from all, doubted ones too. */
        ESTIMATED,
        /** Delta rises and falls until nine of ten reads end in the first round. */
        ADAPTED
    }

    public ReadTuning {
        double p = hashProbability.orElse(0);
        if (!(p >= 0 && p <= 1)) {
            throw new IllegalArgumentException("a probability of " + p);
        }
    }

    /** Returns the choice that adapts both. */
    public static ReadTuning adapted() {
        return new ReadTuning(Optimism.ADAPTED, OptionalDouble.empty());
    }
}
