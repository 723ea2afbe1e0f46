package io.bulwark.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** The pages stay short, and their links lead to pages and headings that exist, those in the sources, too. */
@NullMarked
class PagesTest {
    /** Bound on the words of all pages but the reference; code and bars of tables do not count. */
    private static final int WORDS_MAX = 40_000;

    private static final int LINE_MAX = 120;
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
    private static final Pattern NAMED = Pattern.compile("docs/[A-Za-z0-9/_-]+\\.md(#[a-z0-9-]+)?");
    private static final Pattern CODE = Pattern.compile("^ *```.*?^ *```", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern LINKED_TEXT = Pattern.compile("\\[([^]]*)]\\([^)]*\\)");
    private static final Pattern WORD = Pattern.compile("\\S*[\\p{L}\\p{N}]\\S*");
    private static final Set<String> SOURCES = Set.of("java", "yaml", "yml", "sh", "xml", "html");

    @Test
    void linksLeadToPagesAndHeadings() throws IOException {
        List<String> broken = new ArrayList<>();
        for (Path page : pages()) {
            Matcher link = LINK.matcher(read(page));
            while (link.find()) {
                String target = link.group(1);
                if (!target.startsWith("http") && !exists(Objects.requireNonNull(page.getParent()), page, target)) {
                    broken.add(ROOT.relativize(page) + " -> " + target);
                }
            }
        }
        assertThat(broken).isEmpty();
    }

    @Test
    void pagesThatSourcesNameExist() throws IOException {
        Set<String> missing = new TreeSet<>();
        try (Stream<Path> modules = Files.list(ROOT)) {
            for (Path module : modules.filter(Files::isDirectory).toList()) {
                for (Path source : sources(module)) {
                    Matcher named = NAMED.matcher(read(source));
                    while (named.find()) {
                        if (!exists(ROOT, source, named.group())) {
                            missing.add(ROOT.relativize(source) + " -> " + named.group());
                        }
                    }
                }
            }
        }
        assertThat(missing).isEmpty();
    }

    @Test
    void linesAndPagesAreShort() throws IOException {
        List<String> wide = new ArrayList<>();
        long words = 0;
        for (Path page : pages()) {
            String text = CODE.matcher(read(page)).replaceAll("");
            if (!page.startsWith(ROOT.resolve("docs/reference"))) {
                words += WORD.matcher(text).results().count();
                text.lines()
                        .filter(line -> line.length() > LINE_MAX && !line.startsWith("|") && !line.contains("](http"))
                        .forEach(line -> wide.add(ROOT.relativize(page) + ": " + line));
            }
        }
        assertThat(wide).isEmpty();
        assertThat(words).as("words of all pages but the reference").isLessThanOrEqualTo(WORDS_MAX);
    }

    private static boolean exists(Path from, Path page, String target) {
        int mark = target.indexOf('#');
        String path = mark < 0 ? target : target.substring(0, mark);
        Path file = path.isEmpty() ? page : from.resolve(path).normalize();
        return Files.exists(file)
                && (mark < 0
                        || !file.toString().endsWith(".md")
                        || headings(file).contains(target.substring(mark + 1)));
    }

    /** The anchors that GitHub makes of the headings. */
    private static Set<String> headings(Path page) {
        Map<String, Integer> seen = new HashMap<>();
        return CODE.matcher(read(page))
                .replaceAll("")
                .lines()
                .filter(line -> line.startsWith("#"))
                .map(line -> LINKED_TEXT.matcher(line.replaceFirst("#+ ", "")).replaceAll("$1"))
                .map(title -> title.strip()
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N}_ -]", "")
                        .replace(' ', '-'))
                .map(anchor -> {
                    int before = seen.merge(anchor, 1, Integer::sum) - 1;
                    return before == 0 ? anchor : anchor + "-" + before;
                })
                .collect(Collectors.toSet());
    }

    private static List<Path> pages() throws IOException {
        List<Path> found = new ArrayList<>();
        try (Stream<Path> top = Files.list(ROOT);
                Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            Stream.concat(top, docs)
                    .filter(file -> file.toString().endsWith(".md"))
                    .forEach(found::add);
        }
        assertThat(found).isNotEmpty();
        return found;
    }

    private static List<Path> sources(Path module) throws IOException {
        List<Path> found = new ArrayList<>();
        for (Path place : Set.of(module.resolve("src"), module)) {
            if (Files.isDirectory(place)) {
                try (Stream<Path> files = Files.walk(place, place.equals(module) ? 1 : Integer.MAX_VALUE)) {
                    files.filter(Files::isRegularFile)
                            .filter(file -> SOURCES.contains(extension(file)))
                            .forEach(found::add);
                }
            }
        }
        return found;
    }

    private static String extension(Path file) {
        String name = file.toString();
        return name.substring(name.lastIndexOf('.') + 1);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(file.toString(), e);
        }
    }
}
