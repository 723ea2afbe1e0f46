package io.bulwark.appliance.cli;

import io.bulwark.client.Alarms;
import io.bulwark.client.Bulwark;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Reply.VolumeAlarm;
import io.bulwark.protocol.metadata.ThreatPolicy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bulwark threat}: alarms from outside move the faults that volumes tolerate. */
@Command(
        name = "threat",
        description = {
            "Let alarms from outside move the faults that volumes tolerate: raise, lower, show, policy.",
            "Volumes with bounds follow the level: `bulwark volume set NAME --faults 1..3` tolerates 1 + level, at"
                    + " most 3."
        })
final class ThreatCommand implements Runnable {
    /** Options of what moves the level. */
    static final class Move {
        @Option(
                names = "--by",
                paramLabel = "N",
                defaultValue = "1",
                description = "Number of levels (default: ${DEFAULT-VALUE}).")
        private int levels;

        @Option(names = "--reason", paramLabel = "TEXT", defaultValue = "", description = "For the audit log.")
        private String reason = "";
    }

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(
                Objects.requireNonNull(spec).commandLine(), "threat needs one of raise, lower, show, policy");
    }

    @Command(
            name = "raise",
            description = {
                "Raise the threat level; the faults of volumes rise with it, within their bounds.",
                "For operators, and for the feeds that `threat policy` names."
            })
    int raise(@Mixin ClusterAccess access, @Mixin Move move) {
        try (Bulwark client = access.connect()) {
            client.alarms().raise(move.levels, move.reason);
            print(access, client.alarms().state());
        }
        return 0;
    }

    @Command(name = "lower", description = "Lower the threat level; the faults of volumes fall with it.")
    int lower(@Mixin ClusterAccess access, @Mixin Move move) {
        try (Bulwark client = access.connect()) {
            client.alarms().lower(move.levels, move.reason);
            print(access, client.alarms().state());
        }
        return 0;
    }

    @Command(name = "show", description = "Show the threat level, and the volumes that follow it.")
    int show(@Mixin ClusterAccess access) {
        try (Bulwark client = access.connect()) {
            print(access, client.alarms().state());
        }
        return 0;
    }

    @Command(
            name = "policy",
            description = "Show or set who may raise the threat level, and whether it falls with time.")
    int policy(
            @Mixin ClusterAccess access,
            @Option(
                            names = "--feed",
                            paramLabel = "CLIENT",
                            arity = "0..*",
                            split = ",",
                            description =
                                    "Clients that may raise the level, such as client-20; none takes it from all.")
                    @Nullable
                    List<String> feeds,
            @Option(
                            names = "--calm",
                            paramLabel = "SECONDS",
                            description = "Time without alarm after which the level falls by one; 0 for never (default"
                                    + " at first: 0).")
                    @Nullable
                    Integer calm) {
        try (Bulwark client = access.connect()) {
            ThreatPolicy before = client.alarms().state().policy();
            ThreatPolicy policy = changed(before, feeds, calm);
            if (!policy.equals(before)) {
                client.alarms().set(policy);
            }
            print(access, client.alarms().state());
        }
        return 0;
    }

    private static ThreatPolicy changed(ThreatPolicy before, @Nullable List<String> feeds, @Nullable Integer calm) {
        try {
            return new ThreatPolicy(
                    feeds == null
                            ? before.feeds()
                            : feeds.stream()
                                    .filter(feed -> !feed.isEmpty())
                                    .map(PrincipalId::parse)
                                    .toList(),
                    calm == null ? before.calmSeconds() : calm);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(CommandFailure.USAGE, String.valueOf(e.getMessage()));
        }
    }

    /** A volume that follows the level. */
    private record VolumeView(String volume, int least, int most, int faults, int announced, String waitsFor) {}

    private record ThreatView(
            int level,
            String changed,
            String by,
            String reason,
            List<String> feeds,
            int calmSeconds,
            List<VolumeView> volumes) {}

    private static void print(ClusterAccess access, Alarms.State state) {
        access.global().print(view(state), text(state));
    }

    private static ThreatView view(Alarms.State state) {
        return new ThreatView(
                state.level().level(),
                Instant.ofEpochMilli(state.level().changedMillis()).toString(),
                state.level().by().toString(),
                state.level().reason(),
                state.policy().feeds().stream().map(PrincipalId::toString).toList(),
                state.policy().calmSeconds(),
                state.volumes().stream()
                        .map(each -> new VolumeView(
                                each.volume(),
                                each.least(),
                                each.most(),
                                each.faults(),
                                each.announced(),
                                each.waitsFor()))
                        .toList());
    }

    private static String text(Alarms.State state) {
        List<String> lines = new ArrayList<>();
        boolean changed = state.level().changedMillis() > 0;
        String reason = state.level().reason();
        lines.add("Threat level " + state.level().level()
                + (changed ? ", since " + Instant.ofEpochMilli(state.level().changedMillis()) : "")
                + (reason.isEmpty() ? "." : ": " + reason + "."));
        lines.add((state.policy().feeds().isEmpty()
                        ? "Only operators raise it"
                        : "Operators raise it, and "
                                + state.policy().feeds().stream()
                                        .map(PrincipalId::toString)
                                        .collect(Collectors.joining(", ")))
                + (state.policy().calmSeconds() == 0
                        ? "; only operators lower it."
                        : "; it falls by one after " + state.policy().calmSeconds() + " s without alarm."));
        if (state.volumes().isEmpty()) {
            lines.add("No volume follows it; `bulwark volume set NAME --faults 1..3` lets one.");
            return String.join(System.lineSeparator(), lines);
        }
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("VOLUME", "BOUNDS", "FAULTS", "WAITS FOR"));
        for (VolumeAlarm each : state.volumes()) {
            rows.add(List.of(
                    each.volume(),
                    each.least() + ".." + each.most(),
                    each.faults() + (each.announced() == 0 ? "" : " -> " + each.announced()),
                    each.waitsFor()));
        }
        lines.add(Text.table(rows));
        return String.join(System.lineSeparator(), lines);
    }
}
