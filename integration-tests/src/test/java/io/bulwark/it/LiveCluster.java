package io.bulwark.it;

import io.bulwark.appliance.admin.MonitoredMember;
import io.bulwark.appliance.cluster.ClusterPlan;
import io.bulwark.appliance.cluster.ClusterShape;
import io.bulwark.appliance.cluster.DataDirectory;
import io.bulwark.appliance.cluster.Member;
import io.bulwark.appliance.cluster.MemberAddresses;
import io.bulwark.appliance.cluster.Ordering;
import io.bulwark.appliance.cluster.ReplicaMember;
import io.bulwark.appliance.cluster.RunningNode;
import io.bulwark.appliance.control.ControlReply;
import io.bulwark.appliance.control.ControlRequest;
import io.bulwark.appliance.drill.Lie;
import io.bulwark.appliance.network.HostNetwork;
import io.bulwark.appliance.up.Appliance;
import io.bulwark.appliance.up.EmbeddedMembers;
import io.bulwark.appliance.up.Members;
import io.bulwark.appliance.up.ProcessMembers;
import io.bulwark.client.Bulwark;
import io.bulwark.client.ClusterStatus;
import io.bulwark.client.VolumeInfo;
import io.bulwark.client.config.ClientConfig;
import io.bulwark.client.config.KeyRing;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.protocol.MemoryDirectories;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Rights;
import io.bulwark.protocol.metadata.Scope;
import io.bulwark.storage.store.StoreEditor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/**
 * The cluster that the tests of one class share, or of all classes that ask for {@link #shared}: started before the first of them,
 * ended and removed after the last. If a test fails, what the members logged last is printed.
 */
final class LiveCluster implements BeforeAllCallback, AfterAllCallback, TestWatcher {
    /** Seed of all random choices of a test; {@code -Dbulwark.seed} repeats it. */
    static final long SEED = Long.getLong("bulwark.seed", System.nanoTime());

    /** Most tests look at fragments of small objects, so that nodes keep these, too. */
    private static final int INLINE_MAX = Integer.getInteger("bulwark.inline", 0);

    private static final int LOG_LINES_SHOWN = 40;
    private static final long REPAIR_MILLIS_MAX = 120_000;
    private static final long CATCH_UP_MILLIS_MAX = 120_000;
    private static final int REPLICAS = 4;
    private static final LiveCluster SHARED = embedded(5);

    /** Processes that run integration tests at the same time; each has ports of its own. */
    private static final int FORKS = 2;

    private static int lastPortBase;

    /** Makes the members that a plan asks for. */
    private interface Making {
        Members of(ClusterPlan plan) throws IOException;
    }

    private final int nodes;
    private final boolean insecureLoopback;
    private final boolean onHosts;
    private final Making making;
    private final Map<String, Member> members = new ConcurrentHashMap<>();
    private @Nullable Path root;
    private @Nullable HostNetwork network;
    private @Nullable ClusterPlan plan;
    private @Nullable Members made;
    private @Nullable Appliance appliance;
    private @Nullable Bulwark client;
    private @Nullable ConsoleUser consoleUser;

    private LiveCluster(int nodes, boolean insecureLoopback, Making making) {
        this.nodes = nodes;
        this.insecureLoopback = insecureLoopback;
        this.onHosts = false;
        this.making = making;
    }

    private LiveCluster(int nodes) {
        this.nodes = nodes;
        this.insecureLoopback = false;
        this.onHosts = true;
        this.making = plan -> new HostedMembers(plan, network());
    }

    /** All members in this process. */
    static LiveCluster embedded(int nodes) {
        return new LiveCluster(nodes, false, EmbeddedMembers::new);
    }

    /** All members in this process; a slow node takes so long for each message. */
    static LiveCluster embedded(int nodes, long delayMillis) {
        return new LiveCluster(nodes, false, plan -> new EmbeddedMembers(plan).withDelay(delayMillis));
    }

    /**
     * Five nodes in this process, one cluster for all classes that ask for it. Each class has buckets, volumes and clients of its own, and
     * leaves all members running.
     */
    static LiveCluster shared() {
        return SHARED;
    }

    /** All members in this process, for proxies that change what passes. */
    static LiveCluster embeddedWithoutTls(int nodes) {
        return new LiveCluster(nodes, true, EmbeddedMembers::new);
    }

    /**
     * Returns a cluster with each replica and the first {@code alone} nodes in processes of their own, to be killed.
     * The other nodes are in this one.
     */
    static LiveCluster ofReplicaProcesses(int nodes, int alone) {
        return mixed(nodes, true, alone);
    }

