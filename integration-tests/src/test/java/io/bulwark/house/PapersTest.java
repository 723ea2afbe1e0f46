package io.bulwark.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** docs/papers.md names every part of the five papers once, and its classes and tests exist. */
@NullMarked
class PapersTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final String PAGE = "docs/papers.md";
    private static final String CONTENTS = "/papers/contents.txt";
    private static final Pattern CODE = Pattern.compile("`([^`]*)`");
    private static final Pattern PLACE = Pattern.compile("([A-Z]\\w*)(?:\\.([a-z]\\w*))?");
    private static final Pattern NOT_YET = Pattern.compile("\\*not yet\\*");
    private static final Pattern NO = Pattern.compile("\\*no\\*(?!: \\w+)");

    /** One row of a table: parts of the paper, their meaning, and where they are implemented or why not. */
    private record Row(List<String> parts, String meaning, String where) {
        static Row parse(String line) {
            String[] cells = line.substring(1, line.length() - 1).split("\\|", -1);
            assertThat(cells).as("%s: a row has three cells: %s", PAGE, line).hasSize(3);
            return new Row(
                    Arrays.stream(cells[0].split(",")).map(String::strip).toList(), cells[1].strip(), cells[2].strip());
        }
    }

    @Test
    void everyPartOfEachPaperHasOneRow() {
        Map<String, List<String>> named = new LinkedHashMap<>();
        page().forEach((paper, rows) -> named.put(
                paper,
                rows.stream().flatMap(row -> row.parts().stream()).sorted().toList()));
        Map<String, List<String>> contents = contents();
        assertThat(named.keySet()).containsExactlyElementsOf(contents.keySet());
        contents.forEach((paper, parts) -> assertThat(named.get(paper))
                .as("parts of %s in %s", paper, PAGE)
                .containsExactlyInAnyOrderElementsOf(parts));
    }

    @Test
    void everyRowSaysWhereOrNotYetOrWhyNot() {
        List<String> silent = new ArrayList<>();
        page().forEach((paper, rows) -> rows.forEach(row -> {
            boolean answered = CODE.matcher(row.where()).find()
                    || NOT_YET.matcher(row.where()).find()
                    || row.where().contains("*no*: ");
            boolean withoutReason = NO.matcher(row.where()).find();
            if (row.meaning().isEmpty() || !answered || withoutReason) {
                silent.add(paper + ": " + row);
            }
        }));
        assertThat(silent).isEmpty();
    }

    @Test
    void everyClassAndTestThatIsNamedExists() {
        Map<String, List<Path>> sources = sources();
        List<String> missing = new ArrayList<>();
        page().forEach((paper, rows) -> rows.forEach(row -> CODE.matcher(row.where())
                .results()
                .map(code -> code.group(1))
                .filter(place -> !exists(place, sources))
                .forEach(place -> missing.add(paper + ": " + row.parts() + " names " + place))));
        assertThat(missing).isEmpty();
    }

    private static boolean exists(String place, Map<String, List<Path>> sources) {
        var matcher = PLACE.matcher(place);
        if (!matcher.matches()) {
            return false;
        }
        List<Path> files = sources.getOrDefault(matcher.group(1) + ".java", List.of());
        String method = matcher.group(2);
        return !files.isEmpty()
                && (method == null || files.stream().anyMatch(file -> read(file).contains(" void " + method + "(")));
    }

    /** The tables of the page, by the paper's heading. */
    private static Map<String, List<Row>> page() {
        Map<String, List<Row>> rows = new LinkedHashMap<>();
        List<Row> current = new ArrayList<>();
        for (String line : read(ROOT.resolve(PAGE)).lines().toList()) {
            if (line.startsWith("## ")) {
                current = new ArrayList<>();
                rows.put(line.substring(3).strip(), current);
            } else if (!rows.isEmpty() && line.startsWith("| ") && !line.startsWith("| Section, ")) {
                current.add(Row.parse(line));
            }
        }
        return rows;
    }

    private static Map<String, List<String>> contents() {
        Map<String, List<String>> parts = new LinkedHashMap<>();
        List<String> current = new ArrayList<>();
        for (String line : resource(CONTENTS).lines().toList()) {
            if (line.startsWith("[")) {
                current = new ArrayList<>();
                parts.put(line.substring(1, line.length() - 1), current);
            } else if (!line.isBlank() && !line.startsWith("#")) {
                current.add(line);
            }
        }
        return parts;
    }

    private static Map<String, List<Path>> sources() {
        Map<String, List<Path>> byName = new HashMap<>();
        try (Stream<Path> modules = Files.list(ROOT)) {
            for (Path source : modules.map(module -> module.resolve("src"))
                    .filter(Files::isDirectory)
                    .toList()) {
                try (Stream<Path> files = Files.walk(source)) {
                    files.filter(file -> file.toString().endsWith(".java"))
                            .forEach(file -> byName.computeIfAbsent(name(file), _ -> new ArrayList<>())
                                    .add(file));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return byName;
    }

    private static String name(Path file) {
        return Objects.requireNonNull(file.getFileName()).toString();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String resource(String name) {
        try (InputStream in = Objects.requireNonNull(PapersTest.class.getResourceAsStream(name))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
