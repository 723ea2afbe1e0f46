package io.bulwark.client.text;

import java.util.Formatter;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

/**
 * A chart of lines as SVG.
 *
 * @param title over it
 * @param x under the horizontal axis
 * @param y over the vertical axis, which begins at 0
 */
public record Chart(String title, String x, String y, List<Line> lines) {
    private static final int WIDTH = 640;
    private static final int HEIGHT = 380;
    private static final int LEFT = 60;
    private static final int RIGHT = 150;
    private static final int TOP = 60;
    private static final int BOTTOM = 50;
    private static final int STEPS = 5;
    private static final List<String> COLOURS =
            List.of("#0b6e99", "#c0392b", "#27864b", "#8e5bb5", "#b7791f", "#444444");

    /** One line with its points from left to right. */
    public record Line(String name, List<Point> points) {
        public Line {
            points = List.copyOf(points);
        }
    }

    /** One point of a line. */
    public record Point(double x, double y) {}

    public Chart {
        lines = List.copyOf(lines);
        if (lines.stream().allMatch(line -> line.points.isEmpty())) {
            throw new IllegalArgumentException("a chart without points");
        }
    }

    /** Returns the picture. */
    public String svg() {
        double most = Math.max(1e-9, all(Point::y).max().orElse(1));
        double step = niceStep(most);
        double top = step * Math.ceil(most / step - 1e-9);
        StringBuilder out = new StringBuilder();
        add(
                out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\""
                        + " font-size=\"12\">",
                WIDTH,
                HEIGHT);
        add(out, "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>", WIDTH, HEIGHT);
        add(
                out,
                "<text x=\"%d\" y=\"22\" text-anchor=\"middle\" font-size=\"15\">%s</text>",
                (LEFT + WIDTH - RIGHT) / 2,
                escaped(title));
        text(out, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 12, "middle", x);
        text(out, 10, TOP - 14, "start", y);
        for (int i = 0; i * step <= top * 1.0001; i++) {
            double at = yOf(i * step, top);
            add(
                    out,
                    "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#dddddd\"/>",
                    LEFT,
                    at,
                    WIDTH - RIGHT,
                    at);
            text(out, LEFT - 6, at + 4, "end", number(i * step));
        }
        all(Point::x).distinct().forEach(tick -> text(out, xOf(tick), HEIGHT - BOTTOM + 18, "middle", number(tick)));
        for (int i = 0; i < lines.size(); i++) {
            draw(out, lines.get(i), COLOURS.get(i % COLOURS.size()), TOP + 20 * i, top);
        }
        add(out, "</svg>");
        return out.toString();
    }

    private void draw(StringBuilder out, Line line, String colour, int legend, double top) {
        StringBuilder path = new StringBuilder();
        for (Point point : line.points) {
            double atX = xOf(point.x);
            double atY = yOf(point.y, top);
            path.append(String.format(Locale.ROOT, "%s%.1f %.1f", path.isEmpty() ? "M" : " L", atX, atY));
            add(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>", atX, atY, colour);
        }
        add(out, "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>", path, colour);
        add(out, "<rect x=\"%d\" y=\"%d\" width=\"14\" height=\"4\" fill=\"%s\"/>", WIDTH - RIGHT + 12, legend, colour);
        text(out, WIDTH - RIGHT + 32, legend + 6, "start", line.name);
    }

    private DoubleStream all(ToDoubleFunction<Point> value) {
        return lines.stream().flatMap(line -> line.points.stream()).mapToDouble(value);
    }

    private double xOf(double value) {
        double min = all(Point::x).min().orElse(0);
        double max = Math.max(all(Point::x).max().orElse(0), min + 1e-9);
        return LEFT + 15 + (value - min) / (max - min) * (WIDTH - LEFT - RIGHT - 30);
    }

    private static double yOf(double value, double top) {
        return HEIGHT - BOTTOM - value / top * (HEIGHT - TOP - BOTTOM);
    }

    private static double niceStep(double max) {
        double raw = max / STEPS;
        double power = Math.pow(10, Math.floor(Math.log10(raw)));
        double digit = raw / power;
        return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
    }

    private static void text(StringBuilder out, double atX, double atY, String anchor, String text) {
        add(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>", atX, atY, anchor, escaped(text));
    }

    @SuppressWarnings("AnnotateFormatMethod")
    private static void add(StringBuilder out, String format, Object... values) {
        new Formatter(out, Locale.ROOT).format(format, values);
        out.append('\n');
    }

    private static String number(double value) {
        String exact = String.format(Locale.ROOT, "%.2f", value);
        return exact.replaceFirst("\\.?0+$", "");
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