    /** Returns a cluster with the first {@code alone} nodes in processes of their own, to be killed. */
    static LiveCluster ofNodeProcesses(int nodes, int alone) {
        return mixed(nodes, false, alone);
    }

    private static LiveCluster mixed(int nodes, boolean replicasAlone, int nodesAlone) {
        return new LiveCluster(
                nodes,
                false,
                plan -> new MixedMembers(
                        new EmbeddedMembers(plan), new ProcessMembers(plan), replicasAlone, nodesAlone));
    }

    /**
     * Each member in a process of its own, to be killed, behind a proxy of its own, to be cut off. Without TLS, so that the proxy
     * sees whose connection it has.
     */
    static LiveCluster ofProxiedProcesses(int nodes) {
        return new LiveCluster(nodes, true, ProxiedMembers::new);
    }

    /**
     * Each member in a process of its own on a host of its own, which can be cut off and slowed down, with TLS. Where no such hosts can be
     * made the tests are left out.
     */
    static LiveCluster ofHosts(int nodes) {
        return new LiveCluster(nodes);
    }

    /**
     * As {@link #ofHosts}, or where no hosts can be made as {@link #ofProxiedProcesses}: {@code -Dbulwark.hosts=false} asks for that.
     */
    static LiveCluster ofCutProcesses(int nodes) {
        boolean wanted = Boolean.parseBoolean(System.getProperty("bulwark.hosts", "true"));
        String missing = wanted ? HostNetwork.missing() : "no hosts are asked for";
        if (missing.isEmpty()) {
            return ofHosts(nodes);
        }
        System.out.println("LEFT OUT: hosts of their own and TLS: members are behind proxies, since " + missing);
        return ofProxiedProcesses(nodes);
    }

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        System.out.println(context.getDisplayName() + ": -Dbulwark.seed=" + SEED);
        if (this == SHARED && root != null) {
            return;
        }
        Orphans.end();
        if (onHosts) {
            String missing = HostNetwork.missing();
            if (!missing.isEmpty()) {
                System.out.println("LEFT OUT: " + context.getDisplayName() + ", since " + missing);
            }
            Assumptions.assumeTrue(missing.isEmpty(), missing);
            network = HostNetwork.open();
        }
        root = MemoryDirectories.create("bulwark-it-");
        try {
            up();
        } catch (Exception e) {
            showLogs(context);
            throw e;
        }
        if (this == SHARED) {
            // Where two processes share the classes, each class is a run of its own.
            Runtime.getRuntime().addShutdownHook(new Thread(this::endAtExit, "shared-cluster"));
        }
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException {
        if (this != SHARED) {
            end();
        }
    }

    private void endAtExit() {
        try {
            end();
        } catch (IOException e) {
            System.out.println("the shared cluster leaves files behind: " + e);
        }
    }

