package io.bulwark.appliance.cli;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.bulwark.appliance.cluster.ClusterPlan;
import io.bulwark.appliance.cluster.ClusterShape;
import io.bulwark.appliance.cluster.DataDirectory;
import io.bulwark.appliance.cluster.DirectoryLock;
import io.bulwark.appliance.cluster.JavaCommand;
import io.bulwark.appliance.cluster.MemberAddresses;
import io.bulwark.appliance.cluster.PortConflicts;
import io.bulwark.appliance.control.ApplianceProgress;
import io.bulwark.appliance.control.ApplianceStatus;
import io.bulwark.appliance.control.ControlSocket;
import io.bulwark.appliance.supervisor.Release;
import io.bulwark.appliance.up.Appliance;
import io.bulwark.appliance.up.EmbeddedMembers;
import io.bulwark.appliance.up.Members;
import io.bulwark.appliance.up.ProcessMembers;
import io.bulwark.appliance.up.StartAbandonedException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bulwark up}. */
@Command(
        name = "up",
        description = {
            "Run the whole appliance on this machine: nodes, replicas, the console and an S3 gateway.",
            "The options of the first start of a data directory are kept, including its ports."
        })
final class UpCommand implements Callable<Integer> {
    /** Processes that a killed appliance left behind end by themselves in less time. */
    private static final long LEFT_BEHIND_MILLIS_MAX = 10_000;

    /** Bytes at the end of a log that are searched for the last message. */
    private static final int LAST_BYTES_MAX = 64 << 10;

    /** Property of a process that `up --detach` has started. */
    private static final String BACKGROUND = "bulwark.background";

    enum Switch {
        ON,
        OFF
    }

    @Mixin
    private final GlobalOptions global = new GlobalOptions();

    @Mixin
    private final ShapeOptions shape = new ShapeOptions();

    @Option(
            names = "--durability",
            paramLabel = "KIND",
            defaultValue = "sync",
            description = "Durability of the nodes: sync, interval or none; only sync never loses acknowledged data "
                    + "(default:"
                    + " ${DEFAULT-VALUE}).")
    private String durability = "sync";

    @Option(names = "--processes", description = "Run each node and replica in a separate process.")
    private boolean processes;

    @Option(
            names = "--recovery",
            paramLabel = "on|off",
            defaultValue = "on",
            description = "Restart members that die, and recover each replica in turn every 10 minutes (default: "
                    + "${DEFAULT-VALUE}).")
    private Switch recovery = Switch.ON;

    @Option(names = "--detach", description = "Return when the appliance is ready; `bulwark down` stops it.")
    private boolean detach;

    @Override
    public Integer call() throws Exception {
        ClusterShape wanted = shape.shape(durability);
        if (ControlSocket.isServed(global.data())) {
            throw new CommandFailure(
                    CommandFailure.FAILED,
                    "an appliance already runs on " + global.data() + "; stop it with `bulwark down`");
        }
        DataDirectory data = DataDirectory.at(global.data());
        Optional<ClusterShape> kept = data.shape();
        kept.ifPresent(shape::checkKept);
        ClusterPlan plan = new ClusterPlan(data, kept.orElse(wanted));
        if (MemberAddresses.kept(data, plan.shape()).isPresent()) {
            throw new CommandFailure(
                    CommandFailure.USAGE,
                    "the members of " + data.root() + " run on separate hosts; start each of them on its host");
        }
        if (kept.isEmpty()) {
            // A first start that finds a port taken leaves nothing behind.
            requirePorts(plan, false);
            var _ = DataDirectory.create(global.data());
        }
        return detach ? detached(data) : foreground(plan, kept.isPresent());
    }

    /**
     * Requires that the ports are free. A directory keeps the ports of its first start, so that start must find them
     * free.
     */
    private void requirePorts(ClusterPlan plan, boolean started) throws InterruptedException {
        Optional<String> taken = PortConflicts.findHolder(plan.ports(processes), started ? LEFT_BEHIND_MILLIS_MAX : 0);
        if (taken.isPresent()) {
            String remedy = started
                    ? "stop that process first: the ports of " + plan.data().root() + " cannot change after its "
                            + "first start"
                    : "choose other ports with --port-base N (default: " + ClusterShape.PORT_BASE_DEFAULT + ")";
            throw new CommandFailure(CommandFailure.FAILED, taken.get() + "; " + remedy);
        }
    }

