package io.bulwark.appliance.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.appliance.transfer.TreeFilter;
import io.bulwark.client.Bucket;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.error.NoSuchKeyException;
import io.bulwark.client.error.Subject;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectLock;
import io.bulwark.protocol.object.VersionState;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** One word means the same objects for all commands. */
class KeyPatternTest {
    private static final List<String> KEYS =
            List.of("logs", "logs-old/a", "logs/a", "logs/keep/b", "logs/keep/c.gz", "lone");

    private final Bucket bucket = (Bucket) Proxy.newProxyInstance(
            Bucket.class.getClassLoader(),
            new Class<?>[] {Bucket.class},
            (proxy, method, arguments) -> switch (method.getName()) {
                case "name" -> "films";
                case "stream" ->
                    KEYS.stream()
                            .filter(key -> key.startsWith((String) arguments[0]))
                            .map(KeyPatternTest::object);
                case "head" ->
                    KEYS.stream()
                            .filter(arguments[0]::equals)
                            .map(KeyPatternTest::object)
                            .findFirst()
                            .orElseThrow(() -> new NoSuchKeyException("none", Subject.NONE));
                default -> throw new AssertionError(method);
            });

    private static ObjectInfo object(String key) {
        VersionState state = new VersionState(false, ObjectAttributes.NONE, ObjectLock.NONE);
        return new ObjectInfo("films", key, 1, 1, Instant.EPOCH, state, List.of());
    }

    private Stream<String> tree(String word, TreeFilter filter) {
        return KeyPattern.of(bucket, word).tree(bucket, filter).stream().map(ObjectInfo::key);
    }

    @Test
    void aTreeIsWhatLiesBelowADirectory() {
        for (String word : List.of("logs", "logs/")) {
            assertThat(tree(word, TreeFilter.ALL)).containsExactly("logs/a", "logs/keep/b", "logs/keep/c.gz");
        }
        assertThat(tree("", TreeFilter.ALL)).containsExactlyElementsOf(KEYS);
        assertThatThrownBy(() -> tree("lo", TreeFilter.ALL)).isInstanceOf(CommandFailure.class);
    }

    @Test
    void nothingBelowAPrefixIsAFailureAndNothingInABucketNone() {
        assertThatThrownBy(() -> KeyPattern.of(bucket, "lo").requireAny(bucket, false))
                .isInstanceOf(CommandFailure.class)
                .hasMessage("no object of films is below lo/");
        assertThatCode(() -> KeyPattern.of(bucket, "").requireAny(bucket, false))
                .doesNotThrowAnyException();
        assertThatCode(() -> KeyPattern.of(bucket, "logs").requireAny(bucket, true))
                .doesNotThrowAnyException();
    }

    @Test
    void filtersAreRelativeToTheDirectory() {
        assertThat(tree("logs", TreeFilter.excluding(List.of("/keep/**")))).containsExactly("logs/a");
        assertThat(tree("log?", TreeFilter.excluding(List.of("/logs/keep/**")))).containsExactly("logs", "logs/a");
    }

    @Test
    void aTreeOfAPatternIsTheSameForADownload() {
        for (String word : List.of("lo*", "logs/k*", "{logs,lone}", "log?")) {
            KeyPattern pattern = KeyPattern.of(bucket, word);
            TreeFilter written = GetCommand.matching(word, true);
            int from = pattern.directory().length();
            assertThat(KEYS.stream()
                            .filter(key -> key.startsWith(pattern.directory()))
                            .filter(key -> written.accepts(key.substring(from))))
                    .as(word)
                    .containsExactlyElementsOf(tree(word, TreeFilter.ALL).toList());
        }
    }

    @Test
    void aListingHasTheObjectOfItsOwnName() {
        assertThat(KeyPattern.of(bucket, "logs").named(bucket)).isPresent();
        assertThat(KeyPattern.of(bucket, "logs/").named(bucket)).isEmpty();
        assertThat(KeyPattern.of(bucket, "").named(bucket)).isEmpty();
        ObjectPath path = ObjectPath.parse("films/logs");
        assertThat(KEYS.stream().filter(path::reaches))
                .containsExactly("logs", "logs/a", "logs/keep/b", "logs/keep/c.gz");
    }
}