    private void end() throws IOException {
        down();
        for (Member member : members.values()) {
            member.pid().ifPresent(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
        }
        if (network != null) {
            network.close();
        }
        if (root != null) {
            deleteTree(root);
        }
    }

    @Override
    public void testFailed(ExtensionContext context, @Nullable Throwable cause) {
        showLogs(context);
    }

    private void showLogs(ExtensionContext context) {
        System.out.println(context.getDisplayName() + " failed; -Dbulwark.seed=" + SEED + "; the members' last words:");
        try (Stream<Path> logs = Files.list(root().resolve("logs"))) {
            for (Path log : logs.sorted().toList()) {
                List<String> lines = Files.readAllLines(log);
                System.out.println("--- " + log.getFileName());
                lines.subList(Math.max(0, lines.size() - LOG_LINES_SHOWN), lines.size())
                        .forEach(System.out::println);
            }
        } catch (IOException e) {
            System.out.println("no logs: " + e);
        }
    }

    Path root() {
        return Objects.requireNonNull(root);
    }

    ClusterPlan plan() {
        return Objects.requireNonNull(plan);
    }

    /** A client that lives as long as the appliance is up. */
    Bulwark client() {
        return Objects.requireNonNull(client);
    }

    /** Returns the link that makes the first account of the embedded console. */
    String setupUrl() {
        return Objects.requireNonNull(appliance).setupUrl().orElseThrow();
    }

    /** Returns an administrator of the embedded console, who is made for the first test that asks. */
    synchronized ConsoleUser console() throws IOException, InterruptedException {
        ConsoleUser known = consoleUser;
        if (known == null) {
            known = ConsoleUser.setUp(setupUrl());
            consoleUser = known;
        }
        return known;
    }

    /** A client that has seen nothing yet. */
    Bulwark freshClient() {
        return inlineClient(INLINE_MAX);
    }

    /** Returns a client that has objects up to a length in the metadata. */
    Bulwark inlineClient(int inlineMax) {
        return Bulwark.connect(
                ClientConfig.load(plan().data().clientProperties()).withInlineMax(inlineMax));
    }

    /**
     * Connects a client as {@link #freshClient()} does, under a name of its own: 0 is the command line, 1 the console,
     * and others are unused.
     */
    Bulwark freshClient(int number) {
        return Bulwark.connect(clientConfig(number));
    }

    ClientConfig clientConfig(int number) {
        ClientConfig commandLine = ClientConfig.load(plan().data().clientProperties());
        PrincipalId principal = PrincipalId.client(number);
        return new ClientConfig(
                        principal,
                        KeyRing.file(plan().data().keys(), principal),
                        plan().channels(principal),
                        commandLine.faultyReplicas(),
                        commandLine.replicas())
                .withInlineMax(INLINE_MAX);
    }

    /** Lets a client of the genesis read and write, which the operator alone may do at first. */
    void grant(int number) {
        client().principals().grant(PrincipalId.client(number), new Scope.All(), new Rights(true, true, false));
    }

    /** Starts all of it on the data that is there. */
    void up() throws Exception {
        DataDirectory data = DataDirectory.create(root());
        ClusterShape wanted = new ClusterShape(
                nodes, REPLICAS, freePortBase(nodes, REPLICAS), Ordering.DEFAULT, "sync", insecureLoopback);
        ClusterShape shape = data.shape(wanted);
        ClusterPlan planned = new ClusterPlan(
                data, shape, onHosts ? HostedMembers.addresses(data, shape, network()) : MemberAddresses.loopback());
        plan = planned;
        planned.prepare();
        ClientConfig commandLine = ClientConfig.load(data.clientProperties());
        commandLine.withInlineMax(INLINE_MAX).store(data.clientProperties());
        Members wrapped = making.of(planned);
        made = wrapped;
        Members remembering = new Members() {
            @Override
            public Member node(int number) {
                return remembered(wrapped.node(number));
            }

            @Override
            public ReplicaMember replica(int number) {
                return remembered(wrapped.replica(number));
            }

            @Override
            public List<MonitoredMember> watched() {
                return wrapped.watched();
            }
        };
        appliance = Appliance.start(planned, remembering, _ -> {});
        client = freshClient();
    }

    /** Ends all of it; the data stays. */
    void down() throws IOException {
        if (client != null) {
            client.close();
        }
        if (appliance != null) {
            appliance.shutDown();
        }
        if (made instanceof ProxiedMembers proxied) {
            proxied.close();
        }
    }

    /** From now on its replicas recover in their turns, as those of {@code bulwark up} do. */
    void supervise() {
        Objects.requireNonNull(appliance).supervise(Optional.empty());
    }

    int nodes() {
        return nodes;
    }

    int replicas() {
        return REPLICAS;
    }

    /** Through which members of {@link #ofProxiedProcesses} or {@link #ofHosts} talk. */
    Links links() {
        return (Links) Objects.requireNonNull(made);
    }

    /** Returns the network of {@link #ofHosts}, whose hosts are named after their members. */
    HostNetwork network() {
        return Objects.requireNonNull(network);
    }

    Member member(String name) {
        return Objects.requireNonNull(members.get(name), name);
    }

    List<Member> members() {
        return List.copyOf(members.values());
    }

    /** kill -9; returns when the process is gone. */
    static void kill(Member member) throws InterruptedException {
        ProcessHandle process = ProcessHandle.of(member.pid().orElseThrow()).orElseThrow();
        process.destroyForcibly();
        while (process.isAlive()) {
            Thread.sleep(10);
        }
    }

    /** kill -9 of every member. */
    void killAll() throws InterruptedException {
        for (Member member : members.values()) {
            ProcessHandle.of(member.pid().orElseThrow()).orElseThrow().destroyForcibly();
        }
        for (Member member : members.values()) {
            while (member.isRunning()) {
                Thread.sleep(10);
            }
        }
    }

    void startAll() throws Exception {
        for (Member member : members.values()) {
            member.start();
        }
        for (Member member : members.values()) {
            member.awaitListening();
        }
    }

    /** Answers a request as the appliance's control socket would. */
    ControlReply control(ControlRequest request) {
        return Objects.requireNonNull(appliance).onRequest(request);
    }

    void stopNode(int node) throws IOException {
        act("node-stop", node, null);
    }

    void startNode(int node) throws IOException {
        act("node-start", node, null);
    }

    /** Saves the node's current data for {@link Lie#STALE}. */
    void saveNode(int node) throws IOException {
        act("node-save", node, null);
    }

    void lie(int node, Lie how) throws IOException {
        act("node-lie", node, how.name().toLowerCase(Locale.ROOT));
    }

    /** Change to a stopped node's store. */
    interface Edit {
        void apply(StoreEditor editor) throws IOException;
    }

    void edit(int node, Edit edit) throws Exception {
        stopNode(node);
        try (StoreEditor editor = StoreEditor.open(
                RunningNode.store(plan().node(node, plan().data().node(node))))) {
            edit.apply(editor);
        }
        startNode(node);
    }

    /** The node comes back with an empty disk. */
    void loseDisk(int node) throws IOException {
        stopNode(node);
        Path directory = plan().data().node(node);
        deleteTree(directory);
        Files.createDirectory(directory);
        startNode(node);
    }

    /** Waits until every volume can take all the faults of its policy. */
    void awaitFullFaults() throws InterruptedException {
        awaitFullFaults(volume -> true);
    }

    /** Waits until these volumes can take all the faults of their policies. */
    void awaitFullFaults(Predicate<VolumeInfo> which) throws InterruptedException {
        long end = System.nanoTime() + REPAIR_MILLIS_MAX * 1_000_000;
        String last = "";
        while (System.nanoTime() < end) {
            try {
                ClusterStatus status = client().status();
                if (status.volumes().stream()
                        .filter(volume -> which.test(volume.volume()))
                        .allMatch(volume -> volume.moreFaults() >= volume.policyFaults())) {
                    return;
                }
                last = status.volumes() + " " + status.nodes();
            } catch (BulwarkException e) {
                last = String.valueOf(e.getMessage());
            }
            Thread.sleep(200);
        }
        throw new AssertionError("not repaired: " + last);
    }

    /**
     * Waits until the replica has executed all that the others had executed at the first query, and agrees with them.
     */
    void awaitCounts(int replica) throws InterruptedException {
        long end = System.nanoTime() + CATCH_UP_MILLIS_MAX * 1_000_000;
        long wanted = -1;
        String last = "";
        while (System.nanoTime() < end) {
            try {
                List<ClusterStatus.ReplicaStatus> all = client().status().replicas();
                ClusterStatus.ReplicaStatus own = all.get(replica);
                if (wanted < 0) {
                    wanted = all.stream()
                            .mapToLong(ClusterStatus.ReplicaStatus::applied)
                            .max()
                            .orElseThrow();
                }
                if (own.reachable() && own.agrees() && own.applied() >= wanted) {
                    return;
                }
                last = all.toString();
            } catch (BulwarkException e) {
                last = String.valueOf(e.getMessage());
            }
            Thread.sleep(100);
        }
        throw new AssertionError("replica-" + replica + " does not catch up: " + last);
    }

    private <M extends Member> M remembered(M member) {
        members.put(member.name(), member);
        return member;
    }

    private void act(String action, int node, @Nullable String how) throws IOException {
        ControlReply reply = Objects.requireNonNull(appliance).onRequest(new ControlRequest(action, node, how));
        if (!reply.error().isEmpty()) {
            throw new IOException(action + " " + node + ": " + reply.error());
        }
    }

    /**
     * Returns a base whose ports are all free, below those that the system assigns by itself. The health ports also lie
     * below the next base.
     */
    static synchronized int freePortBase(int nodes, int replicas) {
        Random random = new Random();
        while (true) {
            int base = 10_000 + (random.nextInt(10) * FORKS + Integer.getInteger("bulwark.fork", 0) % FORKS) * 1_000;
            if (base == lastPortBase) {
                continue; // Somebody beside this test has found it free, and may not use it yet.
            }
            ClusterShape shape = new ClusterShape(nodes, replicas, base, Ordering.DEFAULT, "sync");
            boolean free = isFree(shape.consolePort()) && isFree(shape.s3Port());
            for (int i = 0; i < nodes; i++) {
                free &= isMembers(shape.nodePort(i));
            }
            for (int i = 0; i < replicas; i++) {
                free &= isMembers(shape.replicaPort(i));
            }
            if (free) {
                lastPortBase = base;
                return base;
            }
        }
    }

    private static boolean isMembers(int port) {
        return isFree(port) && isFree(port + ProxiedMembers.HIDDEN) && isFree(ClusterShape.adminPort(port));
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    static void deleteTree(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }
}
