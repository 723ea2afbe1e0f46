package io.bulwark.house;

import static org.assertj.core.api.Assertions.assertThat;

import com.palantir.javaformat.java.Formatter;
import com.palantir.javaformat.java.FormatterException;
import com.palantir.javaformat.java.ImportOrderer;
import com.palantir.javaformat.java.JavaFormatterOptions;
import com.palantir.javaformat.java.RemoveUnusedImports;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The house stays tidy: sizes, names, formatting, one package-info per package. There is no list of exceptions. */
@NullMarked
class TidyTest {
    private static final int FILE_LINES_MAX = 800;
    private static final int METHOD_LINES_MAX = 70;
    private static final Set<String> BANNED_PACKAGES =
            Set.of("util", "utils", "common", "impl", "service", "model", "helper", "helpers");
    private static final Pattern BANNED_CLASSES = Pattern.compile(".*(Manager|Helper|Util|Utils|Impl|Base)");

    /** Strings that the formatter may wrap or indent: it formats sources with them a second time. */
    private static final Pattern HAS_LONG_STRINGS = Pattern.compile("\"\"\"|^(?=.*\").{121,}$", Pattern.MULTILINE);

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    /** A project of its own. */
    private static final Path CONSUMER = ROOT.resolve("integration-tests/sdk-consumer");

    @Test
    void filesAndMethodsAreShortAndNamesSayWhatThingsAre() {
        List<String> violations = new ArrayList<>();
        for (Path file : sources()) {
            String source = read(file);
            // The compiler makes nothing of an empty file, and Maven would compile its module, and all that need it,
            // anew.
            assertThat(source).as(file.toString()).isNotBlank();
            long lines = source.lines().count();
            if (lines > FILE_LINES_MAX) {
                violations.add(ROOT.relativize(file) + " has " + lines + " lines");
            }
            for (Path part : ROOT.relativize(file)) {
                if (BANNED_PACKAGES.contains(part.toString())) {
                    violations.add(ROOT.relativize(file) + ": package " + part);
                }
            }
        }
        violations.addAll(scan((unit, positions) -> new TreePathScanner<@Nullable Object, List<String>>() {
            @Override
            public @Nullable Object visitMethod(MethodTree method, List<String> found) {
                LineMap lines = unit.getLineMap();
                long first = positions.getStartPosition(unit, method);
                long last = positions.getEndPosition(unit, method);
                long count = first < 0 || last < 0 ? 0 : lines.getLineNumber(last) - lines.getLineNumber(first) + 1;
                if (count > METHOD_LINES_MAX) {
                    found.add(name(unit) + ": " + method.getName() + " has " + count + " lines");
                }
                return super.visitMethod(method, found);
            }

            @Override
            public @Nullable Object visitClass(ClassTree type, List<String> found) {
                if (BANNED_CLASSES.matcher(type.getSimpleName()).matches()) {
                    found.add(name(unit) + ": " + type.getSimpleName());
                }
                return super.visitClass(type, found);
            }
        }));
        assertThat(violations).isEmpty();
    }

    @Test
    void everyPackageSaysWhatItIs() {
        Set<String> silent = new TreeSet<>();
        for (Path file : sources()) {
            if (!file.toString().contains("/src/main/java/")) {
                continue;
            }
            Path info = file.resolveSibling("package-info.java");
            if (!Files.exists(info)
                    || !read(info).contains("@NullMarked")
                    || !read(info).contains("/**")) {
                silent.add(ROOT.relativize(info).toString());
            }
        }
        assertThat(silent).isEmpty();
    }

    /** With {@code -Dformat.write=true} the files are rewritten instead. */
    @Test
    void everyFileIsFormatted() {
        Formatter formatter = Formatter.createFormatter(JavaFormatterOptions.builder()
                .style(JavaFormatterOptions.Style.PALANTIR)
                .build());
        boolean write = Boolean.getBoolean("format.write");
        List<String> unformatted = sources().parallelStream()
                .filter(file -> !isFormatted(formatter, file, write))
                .map(file -> ROOT.relativize(file).toString())
                .toList();
        assertThat(unformatted).as("run again with -Dformat.write=true").isEmpty();
    }

    /** @param write rewrites the file, so that it is */
    private static boolean isFormatted(Formatter formatter, Path file, boolean write) {
        try {
            String source = read(file);
            if (!HAS_LONG_STRINGS.matcher(source).find()
                    && formattedOnce(formatter, source).equals(source)) {
                return true;
            }
            String formatted = formatter.formatSourceAndFixImports(source);
            if (write && !formatted.equals(source)) {
                Files.writeString(file, formatted);
            }
            return write || formatted.equals(source);
        } catch (FormatterException | IOException e) {
            throw new IllegalStateException(file.toString(), e);
        }
    }

    /** Returns a source without long strings as the formatter has it, in half its time. */
    private static String formattedOnce(Formatter formatter, String source) throws FormatterException {
        String ordered = ImportOrderer.reorderImports(source, JavaFormatterOptions.Style.PALANTIR);
        return formatter.formatSource(RemoveUnusedImports.removeUnusedImports(ordered));
    }

    private interface Rule {
        TreePathScanner<@Nullable Object, List<String>> scanner(CompilationUnitTree unit, SourcePositions positions);
    }

    private static List<String> scan(Rule rule) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<String> violations = new ArrayList<>();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            JavacTask task = (JavacTask)
                    compiler.getTask(null, files, null, List.of(), null, files.getJavaFileObjectsFromPaths(sources()));
            SourcePositions positions = Trees.instance(task).getSourcePositions();
            for (CompilationUnitTree unit : task.parse()) {
                rule.scanner(unit, positions).scan(unit, violations);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return violations;
    }

    private static String name(CompilationUnitTree unit) {
        return ROOT.relativize(Path.of(unit.getSourceFile().toUri())).toString();
    }

    private static List<Path> sources() {
        try (Stream<Path> modules = Files.list(ROOT)) {
            List<Path> found = new ArrayList<>();
            for (Path source : Stream.concat(modules, Stream.of(CONSUMER))
                    .map(module -> module.resolve("src"))
                    .filter(Files::isDirectory)
                    .toList()) {
                try (Stream<Path> files = Files.walk(source)) {
                    files.filter(file -> file.toString().endsWith(".java")).forEach(found::add);
                }
            }
            assertThat(found).as("sources under " + ROOT).isNotEmpty();
            found.sort(null);
            return found;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
