package io.bulwark.simulation.mutation;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.mutation.Detector;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.mutation.Trial;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Which planted bugs the searches find, that look for none in particular: every order of the tiny worlds, and campaigns. What they
 * have found once, {@code found-by-searches.tsv}, they must find again: bug, search, and how many seeds a campaign may take (several
 * times as many as it took, since each change of a workload or a protocol changes what a seed does).
 */
@Tag("long")
class SimulationFindsTest {
    private static final String TABLE = "found-by-searches.tsv";
    /** More seeds only with {@code -Dbulwark.searches=all}. */
    private static final int SEEDS_ALWAYS = 40;

    private static final Trial TRIAL = new Trial();

    private record Find(PlantedBug bug, String search, int seeds) {
        Detector detector() {
            return detectorOf(search, seeds);
        }

        boolean isCampaign() {
            return search.endsWith("Campaign");
        }
    }

    private static Detector detectorOf(String search, int seeds) {
        return Detector.simulation("mutation.SearchTest", search).runs(seeds);
    }

    private static List<Find> finds() throws IOException {
        Map<String, PlantedBug> bugs =
                PlantedBugsTest.bugs().stream().collect(Collectors.toMap(PlantedBug::toString, Function.identity()));
        try (InputStream in = SimulationFindsTest.class.getResourceAsStream(TABLE)) {
            return new String(Objects.requireNonNull(in, TABLE).readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .map(line -> line.split("\t", -1))
                    .map(cells -> new Find(
                            Objects.requireNonNull(bugs.get(cells[0]), cells[0]), cells[1], Integer.parseInt(cells[2])))
                    .toList();
        }
    }

    /** Among them each quorum that is too small by one, and each answer that is given before what it says is durable. */
    @TestFactory
    Stream<DynamicTest> everyOrderFindsIt() throws IOException {
        return finds().stream().filter(find -> !find.isCampaign()).map(SimulationFindsTest::test);
    }

    @TestFactory
    Stream<DynamicTest> aCampaignOfSoManySeedsFindsIt() throws IOException {
        int seeds = "all".equals(System.getProperty("bulwark.searches")) ? Integer.MAX_VALUE : SEEDS_ALWAYS;
        return finds().stream()
                .filter(find -> find.isCampaign() && find.seeds() <= seeds)
                .map(SimulationFindsTest::test);
    }

    private static DynamicTest test(Find find) {
        return DynamicTest.dynamicTest(
                find.bug() + " by " + find.search(),
                () -> assertThat(TRIAL.run(PlantedBugsTest.mutate(find.bug()), find.detector()))
                        .as("%s, which %s must find within %d seeds", find.bug(), find.search(), find.seeds())
                        .isPresent());
    }

    /** Makes the table anew, for the bugs and searches that match; with the failures. */
    @Test
    @EnabledIfSystemProperty(named = "bulwark.searches.matching", matches = ".+")
    void whatIsFound() throws IOException {
        String wanted = System.getProperty("bulwark.searches.matching", "");
        int seeds = Integer.getInteger("bulwark.searches.seeds", 40);
        Path file = Path.of(System.getProperty("bulwark.searches.file", "target/" + TABLE));
        for (PlantedBug bug : PlantedBugsTest.bugs()) {
            for (String search : searches(bug.toString())) {
                if ((bug + " by " + search).matches(wanted)) {
                    Optional<Throwable> found = TRIAL.run(PlantedBugsTest.mutate(bug), detectorOf(search, seeds));
                    String line = bug + "\t" + search + "\t" + firstLine(found) + "\n";
                    System.out.print(line);
                    Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
                }
            }
        }
    }

    private static String firstLine(Optional<Throwable> found) {
        return found.map(Throwable::toString).orElse("-").lines().findFirst().orElse("?");
    }

    private static List<String> searches(String file) {
        return switch (file.substring(0, file.indexOf('/'))) {
            case "agreement" -> List.of("fpCampaign");
            case "fp" -> List.of("everyOrderOfFp", "ordersOfWideFp", "fpCampaign", "fpReplacingCampaign");
            case "pasis" -> List.of("objectCampaign", "pasisCampaign", "pasisReplacingCampaign");
            case "extent" -> List.of("everyOrderOfExtents", "extentCampaign", "objectCampaign");
            case "fingerprint" -> List.of("everyOrderOfFp", "everyOrderOfExtents", "fpCampaign", "extentCampaign");
            case "completion", "epoch", "cluster" ->
                List.of("objectCampaign", "replacingCampaign", "fpReplacingCampaign");
            case "ordering" -> List.of("objectCampaign", "membersCampaign");
            default -> List.of("objectCampaign");
        };
    }
}
