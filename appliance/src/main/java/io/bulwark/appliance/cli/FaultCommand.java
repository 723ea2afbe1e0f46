package io.bulwark.appliance.cli;

import io.bulwark.client.Bulwark;
import io.bulwark.client.FaultyNodes;
import io.bulwark.client.text.NodeFaultText;
import io.bulwark.protocol.metadata.FaultPolicy;
import io.bulwark.protocol.metadata.NodeFault;
import io.bulwark.protocol.metadata.Suspicion;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code bulwark fault}: nodes that their peers find faulty. */
@Command(
        name = "fault",
        description = {
            "Show faulty nodes, forgive them, or set their treatment: list, show, forgive, policy, simulate.",
            "f+1 holders of a placement group name a faulty node, by signed evidence or by statistics."
        })
final class FaultCommand implements Runnable {
    @Spec
    private @Nullable CommandSpec spec;

    /** Treatment of faulty nodes. */
    enum Removal {
        /** The replicas move their slots to other nodes. */
        AUTO,
        /** They are named, and an operator decides. */
        ASK
    }

    @Override
    public void run() {
        throw new ParameterException(
                Objects.requireNonNull(spec).commandLine(), "fault needs one of list, show, forgive, policy, simulate");
    }

    @Command(name = "list", description = "List the faulty nodes, who says so, and the progress of their removal.")
    int list(@Mixin ClusterAccess access) {
        FaultyNodes.Report report = report(access);
        if (access.global().json()) {
            GlobalOptions.printJson(report.faults().stream().map(FaultView::of).toList());
        } else if (report.faults().isEmpty()) {
            System.out.println("No node is faulty, as far as the nodes agree.");
        } else {
            List<List<String>> rows = new ArrayList<>();
            rows.add(List.of("NODE", "FAULT", "SINCE", "REMOVAL"));
            for (NodeFault fault : report.faults()) {
                rows.add(List.of(
                        "node-" + fault.node(),
                        NodeFaultText.accusation(fault),
                        Instant.ofEpochMilli(fault.sinceMillis()).toString(),
                        NodeFaultText.stage(fault)));
            }
            System.out.println(Text.table(rows));
        }
        return 0;
    }