    private int foreground(ClusterPlan checked, boolean started) throws Exception {
        DataDirectory data = checked.data();
        StartupLines story = StartupLines.standard();
        try (DirectoryLock _ = data.lock()) {
            if (started) {
                // Behind the lock: who has it can be stopped while it waits.
                requirePorts(checked, true);
            }
            ClusterPlan plan = new ClusterPlan(data, data.shape(checked.shape()));
            Members members = processes ? new ProcessMembers(plan) : new EmbeddedMembers(plan);
            try (Appliance appliance = Appliance.of(plan)) {
                // Before the start, which can be interrupted, too.
                Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(() -> {
                    story.erase();
                    appliance.shutDown();
                }));
                appliance.start(members, story);
                story.erase();
                if (recovery == Switch.ON) {
                    appliance.supervise(processes ? Optional.of(Release.own()) : Optional.empty());
                }
                JavaCommand.keepCache();
                ready(appliance, data.root());
                appliance.awaitEnd();
            } catch (StartAbandonedException e) {
                story.tell(String.valueOf(e.getMessage()));
            }
        }
        story.tell("the appliance is down");
        return 0;
    }

    private void ready(Appliance appliance, Path data) {
        if (global.json()) {
            GlobalOptions.printJson(new ReadyView(
                    true,
                    data.toString(),
                    appliance.consoleUrl(),
                    appliance.s3Url(),
                    setupLink(appliance).orElse(null),
                    appliance.members()));
            return;
        }
        if (processes) {
            List<List<String>> rows = new ArrayList<>();
            rows.add(List.of("MEMBER", "LISTENS AT", "PID"));
            for (ApplianceStatus.Member member : appliance.members()) {
                Long pid = member.pid();
                rows.add(List.of(member.name(), member.address(), pid == null ? "-" : pid.toString()));
            }
            System.out.println(Text.table(rows));
        }
        System.out.println("Bulwark is up. Console: " + setupLink(appliance).orElseGet(appliance::consoleUrl)
                + "   Data: " + data);
        if (!appliance.s3Url().isEmpty()) {
            System.out.println("S3: " + appliance.s3Url() + "   `bulwark access-key create` makes a key for it.");
        }
        if (setupLink(appliance).isPresent()) {
            System.out.println(
                    "Open the link within an hour: it creates the account of the console's first administrator.");
        }
        System.out.println(
                "Try: bulwark mb photos; bulwark sync DIR photos; bulwark status. Ctrl-C or `bulwark down` stops it.");
        if (global.isDataGiven()) {
            System.out.println("Each of them needs --data " + data + " too, or $BULWARK_DATA set to it.");
        }
    }

    /** Returns the link for people; in the background, where standard output is a log, `up --detach` shows one of its own. */
    private static Optional<String> setupLink(Appliance appliance) {
        return Boolean.getBoolean(BACKGROUND) ? Optional.empty() : appliance.setupUrl();
    }

    private int detached(DataDirectory data) throws IOException, InterruptedException {
        Path log = data.log("appliance");
        List<String> command = new ArrayList<>(JavaCommand.appliance());
        command.add(1, "-D" + BACKGROUND + "=true");
        command.addAll(List.of("up", "--data", data.root().toString()));
        command.addAll(shape.arguments());
        command.addAll(List.of("--durability", durability));
        command.addAll(List.of("--recovery", EnumConverter.of(recovery)));
        if (processes) {
            command.add("--processes");
        }
        long before = Files.exists(log) ? Files.size(log) : 0;
        Process child = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        System.err.println("bulwark: starting in the background; log: " + log);
        Thread giveUp = Thread.ofPlatform().unstarted(() -> child.toHandle().destroy());
        Runtime.getRuntime().addShutdownHook(giveUp);
        StartupLines story = StartupLines.standard();
        ApplianceProgress progress = ControlSocket.progress(data.root());
        while (!progress.ready()) {
            if (!child.isAlive()) {
                story.erase();
                throw new CommandFailure(
                        child.exitValue() == 0 ? CommandFailure.FAILED : child.exitValue(),
                        "the appliance did not start" + lastLogLine(log, before) + "; see " + log);
            }
            story.awaits(
                    progress.doing().isEmpty()
                            ? "waiting for process " + child.pid() + " to begin; its log is " + log
                            : progress.doing());
            Thread.sleep(100);
            progress = ControlSocket.progress(data.root());
        }
        story.erase();
        Runtime.getRuntime().removeShutdownHook(giveUp);
        ClusterPlan plan = new ClusterPlan(data, data.shape().orElseThrow());
        String text = "Bulwark is up in the background (process " + child.pid() + ", log " + log
                + "); `bulwark down` stops it.";
        Optional<String> link = ConsoleCommand.firstSetupLink(plan);
        global.print(
                new DetachedView(
                        true,
                        data.root().toString(),
                        child.pid(),
                        log.toString(),
                        plan.hasS3() ? S3Command.urlOf(plan) : "",
                        link.orElse(null)),
                text
                        + link.map(url -> "\nConsole: " + url
                                        + "\n"
                                        + "Open the link within an hour: it creates the account of the console's first"
                                        + " administrator.")
                                .orElse(""));
        return 0;
    }

    /**
     * Returns the last line that the foreground would have shown, or the log's last error; empty if there is neither.
     */
    private static String lastLogLine(Path log, long from) throws IOException {
        try (InputStream in = Files.newInputStream(log)) {
            in.skipNBytes(Math.max(from, Files.size(log) - LAST_BYTES_MAX));
            return new String(in.readNBytes(LAST_BYTES_MAX), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> line.startsWith(StartupLines.SAYS) || line.contains(" ERROR "))
                    .reduce((_, last) -> last)
                    .map(line -> "; last log line: "
                            + (line.startsWith(StartupLines.SAYS) ? line.substring(StartupLines.SAYS.length()) : line))
                    .orElse("");
        }
    }

    /** @param setup the link for the first administrator; null if there is one */
    private record ReadyView(
            boolean ready,
            String data,
            String console,
            String s3,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String setup,

            List<ApplianceStatus.Member> members) {}

    /** @param setup as above */
    private record DetachedView(
            boolean ready,
            String data,
            long pid,
            String log,
            String s3,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String setup) {}
}
