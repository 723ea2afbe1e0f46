package io.bulwark.protocol.mutation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Runs the tests of one module on each {@link PlantedBug} that they declare. A module has one subclass, in its own test sources.
 *
 * <p>The system property {@code bulwark.mutation.since} selects the bugs to run: none (the default), {@code all}, or a commit: then those
 * whose class or test differs from that commit. {@code bulwark.mutation.matching} narrows them to those that have a text in their description.
 * The tag lets a build run these beside other tests that it selects by theirs.
 */
@Tag("planted")
@Isolated("a trial sets system properties")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class PlantedBugs {
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final Path REPORT = Path.of("target", "planted-bugs.md");

    private final List<DeclaredBug> declared;
    private final Map<DeclaredBug, String> results = new HashMap<>();
    private final Compiler compiler = new Compiler();
    private final MutationTrial trial = new MutationTrial(LIMIT);

    protected PlantedBugs() {
        try {
            Path tests = Path.of(getClass()
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            declared = DeclaredBug.allBelow(tests, getClass().getClassLoader());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    public void everyPlantedBugStillApplies() {
        assertThat(declared).isNotEmpty().doesNotHaveDuplicates();
        assertThat(declared).allSatisfy(bug -> {
            assertThat(bug.bug().rule()).isNotBlank();
            assertThat(bug.hasNoEffect()).isFalse();
            assertThat(bug.mutatedSource()).isNotEmpty();
        });
    }

    @TestFactory
    public Stream<DynamicTest> everySelectedPlantedBugIsFound() {
        return declared.stream()
                .filter(isSelected())
                .map(bug -> DynamicTest.dynamicTest(bug.toString(), recordingResult(bug, () -> assertFound(bug))));
    }

    private static Predicate<DeclaredBug> isSelected() {
        String since = System.getProperty("bulwark.mutation.since", "");
        String matching = System.getProperty("bulwark.mutation.matching", "");
        if (since.isEmpty()) {
            return bug -> false;
        }
        Predicate<DeclaredBug> matches = bug -> bug.toString().contains(matching);
        if (since.equals("all")) {
            return matches;
        }
        ChangedFiles changed = new ChangedFiles(Path.of("").toAbsolutePath(), since);
        return matches.and(bug -> changed.contains(bug.sourceFile()) || changed.contains(bug.testFile()));
    }

    private void assertFound(DeclaredBug bug) {
        Map<String, byte[]> mutated = compiler.compile(bug.className(), bug.mutatedSource());
        Optional<Throwable> failure = trial.run(mutated, bug.test(), bug.bug().runs());
        assertThat(failure)
                .as(
                        "%s passes although %s has this bug: %s",
                        bug.testName(), bug.className(), bug.bug().with())
                .isPresent();
    }

    private Executable recordingResult(DeclaredBug bug, Executable run) {
        return () -> {
            long begun = System.nanoTime();
            results.put(bug, "**not found**");
            run.execute();
            results.put(
                    bug,
                    "found in " + Duration.ofNanos(System.nanoTime() - begun).toMillis() + " ms");
        };
    }

    @AfterAll
    public void close() throws IOException {
        compiler.close();
        writeReport();
    }

    private void writeReport() {
        StringBuilder report =
                new StringBuilder("# Planted bugs\n\n| Class | Rule | Test | Result |\n|---|---|---|---|\n");
        for (DeclaredBug bug : declared) {
            report.append("| ")
                    .append(String.join(
                            " | ",
                            bug.simpleClassName(),
                            bug.bug().rule(),
                            "`" + bug.testName() + "`",
                            results.getOrDefault(bug, "not run")))
                    .append(" |\n");
        }
        try {
            Files.writeString(REPORT, report);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