    @Command(
            name = "show",
            description = {
                "Show the counts of each node about one node, on which no name needs to rest.",
                "`bulwark evidence show` shows the signed reports of a recorded fault."
            })
    int show(
            @Mixin ClusterAccess access,
            @Parameters(paramLabel = "NODE", description = "Such as node-5.") String node) {
        int number = NodeMoveCommands.number(node);
        FaultyNodes.Report report = report(access);
        List<NodeFault> named =
                report.faults().stream().filter(fault -> fault.node() == number).toList();
        List<Suspicion> counts = new ArrayList<>(report.suspicions().stream()
                .filter(each -> each.last().node() == number)
                .toList());
        // Those that named it may have expired, or ended with its slots.
        named.stream()
                .flatMap(fault -> fault.suspicions().stream())
                .filter(each -> counts.stream()
                        .noneMatch(now -> now.reporter() == each.reporter()
                                && now.last().kind() == each.last().kind()))
                .forEach(counts::add);
        if (access.global().json()) {
            GlobalOptions.printJson(new NodeView(
                    number,
                    named.stream().map(FaultView::of).toList(),
                    counts.stream().map(CountView::of).toList()));
            return 0;
        }
        for (NodeFault fault : named) {
            System.out.println("node-" + number + " is faulty since " + Instant.ofEpochMilli(fault.sinceMillis()) + ": "
                    + NodeFaultText.accusation(fault) + "; " + NodeFaultText.stage(fault) + ".");
        }
        if (counts.isEmpty()) {
            System.out.println("No node counts anything against node-" + number + ".");
            return 0;
        }
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("COUNTED BY", "KIND", "COUNTS", "SCORE", "LAST REPORT"));
        for (Suspicion each : counts) {
            rows.add(List.of(
                    "node-" + each.reporter(),
                    each.last().kind().text(),
                    NodeFaultText.counts(each),
                    String.format(Locale.ROOT, "%.1f", each.score() / 1000.0),
                    Instant.ofEpochMilli(each.agreedMillis()).toString()));
        }
        System.out.println(Text.table(rows));
        return 0;
    }

    @Command(
            name = "forgive",
            description = {
                "Take a node off the list of faulty nodes, with all that was reported about it.",
                "Announced changes of its slots are given up; `bulwark node add NODE` gives it slots again."
            })
    int forgive(
            @Mixin ClusterAccess access,
            @Parameters(paramLabel = "NODE", description = "Such as node-5.") String node) {
        int number = NodeMoveCommands.number(node);
        try (Bulwark client = access.connect()) {
            client.faultyNodes().forgive(number);
        }
        access.global().print(new ForgivenView(number, true), "node-" + number + " is forgiven.");
        return 0;
    }

    @Command(
            name = "policy",
            description = {
                "Show or set the treatment of faulty nodes; options not given stay as they are.",
                "With auto the replicas move the slots of one faulty node at a time to nodes that are not suspected."
            })
    int policy(
            @Mixin ClusterAccess access,
            @Option(names = "--remove", paramLabel = "MODE", description = "auto or ask (default at first: ask).")
                    @Nullable
                    Removal remove,
            @Option(
                            names = "--window",
                            paramLabel = "SECONDS",
                            description = "Time for which nodes count before they report (default at first: 60).")
                    @Nullable
                    Integer window,
            @Option(
                            names = "--per-day",
                            paramLabel = "NODES",
                            description = "Removals per day at most (default at first: 1).")
                    @Nullable
                    Integer perDay) {
        FaultPolicy policy;
        try (Bulwark client = access.connect()) {
            FaultPolicy before = client.faultyNodes().report().policy();
            policy = changed(before, remove, window, perDay);
            if (!policy.equals(before)) {
                client.faultyNodes().set(policy);
            }
        }
        access.global()
                .print(
                        new PolicyView(
                                policy.removes() ? "auto" : "ask", policy.windowSeconds(), policy.removalsPerDay()),
                        (policy.removes()
                                        ? "Faulty nodes are removed, at most " + policy.removalsPerDay() + " a day"
                                        : "Faulty nodes are named, and operators decide")
                                + "; nodes report every " + policy.windowSeconds() + " s.");
        return 0;
    }

    @Command(
            name = "simulate",
            description = {
                "Simulate detection: n and b as nodes fail one by one, and windows until a faulty node is named.",
                "It shows static, dynamic and reconfigurable quorums, as in figure 6 of Agile Store. No cluster is"
                        + " used."
            })
    int simulate(
            @Mixin GlobalOptions global,
            @Option(names = "--seed", paramLabel = "N", description = "Seed of the run (default: from the clock).")
                    @Nullable
                    Long seed) {
        FaultSimulation.print(seed == null ? System.nanoTime() : seed, global.json());
        return 0;
    }

    private static FaultPolicy changed(
            FaultPolicy before, @Nullable Removal remove, @Nullable Integer window, @Nullable Integer perDay) {
        try {
            return new FaultPolicy(
                    remove == null ? before.removes() : remove == Removal.AUTO,
                    window == null ? before.windowSeconds() : window,
                    perDay == null ? before.removalsPerDay() : perDay);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(CommandFailure.USAGE, String.valueOf(e.getMessage()));
        }
    }

    private static FaultyNodes.Report report(ClusterAccess access) {
        try (Bulwark client = access.connect()) {
            return client.faultyNodes().report();
        }
    }

    private record NodeView(int node, List<FaultView> named, List<CountView> counts) {}

    private record ForgivenView(int node, boolean forgiven) {}

    private record PolicyView(String remove, int windowSeconds, int removalsPerDay) {}

    private record FaultView(
            int node, String kind, long sinceMillis, long evidence, List<Integer> reporters, String stage) {
        private static FaultView of(NodeFault fault) {
            return new FaultView(
                    fault.node(),
                    fault.kind().text(),
                    fault.sinceMillis(),
                    fault.evidence(),
                    fault.suspicions().stream().map(Suspicion::reporter).toList(),
                    fault.stage().name().toLowerCase(Locale.ROOT));
        }
    }

    private record CountView(
            int reporter,
            String kind,
            double score,
            int windows,
            long asked,
            long bad,
            int volume,
            int group,
            long lastMillis) {
        private static CountView of(Suspicion suspicion) {
            return new CountView(
                    suspicion.reporter(),
                    suspicion.last().kind().text(),
                    suspicion.score() / 1000.0,
                    suspicion.windows(),
                    suspicion.asked(),
                    suspicion.bad(),
                    suspicion.last().volume(),
                    suspicion.last().group(),
                    suspicion.agreedMillis());
        }
    }
}
