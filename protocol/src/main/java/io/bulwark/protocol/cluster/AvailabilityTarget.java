package io.bulwark.protocol.cluster;

import java.util.Locale;

/**
 * Availability that is wanted of a block, where each node is up with a given probability, independently of others (e-SAFE 3.2).
 *
 * @param availability the probability with which a node answers in time
 * @param target the probability with which too few nodes may do so
 */
public record AvailabilityTarget(double availability, double target) {
    public AvailabilityTarget {
        if (!(availability > 0 && availability < 1)) {
            throw new IllegalArgumentException("an availability is between 0 and 1, not " + availability);
        }
        if (!(target > 0 && target < 0.5)) {
            throw new IllegalArgumentException("a target is a probability between 0 and 0.5, not " + target);
        }
    }

    /** The exact probability that fewer than {@code needed} of {@code nodes} are up: the binomial sum from 0 to {@code needed - 1}. */
    public double shortfall(int nodes, int needed) {
        double sum = 0;
        double term = Math.pow(1 - availability, nodes);
        for (int up = 0; up < needed && up <= nodes; up++) {
            sum += term;
            term *= (nodes - up) * availability / ((up + 1) * (1 - availability));
        }
        return Math.min(1, sum);
    }

    /** Returns whether {@code needed} of {@code nodes} are up with the probability that is wanted. */
    public boolean holds(int nodes, int needed) {
        return shortfall(nodes, needed) <= target;
    }

    /** The stretch factor n/k by the closed formula of e-SAFE 3.2, which takes the binomial distribution as normal. */
    public double stretch(int k) {
        double lambda = normalQuantile();
        double spread = lambda * lambda * availability * (1 - availability) / k;
        double root = (Math.sqrt(spread) + Math.sqrt(spread + 4 * availability)) / (2 * availability);
        return root * root;
    }

    /** Lambda of the formula: the number of standard deviations that a normal variable exceeds with the probability of the target. */
    public double normalQuantile() {
        double low = 0;
        double high = 40;
        for (int i = 0; i < 100; i++) {
            double middle = (low + high) / 2;
            if (normalTail(middle) > target) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** The upper tail of the normal distribution, by the continued fraction of Mills' ratio; by its series near zero. */
    private static double normalTail(double x) {
        double density = Math.exp(-x * x / 2) / Math.sqrt(2 * Math.PI);
        if (x < 3) {
            double term = x;
            double sum = x;
            for (int i = 3; i < 200; i += 2) {
                term *= x * x / i;
                sum += term;
            }
            return 0.5 - density * sum;
        }
        double fraction = x;
        for (int i = 100; i > 0; i--) {
            fraction = x + i / fraction;
        }
        return density / fraction;
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "availability %s of a node, target %.1e", availability, target);
    }
}
