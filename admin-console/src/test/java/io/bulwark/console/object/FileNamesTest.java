package io.bulwark.console.object;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@NullMarked
class FileNamesTest {
    @ParameterizedTest
    @CsvSource({
        "2026/boat.jpg, 2026/boat.jpg",
        "/etc/passwd, etc/passwd",
        "../../etc/passwd, __/__/etc/passwd",
        "a//b/./c, a/b/_/c",
        "..\\..\\x, .._.._x",
        "C:\\x, C__x",
        "'a/.. /b', a/___/b",
        "aux.txt/COM1, _aux.txt/_COM1",
        "/, unnamed",
        "folder/, folder"
    })
    void aPathInAnArchiveStaysInItsFolder(String key, String path) {
        assertThat(FileNames.path(key)).isEqualTo(path);
    }

    @Test
    void charactersThatHideTheNameAreReplaced() {
        assertThat(FileNames.of("x/photo\u202Egpj.exe")).isEqualTo("photo_gpj.exe");
        assertThat(FileNames.of("x/a\"b\u2028c")).isEqualTo("a_b_c");
        assertThat(FileNames.of("..")).isEqualTo("__");
        assertThat(FileNames.of("folder/")).isEqualTo("folder");
        assertThat(FileNames.of("über 日本.txt")).isEqualTo("über 日本.txt");
    }

    @Test
    void noKeyLeadsOutOfTheFolder() {
        long seed = Long.getLong("seed", System.nanoTime());
        Random random = new Random(seed);
        String alphabet = "./\\: ab\u202E";
        for (int round = 0; round < 20_000; round++) {
            StringBuilder key = new StringBuilder();
            for (int length = 1 + random.nextInt(12); length > 0; length--) {
                key.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            String path = FileNames.path(key.toString());
            assertThat(path)
                    .as("seed %d, key %s", seed, key)
                    .doesNotContain("\\", ":")
                    .doesNotStartWith("/");
            for (String part : path.split("/", -1)) {
                assertThat(part.trim()).as("seed %d, key %s", seed, key).isNotIn("", ".", "..");
            }
        }
    }
}
