package io.bulwark.storage.figures;

import io.bulwark.client.text.Chart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Output of the figures' benchmarks: tables on the standard output, and charts as files. */
final class FigureOutput {
    private static final Path CHARTS = Path.of(System.getProperty("bulwark.figures.charts", "target/figures"));

    private FigureOutput() {}

    static void draw(String name, Chart chart) throws IOException {
        Path file = Files.createDirectories(CHARTS).resolve(name + ".svg");
        Files.writeString(file, chart.svg());
        say("%nwritten: %s", file);
    }

    @SuppressWarnings("AnnotateFormatMethod")
    static void say(String format, Object... values) {
        System.out.printf(Locale.ROOT, format, values);
        System.out.println();
    }
}
