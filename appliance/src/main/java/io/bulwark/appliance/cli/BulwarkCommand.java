package io.bulwark.appliance.cli;

import io.bulwark.appliance.drill.Lie;
import io.bulwark.client.error.BulwarkException;
import java.nio.file.Path;
import java.util.List;
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
        footer = {
            "",
            "Exit codes: 0 done, 1 failed, 2 wrong arguments, 69 no appliance reached, 71 limits too low, 74"
                    + " unreadable file of the configuration, 78 wrong keys or configuration.",
        })
public final class BulwarkCommand implements Runnable {
    private static final List<Class<?>> COMMANDS = List.of(
            UpCommand.class,
            DownCommand.class,
            StatusCommand.class,
            BucketCommands.Make.class,
            BucketCommands.Remove.class,
            BucketCommand.class,
            PutCommand.class,
            GetCommand.class,
            ListCommand.class,
            RemoveCommand.class,
            ObjectCommands.Stat.class,
            ObjectCommands.Copy.class,
            ObjectCommands.Move.class,
            CatCommand.class,
            TagCommand.class,
            SyncCommand.class,
            DiffCommand.class,
            DuCommand.class,
            VerifyCommand.class,
            VolumeCommand.class,
            AdviseCommand.class,
            BenchCommand.class,
            BenchNodesCommand.class,
            SimulateCommand.class,
            HistoryCommand.class,
            DemoCommand.class,
            NodeCommand.class,
            RoleCommands.Replica.class,
            RoleCommands.Supervise.class,
            ConsoleCommand.class,
            S3Command.class,
            AccessKeyCommand.class,
            WebhookCommand.class,
            InitCommand.class,
            KeygenCommand.class,
            PrincipalCommand.class,
            GrantCommand.class,
            AuditCommand.class,
            EvidenceCommand.class,
            FaultCommand.class,
            ThreatCommand.class,
            ReleaseCommand.class,
            LockCommand.class,
            JoinCommand.class,
            CompletionCommand.class,
            SupportCommand.class,
            HelpCommand.class);

    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** Runs one command line and returns its exit code. */
    public static int run(String... args) {
        FailureReport report = FailureReport.of(args);
        try {
            Profile profile = Profile.of(System.getenv(), Path.of(System.getProperty("user.home")), args);
            return line(report, commands(args)).setDefaultValueProvider(profile).execute(args);
        } catch (CommandFailure | BulwarkException | LinkageError | OutOfMemoryError e) {
            // Of the profile, or the system gives no more files or memory.
            return report.failure(e);
        }
    }

    /** Returns the commands with their options, as the reference pages list them. */
    public static CommandLine line() {
        return line(new FailureReport(false), COMMANDS);
    }

    /** Returns the command that comes first; all, which take a third of a second, if none does. Help and completion need all. */
    private static List<Class<?>> commands(String... args) {
        return COMMANDS.stream()
                .filter(command -> args.length > 0 && isOf(command, args[0]))
                .filter(command -> command != HelpCommand.class && command != CompletionCommand.class)
                .findFirst()
                .<List<Class<?>>>map(List::of)
                .orElse(COMMANDS);
    }

    private static boolean isOf(Class<?> command, String name) {
        return command.getAnnotation(Command.class).name().equals(name);
    }

    private static CommandLine line(FailureReport report, List<Class<?>> commands) {
        CommandLine line = new CommandLine(new BulwarkCommand());
        commands.forEach(line::addSubcommand);
        return line.registerConverter(Lie.class, new EnumConverter<>(Lie.class))
                .registerConverter(
                        BucketCommand.VersioningChoice.class, new EnumConverter<>(BucketCommand.VersioningChoice.class))
                .registerConverter(FaultCommand.Removal.class, new EnumConverter<>(FaultCommand.Removal.class))
                .registerConverter(UpCommand.Switch.class, new EnumConverter<>(UpCommand.Switch.class))
                .registerConverter(CompletionCommand.Shell.class, new EnumConverter<>(CompletionCommand.Shell.class))
                .registerConverter(BenchCommand.Measurement.class, new EnumConverter<>(BenchCommand.Measurement.class))
                .setUsageHelpAutoWidth(true)
                .setParameterExceptionHandler((misuse, _) -> report.misuse(misuse))
                .setExecutionExceptionHandler((failure, command, parsed) -> report.failure(failure));
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "give a command, for example `bulwark up`");
    }

    /** Returns the exit code of a command that ended with this failure. */
    public static int exitCode(Exception failure) {
        return FailureReport.exitCode(failure);
    }
}
