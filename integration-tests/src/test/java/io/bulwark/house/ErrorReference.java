package io.bulwark.house;

import io.bulwark.appliance.cli.BulwarkCommand;
import io.bulwark.appliance.cli.CommandFailure;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.client.error.NotBelievedException;
import io.bulwark.client.error.Subject;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;

/** Pages of the SDK's exceptions and of the exit codes, from their Javadoc. */
@NullMarked
final class ErrorReference {
    private static final Path ERRORS = Path.of("client-sdk/src/main/java/io/bulwark/client/error");
    private static final Path EXIT_CODES =
            Path.of("appliance/src/main/java/io/bulwark/appliance/cli/CommandFailure.java");

    /** Precedes the sentence of an exception's Javadoc that says when retrying helps. */
    private static final String RETRY = " <p>Retry: ";

    private ErrorReference() {}

    static String errors(Path root) throws IOException, ReflectiveOperationException {
        StringBuilder page = new StringBuilder("""
            All are unchecked subclasses of `BulwarkException` in `io.bulwark.client.error`. They name bucket, key, volume
            and server where these apply. The last column is the exit code of a command that ends with it.

            | Exception | Meaning | Does retrying help? | Code |
            |---|---|---|---|
            """);
        for (Path file : files(root)) {
            String name = file.getFileName().toString().replace(".java", "");
            Class<?> type = Class.forName("io.bulwark.client.error." + name);
            if (Modifier.isAbstract(type.getModifiers())) {
                continue;
            }
            String text = Objects.requireNonNull(JavadocSource.texts(file).get(name), name);
            int retry = text.indexOf(RETRY);
            if (retry < 0) {
                throw new AssertionError("the Javadoc of " + name + " does not say when retrying helps:" + RETRY);
            }
            page.append(row(
                    "`" + name + "`",
                    firstSentence(text.substring(0, retry)),
                    text.substring(retry + RETRY.length()),
                    Integer.toString(BulwarkCommand.exitCode(thrown(type)))));
        }
        page.append("""

            | Reason of `NotBelievedException` | Meaning |
            |---|---|
            """);
        Map<String, String> texts = JavadocSource.texts(root.resolve(ERRORS).resolve("NotBelievedException.java"));
        for (NotBelievedException.Reason reason : NotBelievedException.Reason.values()) {
            page.append(row("`" + reason + "`", Objects.requireNonNull(texts.get(reason.name()), reason.name())));
        }
        return page.toString();
    }

    static String exitCodes(Path root) throws IOException, ReflectiveOperationException {
        StringBuilder page = new StringBuilder("""
            [Errors](errors.md) has the code of each exception. With `--json` the last line of standard error is an object:
            `{"error":"no such bucket ...","code":1,"exception":"NoSuchBucketException","bucket":"photos"}`. `error` and
            `code` are always there; `exception`, `bucket`, `key`, `volume` and `node` where they apply. Standard output
            has results alone.

            | Code | Meaning |
            |---|---|
            """);
        for (Map.Entry<String, String> each :
                JavadocSource.texts(root.resolve(EXIT_CODES)).entrySet()) {
            if (!each.getKey().equals(CommandFailure.class.getSimpleName())) {
                page.append(row(
                        Integer.toString(
                                CommandFailure.class.getField(each.getKey()).getInt(null)),
                        each.getValue()));
            }
        }
        return page.toString();
    }

    private static List<Path> files(Path root) throws IOException {
        try (Stream<Path> files = Files.list(root.resolve(ERRORS))) {
            return files.filter(file -> file.toString().endsWith("Exception.java"))
                    .sorted()
                    .toList();
        }
    }

    private static BulwarkException thrown(Class<?> type) throws ReflectiveOperationException {
        if (type == NotBelievedException.class) {
            return new NotBelievedException(NotBelievedException.Reason.REVOKED, "", Subject.NONE);
        }
        return (BulwarkException)
                type.getConstructor(String.class, Subject.class).newInstance("", Subject.NONE);
    }

    private static String firstSentence(String text) {
        int end = text.indexOf(". ");
        return end < 0 ? text : text.substring(0, end + 1);
    }

    private static String row(String... cells) {
        return "| " + String.join(" | ", Arrays.asList(cells)) + " |\n";
    }
}
