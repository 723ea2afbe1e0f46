package io.bulwark.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** The code on docs/sdk.md stands word for word in integration-tests/sdk-consumer, which other tests compile and run. */
@NullMarked
class SdkPageTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path PAGE = ROOT.resolve("docs/sdk.md");
    private static final Path CONSUMER = ROOT.resolve("integration-tests/sdk-consumer");
    private static final Pattern BLOCK = Pattern.compile("```(\\w+)\n(.*?)```", Pattern.DOTALL);

    @Test
    void everyBlockOfCodeIsInTheConsumer() throws IOException {
        List<String> sources;
        try (Stream<Path> files = Files.walk(CONSUMER.resolve("src"))) {
            sources = files.filter(file -> file.toString().endsWith(".java"))
                    .map(SdkPageTest::read)
                    .toList();
        }
        assertThat(blocks("java"))
                .hasSizeGreaterThan(8)
                .allSatisfy(block -> assertThat(sources)
                        .anySatisfy(source -> assertThat(source).contains(block)));
    }

    @Test
    void theDependencyIsThatOfTheConsumer() {
        String project = read(CONSUMER.resolve("pom.xml"));
        assertThat(blocks("xml"))
                .isNotEmpty()
                .allSatisfy(block -> assertThat(project).contains(block));
    }

    private static List<String> blocks(String language) {
        String page;
        try {
            page = Files.readString(PAGE);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return BLOCK.matcher(page)
                .results()
                .filter(block -> block.group(1).equals(language))
                .map(block -> words(block.group(2)))
                .toList();
    }

    private static String read(Path file) {
        try {
            return words(Files.readString(file));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** A page breaks lines elsewhere. */
    private static String words(String text) {
        return text.replaceAll("\\s+", "");
    }
}
