package io.bulwark.appliance.network;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;

/**
 * Hosts on one machine, each with its own network namespace, address and cable to one switch. The switch is a bridge in
 * another namespace, each cable a pair of virtual devices. This process is a host, too, so that clients in it reach the
 * others. Each cable has a bandwidth and can be pulled, and packets between any two hosts can be lost. As on a real
 * network, TCP gets no notice, and data comes later or never. Nothing is delayed: the kernel at hand has no netem.
 *
 * <p>Needs root, iproute2 and util-linux; {@link #missing} names what is missing. Nothing remains, even of a killed
 * test, once the next one has ended its {@link Orphans}.
 */
public final class HostNetwork implements AutoCloseable {
    /** Set aside for tests of networks (RFC 2544), so that no real one has it. */
    private static final String ADDRESSES = "198.18.";

    /** Hardware address that no host has. */
    private static final String NOWHERE = "02:00:00:00:00:00";

    private static final String DEVICE = "eth0";
    private static final int BURST_BYTES_MIN = 32 << 10;
    private static final int BURSTS_PER_SECOND = 50;
    private static final String QUEUED_MAX = "200ms";
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final String prefix;
    private final NetworkNamespace wire;
    private final Map<String, Host> hosts = new LinkedHashMap<>();
    private final Host own;

    private HostNetwork(String prefix) throws IOException {
        this.prefix = prefix;
        wire = NetworkNamespace.open();
        try {
            wire.ip("link add switch type bridge", "link set switch up");
            // Other tests may run beside this one, so the device has the name of the network.
            String device = "bw" + prefix.substring(ADDRESSES.length()).replace(".", "");
            own = connect("own", NetworkNamespace.own(), device);
        } catch (IOException e) {
            wire.close();
            throw e;
        }
    }

    /** One with this process as its only host. */
    public static HostNetwork open() throws IOException {
        Random random = new Random();
        Set<String> taken = taken();
        String prefix;
        do {
            prefix = ADDRESSES + random.nextInt(256) + ".";
        } while (taken.contains(prefix));
        return new HostNetwork(prefix);
    }

    /** Returns the requirements of such a network that this machine lacks; empty if it can be made here. */
    public static String missing() {
        List<String> programs = Stream.of("ip", "tc", "unshare", "nsenter")
                .filter(program -> Stream.of("/usr/sbin", "/sbin", "/usr/bin", "/bin")
                        .noneMatch(directory -> Files.isExecutable(Path.of(directory, program))))
                .toList();
        if (!programs.isEmpty()) {
            return "a network of hosts needs " + programs + " (iproute2, util-linux)";
        }
        try (HostNetwork network = open()) {
            Host host = network.add("trial");
            host.cap(1 << 20);
            return "";
        } catch (IOException e) {
            return "a network of hosts needs root and a kernel that lets it: " + e.getMessage();
        }
    }

    private static Set<String> taken() throws IOException {
        return NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .map(InetAddress::getHostAddress)
                .map(address -> address.substring(0, address.lastIndexOf('.') + 1))
                .collect(Collectors.toSet());
    }

    /** One more host. */
    public synchronized Host add(String name) throws IOException {
        if (hosts.containsKey(name)) {
            throw new IllegalArgumentException(name + " is there already");
        }
        return connect(name, NetworkNamespace.open(), DEVICE);
    }

    private Host connect(String name, NetworkNamespace namespace, String device) throws IOException {
        Host host = new Host(name, namespace, device, hosts.size() + 1);
        hosts.put(name, host);
        wire.ip(
                "link add " + host.port + " type veth peer name " + device + " netns " + namespace.pid(),
                "link set " + host.port + " master switch up");
        namespace.ip("addr add " + host.address + "/24 dev " + device, "link set " + device + " up");
        return host;
    }

    /** This process's: where clients are. */
    public Host own() {
        return own;
    }

    public Host host(String name) {
        return Objects.requireNonNull(hosts.get(name), name);
    }

