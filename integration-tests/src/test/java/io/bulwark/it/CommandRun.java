package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.appliance.cli.BulwarkCommand;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** One command line, run in this process against a cluster, and its output. */
@NullMarked
final class CommandRun {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Path data;
    private final List<String> arguments;
    private int exitCode;
    private String out = "";
    private String err = "";

    CommandRun(LiveCluster cluster, String... arguments) {
        this(cluster.root(), arguments);
    }

    CommandRun(Path data, String... arguments) {
        this.data = data;
        this.arguments = new ArrayList<>(List.of(arguments));
    }

    CommandRun with(String... more) {
        arguments.addAll(List.of(more));
        return this;
    }

    /** Runs it; it must succeed. */
    JsonNode json() {
        go();
        assertThat(exitCode).as("%s: %s", arguments, err).isZero();
        return printed();
    }

    /** Returns the output, regardless of the exit code. */
    JsonNode printed() {
        return JSON.readTree(out);
    }

    CommandRun go() {
        arguments.add("--json");
        return goForPeople();
    }

    /** With text on standard output, and how it goes on standard error. */
    CommandRun goForPeople() {
        arguments.addAll(List.of("--data", data.toString()));
        ByteArrayOutputStream outBytes = new ByteArrayOutputStream();
        ByteArrayOutputStream errBytes = new ByteArrayOutputStream();
        PrintStream realOut = System.out;
        PrintStream realErr = System.err;
        try (PrintStream ownOut = new PrintStream(outBytes, true, StandardCharsets.UTF_8);
                PrintStream ownErr = new PrintStream(errBytes, true, StandardCharsets.UTF_8)) {
            System.setOut(ownOut);
            System.setErr(ownErr);
            exitCode = BulwarkCommand.run(arguments.toArray(String[]::new));
        } finally {
            System.setOut(realOut);
            System.setErr(realErr);
        }
        out = outBytes.toString(StandardCharsets.UTF_8);
        err = errBytes.toString(StandardCharsets.UTF_8);
        return this;
    }

    int exitCode() {
        return exitCode;
    }

    String out() {
        return out;
    }

    String err() {
        return err;
    }
}
