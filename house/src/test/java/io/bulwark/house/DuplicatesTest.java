package io.bulwark.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import net.sourceforge.pmd.cpd.CPDConfiguration;
import net.sourceforge.pmd.cpd.CpdAnalysis;
import net.sourceforge.pmd.cpd.Mark;
import net.sourceforge.pmd.cpd.Match;
import net.sourceforge.pmd.lang.document.FileLocation;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Protocols share no run of equal lines (CPD, PMD's detector of copies): a mechanism that two need lies below both.
 * Imports, comments and white space do not count as lines of a run.
 */
@NullMarked
class DuplicatesTest {
    private static final int EQUAL_LINES_MAX = 30;

    /** CPD counts tokens. A run of more than 30 lines has at least two of them on average, even if braces fill its lines. */
    private static final int EQUAL_TOKENS_MIN = 60;

    private static final Path PROTOCOLS = Path.of("..", "protocol", "src", "main", "java", "io", "bulwark", "protocol")
            .toAbsolutePath()
            .normalize();

    @Test
    void noTwoProtocolsShareMoreThanThirtyEqualLines() throws IOException {
        assertThat(duplicatesBelow(PROTOCOLS)).isEmpty();
    }

    @Test
    void aCopyIsFound(@TempDir Path folder) throws IOException {
        String source = Files.readString(PROTOCOLS.resolve("fp/FpServer.java"));
        Files.writeString(folder.resolve("FpServer.java"), source);
        Files.writeString(folder.resolve("Copy.java"), source.replace("FpServer", "Copy"));
        assertThat(duplicatesBelow(folder)).isNotEmpty();
    }

    private static List<String> duplicatesBelow(Path folder) throws IOException {
        CPDConfiguration configuration = new CPDConfiguration();
        configuration.setMinimumTileSize(EQUAL_TOKENS_MIN);
        configuration.setOnlyRecognizeLanguage(
                configuration.getLanguageRegistry().getLanguageById("java"));
        configuration.addInputPath(folder);
        List<String> duplicates = new ArrayList<>();
        try (CpdAnalysis analysis = CpdAnalysis.create(configuration)) {
            analysis.performAnalysis(report -> {
                assertThat(report.getNumberOfTokensPerFile())
                        .as("files below %s", folder)
                        .isNotEmpty();
                for (Match match : report.getMatches()) {
                    if (match.getLineCount() > EQUAL_LINES_MAX) {
                        duplicates.add(describe(match));
                    }
                }
            });
        }
        return duplicates;
    }

    private static String describe(Match match) {
        return match.getLineCount() + " equal lines: "
                + StreamSupport.stream(match.spliterator(), false)
                        .map(Mark::getLocation)
                        .map(DuplicatesTest::describe)
                        .collect(Collectors.joining(" and "));
    }

    private static String describe(FileLocation place) {
        return place.getFileId().getFileName() + ", line " + place.getStartLine();
    }
}
