package io.bulwark.protocol.mutation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Each bug planted in a module's own classes, or in those of one that it needs, is found, and where nothing is planted nothing is found. */
public abstract class PlantedBugs {
    private static final Path SOURCES = Path.of("src", "main", "java");
    private static final Trial TRIAL = new Trial();

    private final List<PlantedBug> bugs;
    private final Compiler compiler;

    /**
     * The test of one module, run in its directory.
     *
     * @param onClassPath a class of each place that the sources need
     */
    protected PlantedBugs(List<PlantedBug> bugs, Class<?>... onClassPath) {
        this.bugs = bugs;
        this.compiler = new Compiler(List.of(onClassPath));
    }

    @AfterEach
    public void close() throws IOException {
        compiler.close();
    }

    @TestFactory
    public Stream<DynamicTest> everyPlantedBugIsFound() {
        return bugs.stream()
                .map(bug -> DynamicTest.dynamicTest(
                        bug.toString(),
                        () -> assertThat(TRIAL.run(mutate(bug), bug.detector()))
                                .as("%s, which %s must find", bug, bug.detector())
                                .isPresent()));
    }

    @TestFactory
    public Stream<DynamicTest> whereNothingIsPlantedNothingIsFound() {
        return bugs.stream()
                .map(PlantedBug::detector)
                .distinct()
                .map(detector -> DynamicTest.dynamicTest(
                        detector.toString(),
                        () -> assertThat(TRIAL.run(Map.of(), detector)).isEmpty()));
    }

    /** What a module does is found by another one's test, too. */
    private static Path sourceOf(PlantedBug bug) throws IOException {
        Path file = SOURCES.resolve(bug.className().replace('.', '/') + ".java");
        if (Files.exists(file)) {
            return file;
        }
        try (Stream<Path> modules = Files.list(Path.of(".."))) {
            return modules.map(module -> module.resolve(file))
                    .filter(Files::exists)
                    .findFirst()
                    .orElse(file);
        }
    }

    private Map<String, byte[]> mutate(PlantedBug bug) {
        try {
            return compiler.compile(bug.className(), bug.plantedIn(Files.readString(sourceOf(bug))));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
