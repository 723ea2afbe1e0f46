package io.bulwark.appliance.adapt;

import io.bulwark.appliance.adapt.Adaptation.Point;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Plot of n, b and latency over time, as SVG. The latency has a logarithmic axis. */
public final class AdaptationPlot {
    private static final int WIDTH = 720;
    private static final int LEFT = 60;
    private static final int RIGHT = 20;
    private static final int LANE = 120;
    private static final int GAP = 30;
    private static final int TOP = 40;
    private static final String N = "#0b6e99";
    private static final String B = "#c0392b";
    private static final String P50 = "#27864b";
    private static final String P99 = "#b7791f";
    /** Factor between two marks of the axis of latencies. */
    private static final double DECADE = 10;

    private final Adaptation course;
    private final double seconds;
    private final StringBuilder out = new StringBuilder();

    /** Part of the plot with a vertical axis of its own, linear or logarithmic. */
    private record Lane(int top, double least, double most, boolean isLogarithmic) {
        double y(double value) {
            double share = isLogarithmic
                    ? Math.log(Math.max(value, least) / least) / Math.log(most / least)
                    : (value - least) / (most - least);
            return top + LANE * (1 - Math.clamp(share, 0, 1));
        }
    }

    private AdaptationPlot(Adaptation course) {
        this.course = course;
        this.seconds =
                course.points().stream().mapToDouble(Point::seconds).max().orElse(1);
    }

    /** Returns the picture. */
    public static String svg(Adaptation course) {
        return new AdaptationPlot(course).draw();
    }

    private String draw() {
        int height = TOP + 3 * (LANE + GAP) + 20;
        add(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\""
                        + " font-size=\"12\">",
                WIDTH, height);
        add("<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>", WIDTH, height);
        text(LEFT, 20, "start", "n, b and latency while nodes lie, are slow and die under load");
        int least = course.points().stream().mapToInt(Point::nodes).min().orElse(0) - 1;
        int most = course.points().stream().mapToInt(Point::nodes).max().orElse(1) + 1;
        Lane nodes = new Lane(TOP, least, most, false);
        Lane faults = new Lane(TOP + LANE + GAP, 0, 3, false);
        Lane latency = new Lane(TOP + 2 * (LANE + GAP), 1, 10_000, true);
        for (Adaptation.Fault fault : course.faults()) {
            mark(fault.given(), height, "node-" + fault.node() + " " + fault.kind());
            mark(fault.removed(), height, "");
        }
        axis(nodes, "n", List.of(least + 1.0, (double) most - 1));
        axis(faults, "b", List.of(1.0, 2.0));
        axis(latency, "ms", List.of(1.0, DECADE, DECADE * DECADE, DECADE * DECADE * DECADE));
        steps(nodes, Point::nodes, N);
        steps(faults, Point::faults, B);
        line(latency, Point::p99Millis, P99);
        line(latency, Point::p50Millis, P50);
        text(WIDTH - RIGHT, latency.top() + 14, "end", "p50 green, p99 brown");
        for (int second = 0; second <= seconds; second += 30) {
            text((int) x(second), height - 6, "middle", second + " s");
        }
        return out.append("</svg>\n").toString();
    }

    private double x(double second) {
        return LEFT + (WIDTH - LEFT - RIGHT) * second / seconds;
    }

    private void axis(Lane lane, String name, List<Double> values) {
        text(10, lane.top() + LANE / 2, "start", name);
        for (double value : values) {
            double y = lane.y(value);
            add("<path d=\"M%d %.1fH%d\" stroke=\"#dddddd\"/>", LEFT, y, WIDTH - RIGHT);
            text(LEFT - 6, (int) y + 4, "end", String.format(Locale.ROOT, "%.0f", value));
        }
    }

    private void mark(double second, int height, String name) {
        add("<path d=\"M%.1f %dV%d\" stroke=\"#999999\" stroke-dasharray=\"3 3\"/>", x(second), TOP - 8, height - 20);
        if (!name.isEmpty()) {
            text((int) x(second) + 3, TOP - 4, "start", name);
        }
    }

    private void steps(Lane lane, ToDoubleFunction<Point> value, String colour) {
        StringBuilder path = new StringBuilder();
        for (Point point : course.points()) {
            double x = x(point.seconds());
            double y = lane.y(value.applyAsDouble(point));
            path.append(String.format(Locale.ROOT, path.isEmpty() ? "M%.1f %.1f" : "H%.1fV%.1f", x, y));
        }
        add("<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>", path, colour);
    }

    private void line(Lane lane, ToDoubleFunction<Point> value, String colour) {
        StringBuilder path = new StringBuilder();
        for (Point point : course.points()) {
            double millis = value.applyAsDouble(point);
            if (millis >= 0) {
                path.append(String.format(
                        Locale.ROOT, path.isEmpty() ? "M%.1f %.1f" : "L%.1f %.1f", x(point.seconds()), lane.y(millis)));
            }
        }
        add("<path d=\"%s\" fill=\"none\" stroke=\"%s\"/>", path, colour);
    }

    private void text(int x, int y, String anchor, String text) {
        add("<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">%s</text>", x, y, anchor, text);
    }

    @SuppressWarnings("AnnotateFormatMethod")
    private void add(String format, Object... values) {
        out.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}
