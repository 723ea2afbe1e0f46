package io.bulwark.appliance.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Properties;
import java.util.Set;

/**
 * How many members an appliance on one machine has, and where they listen: the console at {@code portBase}, node i at
 * {@code portBase + 10 + i}, replica i at {@code portBase + 200 + i}.
 *
 * @param replicas 3f + 1
 * @param ordering the ordering engine: {@code bft-smart} or {@code bft}
 * @param durability of the storage nodes: {@code sync}, {@code interval} or {@code none}
 */
public record ClusterShape(int nodes, int replicas, int portBase, String ordering, String durability) {
    public static final int PORT_BASE_DEFAULT = 7400;

    /** The ordering engine of a new appliance. */
    public static final String ORDERING_DEFAULT = "bft-smart";

    /** The engine after the proactive recovery paper. */
    public static final String ORDERING_BFT = "bft";

    private static final Set<String> ORDERINGS = Set.of(ORDERING_DEFAULT, ORDERING_BFT);

    public static final int NODES_MAX = 150;

    public ClusterShape {
        if (nodes < 4 || nodes > NODES_MAX) {
            throw new IllegalArgumentException("an appliance has 4 to " + NODES_MAX + " storage nodes, not " + nodes);
        }
        if (replicas < 4 || replicas > 31 || replicas % 3 != 1) {
            throw new IllegalArgumentException("an appliance has 3f + 1 replicas (4, 7, ...), not " + replicas);
        }
        if (!ORDERINGS.contains(ordering)) {
            throw new IllegalArgumentException(
                    "there is no ordering engine \"" + ordering + "\"; there are bft-smart and bft");
        }
        if (!Set.of("sync", "interval", "none").contains(durability)) {
            throw new IllegalArgumentException("durability is sync, interval or none, not \"" + durability + "\"");
        }
        if (portBase < 1024 || portBase > 65_535 - 1000) {
            throw new IllegalArgumentException("the port base must be in 1024..64535, not " + portBase);
        }
    }

    public int consolePort() {
        return portBase;
    }

    public int nodePort(int node) {
        return portBase + 10 + node;
    }

    public int replicaPort(int replica) {
        return portBase + 200 + replica;
    }

    /** The faulty replicas that the group tolerates. */
    public int replicaFaults() {
        return (replicas - 1) / 3;
    }

    void to(Properties properties) {
        properties.setProperty("nodes", Integer.toString(nodes));
        properties.setProperty("replicas", Integer.toString(replicas));
        properties.setProperty("port-base", Integer.toString(portBase));
        properties.setProperty("ordering", ordering);
        properties.setProperty("durability", durability);
    }

    static ClusterShape from(Properties properties, Path file) throws IOException {
        try {
            return new ClusterShape(
                    Integer.parseInt(properties.getProperty("nodes", "")),
                    Integer.parseInt(properties.getProperty("replicas", "")),
                    Integer.parseInt(properties.getProperty("port-base", "")),
                    properties.getProperty("ordering", ""),
                    properties.getProperty("durability", ""));
        } catch (IllegalArgumentException e) {
            throw new IOException(file + " is damaged: " + e.getMessage(), e);
        }
    }
}
