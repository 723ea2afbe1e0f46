package io.bulwark.storage.figures;

import io.bulwark.client.text.Chart.Line;
import io.bulwark.client.text.Chart.Point;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.ToDoubleFunction;

/**
 * Cells of a figure, which are measured in turn, round by round: a change of the machine's load meets all of them.
 * Ratios are taken within a round.
 */
final class Cells {
    private final Map<Key, Measurement> measurements = new LinkedHashMap<>();
    private final Map<Key, List<Value>> measured = new LinkedHashMap<>();

    private record Key(double x, String line) {}

    /**
     * Value of a cell in one round.
     *
     * @param secondRounds the share of reads that needed a second round
     */
    record Value(double value, double secondRounds) {}

    /** Measures one cell once. */
    interface Measurement {
        Value measure() throws InterruptedException, ExecutionException;
    }

    void add(double x, String line, Measurement measurement) {
        Key key = new Key(x, line);
        measurements.put(key, measurement);
        measured.put(key, new ArrayList<>());
    }

    /** Measures all cells so many times, after a quarter as many rounds that do not count, for the compiler. */
    void run(int rounds) throws InterruptedException, ExecutionException {
        int warm = Math.max(1, rounds / 4);
        List<Key> turn = new ArrayList<>(measurements.keySet());
        for (int round = 0; round < warm + rounds; round++) {
            Collections.rotate(turn, 1);
            for (Key key : turn) {
                Value value = of(measurements, key).measure();
                if (round >= warm) {
                    of(measured, key).add(value);
                }
            }
        }
    }

    Sample sample(double x, String line) {
        return new Sample(of(measured, new Key(x, line)).stream()
                .mapToDouble(Value::value)
                .toArray());
    }

    double secondRounds(double x, String line) {
        return of(measured, new Key(x, line)).stream()
                .mapToDouble(Value::secondRounds)
                .average()
                .orElse(0);
    }

    /** Returns the ratio of one cell to another, round by round. */
    Sample ratio(double x, String line, double toX, String toLine) {
        List<Value> over = of(measured, new Key(x, line));
        List<Value> under = of(measured, new Key(toX, toLine));
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round < over.size(); round++) {
            ratios.add(over.get(round).value / under.get(round).value);
        }
        return Sample.of(ratios);
    }

    /** Returns a line with one number for each of its cells, in the order of x. */
    Line line(String line, ToDoubleFunction<Sample> number) {
        return new Line(
                line,
                measured.keySet().stream()
                        .filter(key -> key.line.equals(line))
                        .map(key -> new Point(key.x, number.applyAsDouble(sample(key.x, line))))
                        .toList());
    }

    /** Returns all lines of medians. */
    List<Line> lines() {
        return measured.keySet().stream()
                .map(Key::line)
                .distinct()
                .map(line -> line(line, Sample::median))
                .toList();
    }

    private static <T> T of(Map<Key, T> map, Key key) {
        T found = map.get(key);
        if (found == null) {
            throw new IllegalStateException(key + " was not measured");
        }
        return found;
    }
}
