package io.bulwark.appliance.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Properties;
import java.util.Set;

/**
 * Number of members of an appliance on one machine, and their ports. The console has {@code portBase}, the S3 gateway
 * {@code portBase + 1}, node i {@code portBase + 10 + i}, replica i {@code portBase + 200 + i}; each has its admin
 * endpoint 500 above.
 *
 * @param replicas 3f + 1
 * @param durability of the storage nodes: {@code sync}, {@code interval} or {@code none}
 * @param insecureLoopback no TLS: plain text, on loopback only
 */
public record ClusterShape(
        int nodes, int replicas, int portBase, Ordering ordering, String durability, boolean insecureLoopback) {
    public static final int PORT_BASE_DEFAULT = 7400;

    public static final int NODES_MAX = 150;

    /** The port of node 0 is so far above the base. */
    public static final int NODES_ABOVE = 10;

    public static final int REPLICAS_ABOVE = 200;

    private static final int ADMIN_ABOVE = 500;

    public ClusterShape {
        if (nodes < 4 || nodes > NODES_MAX) {
            throw new IllegalArgumentException("an appliance has 4 to " + NODES_MAX + " storage nodes, not " + nodes);
        }
        if (replicas < 4 || replicas > 31 || replicas % 3 != 1) {
            throw new IllegalArgumentException("an appliance has 3f + 1 replicas (4, 7, ...), not " + replicas);
        }
        if (!Set.of("sync", "interval", "none").contains(durability)) {
            throw new IllegalArgumentException("durability is sync, interval or none, not \"" + durability + "\"");
        }
        if (!isPortBase(portBase)) {
            throw new IllegalArgumentException("the port base must be in 1024..64535, not " + portBase);
        }
    }

    /** Returns the shape with TLS. */
    public ClusterShape(int nodes, int replicas, int portBase, Ordering ordering, String durability) {
        this(nodes, replicas, portBase, ordering, durability, false);
    }

    /** Returns whether all ports above it exist and are unprivileged. */
    public static boolean isPortBase(int port) {
        return port >= 1024 && port <= 65_535 - 1000;
    }

    /**
     * Base from which the ports of members follow, if they do; else the usual one.
     *
     * @param ports by the numbers of the members
     * @param above how far the port of member 0 is above the base
     */
    public static int portBase(Map<Integer, Integer> ports, int above) {
        Set<Integer> bases = new HashSet<>();
        ports.forEach((number, port) -> bases.add(port - above - number));
        int base = bases.size() == 1 ? bases.iterator().next() : PORT_BASE_DEFAULT;
        return isPortBase(base) ? base : PORT_BASE_DEFAULT;
    }

    public int consolePort() {
        return portBase;
    }

    public int s3Port() {
        return portBase + 1;
    }

    public int nodePort(int node) {
        return portBase + NODES_ABOVE + node;
    }

    public int replicaPort(int replica) {
        return portBase + REPLICAS_ABOVE + replica;
    }

    /**
     * Returns the admin port, for health and meters, of the process that listens on {@code port}, if it has a process
     * of its own.
     */
    public static int adminPort(int port) {
        return port + ADMIN_ABOVE;
    }

    /** The faulty replicas that the group tolerates. */
    public int replicaFaults() {
        return (replicas - 1) / 3;
    }

    void to(Properties properties) {
        properties.setProperty("nodes", Integer.toString(nodes));
        properties.setProperty("replicas", Integer.toString(replicas));
        properties.setProperty("port-base", Integer.toString(portBase));
        properties.setProperty("ordering", ordering.toString());
        properties.setProperty("durability", durability);
        properties.setProperty("insecure-loopback", Boolean.toString(insecureLoopback));
    }

    static ClusterShape from(Properties properties, Path file) throws IOException {
        try {
            return new ClusterShape(
                    Integer.parseInt(properties.getProperty("nodes", "")),
                    Integer.parseInt(properties.getProperty("replicas", "")),
                    Integer.parseInt(properties.getProperty("port-base", "")),
                    Ordering.named(properties.getProperty("ordering", "")),
                    properties.getProperty("durability", ""),
                    Boolean.parseBoolean(properties.getProperty("insecure-loopback", "false")));
        } catch (IllegalArgumentException e) {
            throw new IOException(file + " is damaged: " + e.getMessage(), e);
        }
    }
}
