package io.bulwark.storage.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.client.error.ConfigException;
import io.bulwark.protocol.wire.Bytes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreIdentityTest {
    private static final StoreIdentity THREE = new StoreIdentity(cluster(1), 3);

    @TempDir
    Path directory;

    private static Bytes cluster(int last) {
        byte[] id = new byte[16];
        id[15] = (byte) last;
        return Bytes.of(id);
    }

    @Test
    void anEmptyDirectoryBecomesTheNodesOwnForGood() throws IOException {
        THREE.claim(directory);
        open();
        assertThatCode(() -> THREE.claim(directory)).doesNotThrowAnyException();
        assertThat(directory.resolve("identity"))
                .content()
                .contains("cluster=00000000000000000000000000000001\nnode=3");
    }

    @Test
    void anotherNodesDirectoryIsRefusedAndBothAreNamed() throws IOException {
        THREE.claim(directory);
        open();
        for (StoreIdentity other : List.of(new StoreIdentity(cluster(1), 2), new StoreIdentity(cluster(2), 3))) {
            assertThatThrownBy(() -> other.claim(directory))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining(directory.toString())
                    .hasMessageContaining("belongs to " + THREE)
                    .hasMessageContaining("but this is " + other)
                    .hasMessageContaining("its own directory");
        }
    }

    @Test
    void aStoreThatDoesNotSayWhoseItIsIsRefused() throws IOException {
        THREE.claim(directory);
        open();
        Path file = directory.resolve("identity");
        String text = Files.readString(file);
        for (String damaged : List.of("", text.substring(0, 40), text.replace("node=3", "node=03"), text + "x")) {
            Files.writeString(file, damaged);
            assertThatThrownBy(() -> THREE.claim(directory))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("is damaged");
        }
        Files.delete(file);
        assertThatThrownBy(() -> THREE.claim(directory))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("is missing");
    }

    /** It was killed before the name was there: nothing else was written yet. */
    @Test
    void aClaimThatWasCutShortIsMadeAgain() throws IOException {
        Files.writeString(directory.resolve("identity.tmp"), "# The owner");
        THREE.claim(directory);
        assertThatCode(() -> THREE.claim(directory)).doesNotThrowAnyException();
    }

    @Test
    void aCopiedDirectoryIsStillTheOthers(@TempDir Path copy) throws IOException {
        THREE.claim(directory);
        open();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.naturalOrder()).skip(1).toList()) {
                Files.copy(file, copy.resolve(directory.relativize(file).toString()));
            }
        }
        assertThatThrownBy(() -> new StoreIdentity(cluster(1), 4).claim(copy)).hasMessageContaining("node-3");
    }

    private void open() throws IOException {
        FragmentStore.open(Records.small(directory)).close();
    }
}
