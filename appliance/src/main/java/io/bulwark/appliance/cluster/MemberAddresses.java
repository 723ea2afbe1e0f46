package io.bulwark.appliance.cluster;

import io.bulwark.transport.Destination;
import io.bulwark.transport.file.AtomicFile;
import io.bulwark.transport.file.TextFile;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Properties;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Addresses of the members of an appliance: all on loopback, or each on a host of its own, by address or by name. They
 * are stored as {@code addresses.properties} in the data directory, a line {@code node-3=HOST:PORT} for each node and
 * replica.
 */
public final class MemberAddresses {
    private static final String LOOPBACK = "127.0.0.1";
    /** All addresses of a host. */
    public static final String ANY = "0.0.0.0";

    private static final String MEMBER = "%s";
    private static final int FILE_BYTES_MAX = 64 << 10;

    private final SortedMap<String, InetSocketAddress> given;

    private MemberAddresses(SortedMap<String, InetSocketAddress> given) {
        this.given = given;
    }

    /** All on this machine. */
    public static MemberAddresses loopback() {
        return new MemberAddresses(new TreeMap<>());
    }

    /**
     * Each at a host that is named after it.
     *
     * @param pattern of the host's name; {@code %s} stands for the member, as {@code node-3}
     * @throws IllegalArgumentException if the pattern does not tell members apart
     */
    public static MemberAddresses named(String pattern, ClusterShape shape) {
        if (!pattern.contains(MEMBER)) {
            throw new IllegalArgumentException("\"" + pattern + "\" is one host for all; %s stands for the member");
        }
        SortedMap<String, InetSocketAddress> all = new TreeMap<>();
        ports(shape).forEach((member, port) -> all.put(member, Destination.of(pattern.replace(MEMBER, member), port)));
        return new MemberAddresses(all);
    }

    /**
     * Reads the addresses of all members from a file.
     *
     * @param file as it is kept; a host without a port has the port of the shape
     * @throws IOException if it cannot be read, or does not name exactly the nodes and replicas
     */
    public static MemberAddresses read(Path file, ClusterShape shape) throws IOException {
        Properties properties = TextFile.properties(file, FILE_BYTES_MAX);
        SortedMap<String, Integer> ports = ports(shape);
        SortedMap<String, InetSocketAddress> all = new TreeMap<>();
        for (String member : properties.stringPropertyNames()) {
            Integer port = ports.get(member);
            if (port == null) {
                throw new IOException(file + ": there is no member " + member + "; there are " + ports.keySet());
            }
            try {
                all.put(member, parsed(properties.getProperty(member).trim(), port));
            } catch (IllegalArgumentException e) {
                throw new IOException(file + ": " + member + ": " + e.getMessage(), e);
            }
        }
        ports.keySet().removeAll(all.keySet());
        if (!ports.isEmpty()) {
            throw new IOException(file + " lacks the addresses of: " + String.join(", ", ports.keySet()));
        }
        return new MemberAddresses(all);
    }

    /** Returns the stored addresses, if the directory has any. */
    public static Optional<MemberAddresses> kept(DataDirectory data, ClusterShape shape) throws IOException {
        Path file = file(data);
        return Files.exists(file) ? Optional.of(read(file, shape)) : Optional.empty();
    }

    /** Keeps them; returns once that is durable. */
    public void keep(DataDirectory data) throws IOException {
        Properties properties = new Properties();
        given.forEach((member, address) -> properties.setProperty(member, Destination.text(address)));
        AtomicFile.replace(
                file(data), StandardCharsets.UTF_8.encode(TextFile.text(properties, "Addresses of the members")));
    }

    /** Returns whether all are on this machine, so that {@code up} can start them. */
    public boolean isLoopback() {
        return given.isEmpty();
    }

    /** Returns the address at which others find a member. */
    InetSocketAddress of(String member, int port) {
        InetSocketAddress known = given.get(member);
        return known == null ? Destination.of(LOOPBACK, port) : known;
    }

    /** Returns the address on which a member listens: loopback, or all addresses of its host. */
    InetSocketAddress listen(String member, int port) {
        InetSocketAddress known = given.get(member);
        return known == null ? Destination.of(LOOPBACK, port) : Destination.of(ANY, known.getPort());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof MemberAddresses addresses && addresses.given.equals(given);
    }

    @Override
    public int hashCode() {
        return given.hashCode();
    }

    @Override
    public String toString() {
        return given.isEmpty()
                ? "all on loopback"
                : given.entrySet().stream()
                        .map(each -> each.getKey() + "=" + Destination.text(each.getValue()))
                        .collect(Collectors.joining(", "));
    }

    private static Path file(DataDirectory data) {
        return data.root().resolve("addresses.properties");
    }

    private static SortedMap<String, Integer> ports(ClusterShape shape) {
        SortedMap<String, Integer> ports = new TreeMap<>();
        for (int i = 0; i < shape.nodes(); i++) {
            ports.put("node-" + i, shape.nodePort(i));
        }
        for (int i = 0; i < shape.replicas(); i++) {
            ports.put("replica-" + i, shape.replicaPort(i));
        }
        return ports;
    }

    /** {@code HOST} or {@code HOST:PORT}; an IPv6 address with a port stands in brackets. */
    public static InetSocketAddress parsed(String text, int port) {
        int colon = text.lastIndexOf(':');
        boolean bare = colon < 0 || (text.indexOf(':') != colon && !text.startsWith("["));
        String host = bare || text.endsWith("]") ? text : text.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        }
        if (host.isEmpty()) {
            throw new IllegalArgumentException("\"" + text + "\" is not HOST or HOST:PORT");
        }
        try {
            boolean said = !bare && !text.endsWith("]");
            return Destination.of(host, said ? Integer.parseInt(text.substring(colon + 1)) : port);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("\"" + text + "\" is not HOST or HOST:PORT", e);
        }
    }
}
