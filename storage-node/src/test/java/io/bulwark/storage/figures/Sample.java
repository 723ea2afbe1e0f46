package io.bulwark.storage.figures;

import java.util.Arrays;
import java.util.Collection;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * Measured values, their median, and an interval for it by bootstrap: of so many samples drawn from the values with repetition, 95% have a
 * median within.
 *
 * @param values rising; at least one
 */
@SuppressWarnings("ArrayRecordComponent") // nobody compares samples
record Sample(double[] values) {
    private static final int DRAWS = 4_000;
    private static final double TAIL = 0.025;

    Sample {
        values = values.clone();
        Arrays.sort(values);
        if (values.length == 0) {
            throw new IllegalArgumentException("nothing was measured");
        }
    }

    static Sample of(Collection<Double> values) {
        return new Sample(values.stream().mapToDouble(Double::doubleValue).toArray());
    }

    double median() {
        return median(values);
    }

    double mean() {
        return Arrays.stream(values).average().orElseThrow();
    }

    private static double median(double[] rising) {
        int half = rising.length / 2;
        return rising.length % 2 == 1 ? rising[half] : (rising[half - 1] + rising[half]) / 2;
    }

    /** The interval as {@code [low, high]}. */
    double[] interval() {
        SplittableRandom random = new SplittableRandom(values.length);
        double[] medians = new double[DRAWS];
        double[] drawn = new double[values.length];
        for (int draw = 0; draw < DRAWS; draw++) {
            for (int i = 0; i < drawn.length; i++) {
                drawn[i] = values[random.nextInt(values.length)];
            }
            Arrays.sort(drawn);
            medians[draw] = median(drawn);
        }
        Arrays.sort(medians);
        int out = (int) (DRAWS * TAIL);
        return new double[] {medians[out], medians[DRAWS - 1 - out]};
    }

    /** Median and interval. */
    String text(String format) {
        double[] interval = interval();
        return String.format(
                Locale.ROOT, format + " (" + format + " to " + format + ")", median(), interval[0], interval[1]);
    }
}
