package io.bulwark.appliance.cli;

import io.bulwark.appliance.drill.Lie;
import io.bulwark.client.error.ConfigException;
import io.bulwark.client.error.InvalidNameException;
import io.bulwark.client.error.InvalidRequestException;
import io.bulwark.client.error.NoSuchBucketException;
import io.bulwark.client.error.NotBelievedException;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.transport.file.FileFailure;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bulwark}: the root of all commands. */
@Command(
        name = "bulwark",
        description = "Byzantine-fault-tolerant storage: tolerates lying servers and any number of malicious clients.",
        mixinStandardHelpOptions = true,
        scope = CommandLine.ScopeType.INHERIT,
        versionProvider = BulwarkVersion.class,
        subcommands = {
            UpCommand.class,
            DownCommand.class,
            StatusCommand.class,
            BucketCommands.Make.class,
            BucketCommands.Remove.class,
            PutCommand.class,
            GetCommand.class,
            ListCommand.class,
            ObjectCommands.Remove.class,
            ObjectCommands.Stat.class,
            ObjectCommands.Copy.class,
            ObjectCommands.Move.class,
            SyncCommand.class,
            VerifyCommand.class,
            VolumeCommand.class,
            BenchCommand.class,
            SimulateCommand.class,
            HistoryCommand.class,
            DemoCommand.class,
            NodeCommand.class,
            RoleCommands.Replica.class,
            RoleCommands.Supervise.class,
            ConsoleCommand.class,
            S3Command.class,
            AccessKeyCommand.class,
            InitCommand.class,
            KeygenCommand.class,
            PrincipalCommand.class,
            GrantCommand.class,
            AuditCommand.class,
            EvidenceCommand.class,
            ReleaseCommand.class,
            JoinCommand.class,
            HelpCommand.class
        },
        footer = {
            "",
            "Exit codes: 0 done, 1 failed, 2 wrong arguments, 69 no appliance reached, 78 wrong keys or configuration.",
        })
public final class BulwarkCommand implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(BulwarkCommand.class);

    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** Runs one command line and returns its exit code. */
    public static int run(String... args) {
        return line().execute(args);
    }

    /** Returns the commands with their options, as the reference pages list them. */
    public static CommandLine line() {
        return new CommandLine(new BulwarkCommand())
                .registerConverter(Lie.class, new EnumConverter<>(Lie.class))
                .registerConverter(UpCommand.Switch.class, new EnumConverter<>(UpCommand.Switch.class))
                .registerConverter(BenchCommand.Measurement.class, new EnumConverter<>(BenchCommand.Measurement.class))
                .setUsageHelpAutoWidth(true)
                .setParameterExceptionHandler((misuse, _) -> usageError(misuse))
                .setExecutionExceptionHandler((failure, command, parsed) -> fail(failure));
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "give a command, for example `bulwark up`");
    }

    /** In a line, as what else fails; who wants all of the help is told where it is. */
    private static int usageError(ParameterException misuse) {
        String what = String.valueOf(misuse.getMessage());
        if (misuse instanceof CommandLine.UnmatchedArgumentException unmatched) {
            if (!unmatched.isUnknownOption()) {
                what = "\"" + unmatched.getUnmatched().getFirst() + "\" is not understood";
            }
            if (!unmatched.getSuggestions().isEmpty()) {
                what += "; did you mean " + String.join(" or ", unmatched.getSuggestions()) + "?";
            }
        }
        CommandSpec command = misuse.getCommandLine().getCommandSpec();
        System.err.println("bulwark: " + what + "; see `" + command.qualifiedName() + " --help`");
        return CommandFailure.USAGE;
    }

    private static int fail(Exception failure) {
        LOG.debug("command failed", failure);
        String message = failure instanceof IOException io ? FileFailure.text(io) : failure.getMessage();
        System.err.println("bulwark: " + (message == null ? failure.toString() : message) + advice(failure));
        return exitCode(failure);
    }

    /**
     * Returns the cause of a failure or the remedy, where the failure itself does not say. The text begins with its
     * separator.
     */
    static String advice(Exception failure) {
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

    /** Returns the exit code of a command that ended with this failure. */
    public static int exitCode(Exception failure) {
        return switch (failure) {
            case CommandFailure known -> known.exitCode();
            case UnavailableException _ -> CommandFailure.UNAVAILABLE;
            case ConfigException _, NotBelievedException _ -> CommandFailure.CONFIG;
            case InvalidNameException _, InvalidRequestException _ -> CommandFailure.USAGE;
            default -> CommandFailure.FAILED;
        };
    }
}
