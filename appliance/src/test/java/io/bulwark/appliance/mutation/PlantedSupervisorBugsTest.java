package io.bulwark.appliance.mutation;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.appliance.supervisor.Turns;
import io.bulwark.protocol.mutation.Compiler;
import io.bulwark.protocol.mutation.Detector;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.mutation.Trial;
import io.bulwark.protocol.wire.Bytes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Each bug planted in what a supervisor decides is found, and where nothing is planted nothing is found. */
class PlantedSupervisorBugsTest {
    private static final Path SOURCES = Path.of("src", "main", "java");
    private static final Compiler COMPILER = new Compiler(List.of(Turns.class, Bytes.class, NullMarked.class));
    private static final Trial TRIAL = new Trial();

    @AfterAll
    static void close() throws IOException {
        COMPILER.close();
    }

    @TestFactory
    Stream<DynamicTest> everyPlantedBugIsFound() {
        return SupervisorBugs.ALL.stream()
                .map(bug -> DynamicTest.dynamicTest(
                        bug.toString(),
                        () -> assertThat(TRIAL.run(mutate(bug), bug.detector()))
                                .as("%s, which %s must find", bug, bug.detector())
                                .isPresent()));
    }

    @TestFactory
    Stream<DynamicTest> whereNothingIsPlantedNothingIsFound() {
        return SupervisorBugs.ALL.stream()
                .map(PlantedBug::detector)
                .distinct()
                .map((Detector detector) -> DynamicTest.dynamicTest(
                        detector.toString(),
                        () -> assertThat(TRIAL.run(Map.of(), detector)).isEmpty()));
    }

    private static Map<String, byte[]> mutate(PlantedBug bug) {
        Path file = SOURCES.resolve(bug.className().replace('.', '/') + ".java");
        try {
            return COMPILER.compile(bug.className(), bug.plantedIn(Files.readString(file)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
