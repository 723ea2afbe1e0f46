package io.bulwark.appliance.cli;

import io.bulwark.appliance.cluster.ClusterShape;
import io.bulwark.appliance.cluster.Ordering;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for the number of members of an appliance and their ports, chosen at the first start of a data directory. */
final class ShapeOptions {
    private static final int NODES_DEFAULT = 5;
    private static final int REPLICAS_DEFAULT = 4;

    @Option(names = "--nodes", paramLabel = "N", description = "Storage nodes (default: " + NODES_DEFAULT + ").")
    private @Nullable Integer nodes;

    @Option(
            names = "--replicas",
            paramLabel = "N",
            description = "Metadata replicas, 3f + 1 (default: " + REPLICAS_DEFAULT + ").")
    private @Nullable Integer replicas;

    @Option(
            names = "--port-base",
            paramLabel = "PORT",
            description = "Port of the console; nodes are 10 above, replicas 200 (default: "
                    + ClusterShape.PORT_BASE_DEFAULT + "). Other commands read the ports from the data directory.")
    private @Nullable Integer portBase;

    @Option(
            names = "--ordering",
            paramLabel = "ENGINE",
            description = "Ordering engine of the metadata: bft tolerates lying replicas, bft-smart only crashes "
                    + "(default: bft).")
    private @Nullable String ordering;

    @Option(
            names = "--insecure-loopback",
            description = "Disable TLS between members and clients; allowed on loopback addresses only.")
    private boolean insecureLoopback;

    /** Returns the requested shape, with defaults for the options that were not given. */
    ClusterShape shape(String durability) {
        try {
            return new ClusterShape(
                    nodes == null ? NODES_DEFAULT : nodes,
                    replicas == null ? REPLICAS_DEFAULT : replicas,
                    portBase == null ? ClusterShape.PORT_BASE_DEFAULT : portBase,
                    ordering == null ? Ordering.DEFAULT : Ordering.named(ordering),
                    durability,
                    insecureLoopback);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(CommandFailure.USAGE, String.valueOf(e.getMessage()));
        }
    }

    /**
     * Rejects options that differ from those of the data directory's first start. They must not be ignored silently.
     */
    void checkKept(ClusterShape kept) {
        check("--nodes", nodes, kept.nodes());
        check("--replicas", replicas, kept.replicas());
        check("--port-base", portBase, kept.portBase());
        check("--ordering", ordering, kept.ordering().toString());
        check("--insecure-loopback", insecureLoopback ? true : null, kept.insecureLoopback());
    }

    /** The same once more, for a command line. */
    List<String> arguments() {
        List<String> arguments = new ArrayList<>();
        add(arguments, "--nodes", nodes);
        add(arguments, "--replicas", replicas);
        add(arguments, "--port-base", portBase);
        add(arguments, "--ordering", ordering);
        if (insecureLoopback) {
            arguments.add("--insecure-loopback");
        }
        return arguments;
    }

    private static void check(String option, @Nullable Object wanted, Object kept) {
        if (wanted != null && !wanted.equals(kept)) {
            throw new CommandFailure(
                    CommandFailure.USAGE,
                    "this data directory was first started with " + option + " " + kept
                            + ", which cannot change; omit the option, or choose another directory with --data");
        }
    }

    private static void add(List<String> arguments, String option, @Nullable Object value) {
        if (value != null) {
            arguments.add(option);
            arguments.add(value.toString());
        }
    }
}
