package io.bulwark.simulation.mutation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.fp.FpServer;
import io.bulwark.protocol.mutation.Compiler;
import io.bulwark.protocol.mutation.Detector;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.mutation.Trial;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Each planted bug is found, and where nothing is planted nothing is found with the same seeds. */
@Tag("long")
class PlantedBugsTest {
    private static final Path SOURCES = Path.of("..", "protocol", "src", "main", "java");
    private static final Compiler COMPILER = new Compiler(List.of(FpServer.class, NullMarked.class));
    private static final Trial TRIAL = new Trial();
    /** Only bugs of which the text has this in it, or one of several such things between commas. */
    private static final String MATCHING = System.getProperty("bulwark.planted", "");

    static List<PlantedBug> bugs() {
        return Stream.of(
                        CodeBugs.ALL,
                        FpClientBugs.ALL,
                        FpServerBugs.ALL,
                        FpBoundsBugs.ALL,
                        KeyBugs.ALL,
                        PasisBugs.ALL,
                        LeftoverBugs.ALL,
                        PasisRoomBugs.ALL,
                        PasisEpochBugs.ALL,
                        ExtentClientBugs.ALL,
                        ExtentServerBugs.ALL,
                        PasisExtentBugs.ALL,
                        EpochBugs.ALL,
                        RegisterEpochBugs.ALL,
                        MetadataBugs.ALL,
                        RegistryBugs.ALL,
                        RevocationBugs.ALL,
                        SuspensionBugs.ALL,
                        ViewBugs.ALL,
                        OrderingBugs.ALL,
                        ReplicaBugs.ALL,
                        PromiseBugs.ALL,
                        ReadyBugs.ALL,
                        LiarBugs.ALL,
                        RecoveryBugs.ALL,
                        SessionKeyBugs.ALL,
                        RecoveryRuleBugs.ALL,
                        RecoveringBugs.ALL,
                        ForgedPromisesBugs.ALL,
                        ForgedRecordsBugs.ALL,
                        StateBugs.ALL,
                        MembershipBugs.ALL,
                        MandateBugs.ALL)
                .flatMap(List::stream)
                .filter(bug -> Stream.of(MATCHING.split(",")).anyMatch(bug.toString()::contains))
                .toList();
    }

    @AfterAll
    static void close() throws IOException {
        COMPILER.close();
    }

    @TestFactory
    Stream<DynamicTest> everyPlantedBugIsFound() {
        return bugs().stream().map(bug -> DynamicTest.dynamicTest(bug.toString(), () -> assertFound(bug)));
    }

    @TestFactory
    Stream<DynamicTest> whereNothingIsPlantedNothingIsFound() {
        return bugs().stream()
                .map(PlantedBug::detector)
                .distinct()
                .map(detector -> DynamicTest.dynamicTest(
                        detector.toString(),
                        () -> assertThat(TRIAL.run(Map.of(), detector)).isEmpty()));
    }

    private static void assertFound(PlantedBug bug) {
        long begun = System.nanoTime();
        Optional<Throwable> found = TRIAL.run(mutate(bug), bug.detector());
        assertThat(found).as("%s, which %s must find", bug, bug.detector()).isPresent();
        System.out.printf("%4d ms: %s, found by %s%n", (System.nanoTime() - begun) / 1_000_000, bug, bug.detector());
    }

    static Map<String, byte[]> mutate(PlantedBug bug) {
        Path file = SOURCES.resolve(bug.className().replace('.', '/') + ".java");
        try {
            return COMPILER.compile(bug.className(), bug.plantedIn(Files.readString(file)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aBugThatDoesNotFitTheCodeAnyMoreIsAnError() {
        Detector none = Detector.protocol("", "");
        PlantedBug gone = PlantedBug.in("fp/FpServer", "gone", none, "what nobody wrote", "");
        assertThatThrownBy(() -> mutate(gone))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("no longer");
        PlantedBug twice = PlantedBug.in("fp/FpServer", "twice", none, "return", "");
        assertThatThrownBy(() -> mutate(twice))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("than once");
        PlantedBug broken = PlantedBug.in("fp/FpServer", "broken", none, "package", "pack");
        assertThatThrownBy(() -> mutate(broken))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("compile");
    }
}
