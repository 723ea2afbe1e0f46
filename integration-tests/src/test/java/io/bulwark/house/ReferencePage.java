package io.bulwark.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.NullMarked;

/** A page under docs/reference that is generated. */
@NullMarked
public final class ReferencePage {
    private static final Path PAGES = Path.of("..").toAbsolutePath().normalize().resolve("docs/reference");

    private ReferencePage() {}

    /**
     * Fails if the page differs from the text. With {@code -Dreference.write=true} it writes the page instead.
     *
     * @param name of the page, which is its title, too
     * @param generator the name of the test
     */
    public static void check(String name, String generator, String text) throws IOException {
        String title = name.substring(0, 1).toUpperCase(Locale.ROOT)
                + name.substring(1).replace('-', ' ');
        String generated = "# " + title + "\n\nGenerated from the code by `" + generator + "`.\n\n" + text;
        Path page = PAGES.resolve(name + ".md");
        if (Boolean.getBoolean("reference.write")) {
            Files.createDirectories(PAGES);
            Files.writeString(page, generated);
        }
        assertThat(page).as("run again with -Dreference.write=true").hasContent(generated);
    }
}
