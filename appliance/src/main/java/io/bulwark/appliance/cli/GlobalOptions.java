package io.bulwark.appliance.cli;

import io.bulwark.appliance.cluster.DataDirectory;
import java.io.PrintStream;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Options of every command. */
public final class GlobalOptions {
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "The appliance's data directory (default: $BULWARK_DATA, or ~/.bulwark).")
    private @Nullable Path data;

    @Option(
            names = Profile.OPTION,
            paramLabel = "NAME",
            description = {
                "Take defaults of options from $XDG_CONFIG_HOME/bulwark/NAME.properties (~/.config if it is not set).",
                "$BULWARK_PROFILE names a profile, too."
            })
    private @Nullable String profile;

    @Option(names = "--json", description = "Print JSON for scripts.")
    private boolean json;

    public Path data() {
        return (data == null ? DataDirectory.defaultPath() : data)
                .toAbsolutePath()
                .normalize();
    }

    /** Returns whether this command line names the directory, so that the next one must name it too. */
    boolean isDataGiven() {
        return data != null;
    }

    /** Returns the command that starts the appliance of this directory, for people. */
    String upCommand() {
        if (profile != null) {
            return "bulwark up " + Profile.OPTION + " " + profile;
        }
        return data == null ? "bulwark up" : "bulwark up --data " + data;
    }

    public boolean json() {
        return json;
    }

    /** Prints one JSON document on standard output. */
    public static void printJson(Object value) {
        PrintStream out = System.out;
        out.println(toJson(value));
    }

    static String toJson(Object value) {
        return JSON.writeValueAsString(value);
    }

    /** Prints the value as JSON if it was asked for, the text otherwise. */
    public void print(Object value, String text) {
        if (json) {
            printJson(value);
        } else {
            System.out.println(text);
        }
    }
}
