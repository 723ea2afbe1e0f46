package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.NullMarked;

/** Answer of an admin endpoint to Prometheus. */
@NullMarked
record Scrape(List<Sample> samples, List<Family> families) {
    private static final Pattern HELP = Pattern.compile("# HELP (\\S+) (.*)");
    private static final Pattern TYPE = Pattern.compile("# TYPE (\\S+) (\\S+)");

    private static final Pattern SAMPLE = Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(.*)})? (\\S+)");
    private static final Pattern LABEL = Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"(?:[^\"\\\\]|\\\\.)*\"");

    /** Samples of one name. */
    record Family(String name, String type, String description) {
        static List<Family> of(List<String> lines) {
            Map<String, String> descriptions = new HashMap<>();
            List<Family> families = new ArrayList<>();
            for (String line : lines) {
                Matcher help = HELP.matcher(line);
                Matcher type = TYPE.matcher(line);
                if (help.matches()) {
                    descriptions.put(help.group(1), help.group(2));
                } else if (type.matches()) {
                    families.add(
                            new Family(type.group(1), type.group(2), descriptions.getOrDefault(type.group(1), "")));
                }
            }
            return families;
        }
    }

    /** One line: a metric, the names of its labels, and what it is. */
    record Sample(String name, Set<String> labels, double value) {
        static Sample of(String line) {
            Matcher sample = SAMPLE.matcher(line);
            assertThat(sample.matches()).as(line).isTrue();
            Set<String> labels = new HashSet<>();
            Matcher label = LABEL.matcher(sample.group(2) == null ? "" : sample.group(2));
            while (label.find()) {
                labels.add(label.group(1));
            }
            return new Sample(
                    sample.group(1), labels, Double.parseDouble(sample.group(3).replace("Inf", "Infinity")));
        }
    }

    static Scrape of(HttpClient http, InetSocketAddress admin) throws IOException, InterruptedException {
        URI meters = URI.create("http://127.0.0.1:" + admin.getPort() + "/actuator/prometheus");
        HttpResponse<String> scraped =
                http.send(HttpRequest.newBuilder(meters).build(), HttpResponse.BodyHandlers.ofString());
        assertThat(scraped.statusCode()).isEqualTo(200);
        List<Sample> samples = new ArrayList<>();
        scraped.body().lines().filter(line -> !line.startsWith("#")).forEach(line -> samples.add(Sample.of(line)));
        return new Scrape(samples, Family.of(scraped.body().lines().toList()));
    }

    /** Over all labels; what is not there has not happened. */
    double sum(String name) {
        return samples.stream()
                .filter(sample -> sample.name.equals(name))
                .mapToDouble(Sample::value)
                .sum();
    }
}
