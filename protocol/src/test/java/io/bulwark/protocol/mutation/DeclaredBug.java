package io.bulwark.protocol.mutation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** A planted bug and the test that must fail with it. */
record DeclaredBug(PlantedBug bug, Method test) {
    private static final Path MODULES = Path.of("..");
    private static final Path PRODUCTION = Path.of("src", "main", "java");
    private static final Path TESTS = Path.of("src", "test", "java");
    private static final String ANNOTATION = PlantedBug.class.getName().replace('.', '/');
    private static final Map<Path, JavaTokens> SOURCES = new ConcurrentHashMap<>();

    /** All bugs that are declared at tests below a directory of class files, in a fixed order. */
    static List<DeclaredBug> allBelow(Path classFiles, ClassLoader loader) {
        try (Stream<Path> files = Files.walk(classFiles)) {
            return files.filter(file -> file.toString().endsWith(".class") && namesTheAnnotation(file))
                    .sorted()
                    .flatMap(file -> declaredIn(load(classFiles.relativize(file), loader)).stream())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean namesTheAnnotation(Path classFile) {
        try {
            return Files.readString(classFile, StandardCharsets.ISO_8859_1).contains(ANNOTATION);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Class<?> load(Path classFile, ClassLoader loader) {
        String path = classFile.toString();
        String name = path.substring(0, path.length() - ".class".length())
                .replace(classFile.getFileSystem().getSeparator(), ".");
        try {
            return Class.forName(name, false, loader);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    static List<DeclaredBug> declaredIn(Class<?> testClass) {
        List<DeclaredBug> bugs = new ArrayList<>();
        Stream.of(testClass.getDeclaredMethods())
                .sorted(Comparator.comparing(Method::toString))
                .forEach(method -> {
                    for (PlantedBug bug : method.getAnnotationsByType(PlantedBug.class)) {
                        bugs.add(new DeclaredBug(bug, method));
                    }
                });
        return bugs;
    }

    /** The name of the top-level class that the bug changes. */
    String className() {
        String name = bug.in() == void.class ? bug.inClass() : bug.in().getName();
        int nested = name.indexOf('$');
        return nested < 0 ? name : name.substring(0, nested);
    }

    /** The source file that the bug changes; it may be of another module than the test. */
    Path sourceFile() {
        return find(PRODUCTION.resolve(className().replace('.', '/') + ".java"));
    }

    Path testFile() {
        return find(TESTS.resolve(test.getDeclaringClass().getName().replace('.', '/') + ".java"));
    }

    private Path find(Path inModule) {
        try (Stream<Path> modules = Files.list(MODULES)) {
            return modules.map(module -> module.resolve(inModule))
                    .filter(Files::exists)
                    .findFirst()
                    .orElseThrow(() -> new AssertionError(this + ": no module has " + inModule));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * The source with the bug.
     *
     * @throws AssertionError unless the replaced code stands in the source exactly once
     */
    String mutatedSource() {
        return tokens().replaceOnce(bug.replace(), bug.with());
    }

    boolean hasNoEffect() {
        return new JavaTokens(bug.replace()).isSameCodeAs(new JavaTokens(bug.with()));
    }

    private JavaTokens tokens() {
        return SOURCES.computeIfAbsent(sourceFile(), file -> {
            try {
                return new JavaTokens(Files.readString(file));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    String simpleClassName() {
        return className().substring(className().lastIndexOf('.') + 1);
    }

    String testName() {
        return test.getDeclaringClass().getSimpleName() + "." + test.getName();
    }

    @Override
    public String toString() {
        return simpleClassName() + ": " + bug.rule() + " (" + testName() + ")";
    }
}
