package io.bulwark.appliance.cli;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.client.error.ConfigException;
import io.bulwark.client.error.FileAccessException;
import io.bulwark.client.error.InvalidNameException;
import io.bulwark.client.error.InvalidRequestException;
import io.bulwark.client.error.NoSuchBucketException;
import io.bulwark.client.error.NotBelievedException;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.transport.file.FileFailure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reports the failure of a command on standard error: in one line for people, or, with {@code --json}, as one JSON
 * object in the last line. Standard output has results alone.
 */
final class FailureReport {
    private static final Logger LOG = LoggerFactory.getLogger(FailureReport.class);

    private final boolean json;

    FailureReport(boolean json) {
        this.json = json;
    }

    /** Returns the report of this command line, which may be one that cannot be parsed. */
    static FailureReport of(String... args) {
        return new FailureReport(Arrays.asList(args).contains("--json"));
    }

    /** Reports wrong arguments, and where all of the help is. */
    int misuse(ParameterException misuse) {
        String problem = String.valueOf(misuse.getMessage());
        if (misuse instanceof CommandLine.UnmatchedArgumentException unmatched) {
            if (!unmatched.isUnknownOption()) {
                problem = "\"" + unmatched.getUnmatched().getFirst() + "\" is not understood";
            }
            if (!unmatched.getSuggestions().isEmpty()) {
                problem += "; did you mean " + String.join(" or ", unmatched.getSuggestions()) + "?";
            }
        }
        CommandSpec command = misuse.getCommandLine().getCommandSpec();
        print(problem + "; see `" + command.qualifiedName() + " --help`", CommandFailure.USAGE, null);
        return CommandFailure.USAGE;
    }

    /** Reports a failure; returns the exit code. */
    int failure(Throwable failure) {
        LOG.debug("command failed", failure);
        Throwable told =
                failure instanceof UncheckedIOException && failure.getCause() instanceof IOException io ? io : failure;
        String message = told instanceof IOException file ? FileFailure.text(file) : told.getMessage();
        int code = exitCode(told);
        print(
                (message == null ? told.toString() : message) + advice(told),
                code,
                told instanceof BulwarkException known ? CauseView.of(known) : null);
        return code;
    }

    private void print(String message, int code, @Nullable CauseView cause) {
        if (!json) {
            System.err.println("bulwark: " + message);
            return;
        }
        // Made now, since most commands do not fail: a mapper takes a tenth of a short command's time.
        System.err.println(JsonMapper.builder().build().writeValueAsString(new FailureView(message, code, cause)));
    }

    /**
     * Returns the cause of a failure or the remedy, where the failure itself does not say. The text begins with its
     * separator.
     */
    static String advice(Throwable failure) {
        return switch (failure) {
            case NotBelievedException denied -> advice(denied.reason());
            case UnavailableException _ -> "; `bulwark status` shows what is down";
            case NoSuchBucketException _ -> "; `bulwark ls` shows the buckets, `bulwark mb` makes one";
            default -> "";
        };
    }

    private static String advice(NotBelievedException.Reason reason) {
        return switch (reason) {
            case REVOKED ->
                "; ask an operator to check `bulwark principal list` and to run `bulwark principal invite NAME`";
            case NOT_KNOWN ->
                "; ask an operator to check the registered keys with `bulwark principal list` and to register this "
                        + "one with `bulwark principal add`";
            case EXPIRED, SERVERS_EXPIRED ->
                "; create an identity that is valid from now on with `bulwark keygen`, and register its key with "
                        + "`bulwark principal rotate`";
            case SERVERS_NOT_KNOWN -> "; copy `genesis.properties` from a member of the cluster";
        };
    }

    static int exitCode(Throwable failure) {
        return switch (failure) {
            case CommandFailure known -> known.exitCode();
            case UnavailableException _ -> CommandFailure.UNAVAILABLE;
            case FileAccessException _ -> CommandFailure.FILES;
            case ConfigException _, NotBelievedException _ -> CommandFailure.CONFIG;
            case InvalidNameException _, InvalidRequestException _ -> CommandFailure.USAGE;
            default -> CommandFailure.FAILED;
        };
    }

    /** @param cause null if the client library did not report the failure */
    private record FailureView(
            String error, int code, @JsonUnwrapped @Nullable CauseView cause) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record CauseView(
            String exception,
            @Nullable String bucket,
            @Nullable String key,
            @Nullable String volume,
            @Nullable String node) {
        static CauseView of(BulwarkException failure) {
            return new CauseView(
                    failure.getClass().getSimpleName(),
                    failure.bucket().orElse(null),
                    failure.key().orElse(null),
                    failure.volume().orElse(null),
                    failure.node().orElse(null));
        }
    }
}
