package io.bulwark.protocol.pasis;

import io.bulwark.protocol.pasis.ReadTuning.Optimism;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/**
 * Plans the first rounds of the reads of one volume, and learns from their course (Agile Store paper, 3.3.2 and 3.3.3).
 * Nothing that it believes matters for what a read returns.
 */
public final class ReadPlanner {
    private final ReadTuning tuning;
    private final RandomGenerator random;
    private final DeltaAdaptation adapted = new DeltaAdaptation();
    private final HashAdaptation hashing = new HashAdaptation();
    private int lastDelta;
    private double lastHashProbability;
    private long reads;
    private long secondRounds;
    private long fetches;
    private long asked;
    private long bytes;

    /** @param random draws the nodes that are asked, and how many send the block */
    public ReadPlanner(ReadTuning tuning, RandomGenerator random) {
        this.tuning = tuning;
        this.random = random;
    }

    /**
     * Counts of the reads so far, and the present choice.
     *
     * @param secondRounds reads for which the first answers were not enough
     * @param fetches reads that asked for a fragment after the first round
     * @param asked nodes that all reads together asked
     * @param bytes all bytes of fragments that nodes sent
     */
    public record Statistics(
            long reads, long secondRounds, long fetches, long asked, long bytes, int delta, double hashProbability) {
        /** Returns the counts since an earlier time. */
        public Statistics since(Statistics earlier) {
            return new Statistics(
                    reads - earlier.reads,
                    secondRounds - earlier.secondRounds,
                    fetches - earlier.fetches,
                    asked - earlier.asked,
                    bytes - earlier.bytes,
                    delta,
                    hashProbability);
        }
    }

    /**
     * Returns the plan of the next read.
     *
     * @param doubted slots that seem to be slow or bad: they are asked last, or only counted for an estimate
     */
    public ReadPlan plan(PasisGroup group, Set<Integer> doubted) {
        int delta = Math.min(delta(group, doubted.size()), group.quorum() - group.fewestAsked());
        int first = group.fewestAsked() + delta;
        int fragments = group.holdsCopies() ? copies(first) : group.m();
        lastDelta = delta;
        lastHashProbability = 1 - (double) fragments / first;
        return new ReadPlan(order(group, doubted), delta, fragments);
    }

    private int delta(PasisGroup group, int suspected) {
        return switch (tuning.optimism()) {
            case FULL -> group.n();
            case BLIND -> 0;
            case ESTIMATED -> group.expectedFaults(suspected);
            case ADAPTED -> adapted.delta();
        };
    }

    /**
     * Returns how many of the nodes asked send the block. On average it is the share 1 - p_h of them. A draw at each node
     * would vary more: with p_h to the power of their number none would send it.
     */
    private int copies(int first) {
        if (tuning.hashProbability().isEmpty()) {
            return hashing.next(first);
        }
        double expected = (1 - tuning.hashProbability().getAsDouble()) * first;
        int least = (int) Math.floor(expected);
        return least + (random.nextDouble() < expected - least ? 1 : 0);
    }

    /**
     * Draws the nodes, so that the load is even on those that are asked. Of fragments the data fragments need no decoding.
     * An estimate counts faulty nodes without saying which they are: it is for nodes drawn from all (3.3.2).
     */
    private List<Integer> order(PasisGroup group, Set<Integer> doubted) {
        List<Integer> order =
                new ArrayList<>(IntStream.range(0, group.n()).boxed().toList());
        if (group.holdsCopies()) {
            Collections.shuffle(order, random);
        }
        if (tuning.optimism() != Optimism.ESTIMATED) {
            order.sort(Comparator.comparing(doubted::contains));
        }
        return Collections.unmodifiableList(order);
    }

    public void finished(PasisGroup group, ReadReport report, long nanos) {
        reads++;
        secondRounds += report.secondRound() ? 1 : 0;
        fetches += report.fetched() ? 1 : 0;
        asked += report.asked();
        bytes += report.bytes();
        // Reads that were planned before the last change tell nothing about it.
        if (report.delta() == adapted.delta()) {
            adapted.finished(report.secondRound(), group.quorum() - group.fewestAsked());
        }
        if (!report.secondRound()) {
            hashing.finished(report.planned(), nanos);
        }
    }

    public Statistics statistics() {
        return new Statistics(reads, secondRounds, fetches, asked, bytes, lastDelta, lastHashProbability);
    }
}