    /** All, that of this process too. */
    public Collection<Host> hosts() {
        return List.copyOf(hosts.values());
    }

    /** Removes the network; processes that still run on its hosts lose it. */
    @Override
    public void close() {
        hosts.values().forEach(host -> host.namespace.close());
        wire.close();
    }

    /** One of them. */
    public final class Host {
        private final String name;
        private final NetworkNamespace namespace;
        private final String device;
        private final String port;
        private final String address;
        private final Set<Host> lost = new LinkedHashSet<>();
        private boolean capped;

        private Host(String name, NetworkNamespace namespace, String device, int number) {
            this.name = name;
            this.namespace = namespace;
            this.device = device;
            this.port = "port" + number;
            this.address = prefix + number;
        }

        public String name() {
            return name;
        }

        public String address() {
            return address;
        }

        /** Returns the command line that runs this command on the host; the process is the command's own. */
        public List<String> command(List<String> words) {
            return namespace.command(words);
        }

        /**
         * Limits the bandwidth of its cable in each direction. Packets that wait longer than a moment are lost, so that
         * TCP slows down.
         */
        public void cap(long bytesPerSecond) throws IOException {
            String bucket = " root tbf rate " + 8 * bytesPerSecond + "bit burst "
                    + Math.max(BURST_BYTES_MIN, bytesPerSecond / BURSTS_PER_SECOND) + "b latency " + QUEUED_MAX;
            namespace.tc("qdisc replace dev " + device + bucket);
            wire.tc("qdisc replace dev " + port + bucket);
            capped = true;
        }

        /** Removes the bandwidth limit of its cable. */
        public void uncap() throws IOException {
            if (capped) {
                capped = false;
                namespace.tc("qdisc del dev " + device + " root");
                wire.tc("qdisc del dev " + port + " root");
            }
        }

        /** Returns how often a packet to this host had to wait since the link was capped. */
        public long heldBack() throws IOException {
            String said = wire.run(List.of("tc", "-s", "-j", "qdisc", "show", "dev", port));
            return JSON.readTree(said).get(0).get("overlimits").asLong();
        }

        /** All that its cable has carried from it. */
        public long sentBytes() throws IOException {
            return carried("rx");
        }

        /** All that its cable has carried to it. */
        public long receivedBytes() throws IOException {
            return carried("tx");
        }

        /** @param direction as the switch sees it */
        private long carried(String direction) throws IOException {
            String said = wire.run(List.of("ip", "-s", "-j", "link", "show", "dev", port));
            return JSON.readTree(said)
                    .get(0)
                    .get("stats64")
                    .get(direction)
                    .get("bytes")
                    .asLong();
        }

        /** Pulls its cable: nothing reaches it or leaves it. */
        public void unplug() throws IOException {
            wire.ip("link set " + port + " down");
        }

        public void plug() throws IOException {
            wire.ip("link set " + port + " up");
        }

        /** As it was at first, whatever a test has done to it. */
        public void restore() throws IOException {
            plug();
            find();
            uncap();
        }

        /** Drops all packets between this host and these from now on. */
        public void lose(Collection<Host> others) throws IOException {
            synchronized (HostNetwork.this) {
                for (Host other : others) {
                    if (!other.equals(this) && lost.add(other) && !other.lost.contains(this)) {
                        namespace.ip("neigh replace " + other.address + " lladdr " + NOWHERE + " dev " + device
                                + " nud permanent");
                        other.namespace.ip("neigh replace " + address + " lladdr " + NOWHERE + " dev " + other.device
                                + " nud permanent");
                    }
                }
            }
        }

        /** Reaches the hosts again that it was told to lose; hosts that were told to lose this one stay unreachable. */
        public void find() throws IOException {
            synchronized (HostNetwork.this) {
                for (Host other : lost) {
                    if (!other.lost.contains(this)) {
                        namespace.ip("neigh del " + other.address + " dev " + device);
                        other.namespace.ip("neigh del " + address + " dev " + other.device);
                    }
                }
                lost.clear();
            }
        }
    }
}
