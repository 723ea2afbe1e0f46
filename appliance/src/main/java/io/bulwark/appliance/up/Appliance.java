package io.bulwark.appliance.up;

import io.bulwark.appliance.admin.AdminServer;
import io.bulwark.appliance.admin.HealthWatch;
import io.bulwark.appliance.admin.MonitoredMember;
import io.bulwark.appliance.boot.SuperviseRole;
import io.bulwark.appliance.cluster.ClusterPlan;
import io.bulwark.appliance.cluster.CodingWarmUp;
import io.bulwark.appliance.cluster.ConsoleDoor;
import io.bulwark.appliance.cluster.DefaultVolume;
import io.bulwark.appliance.cluster.Member;
import io.bulwark.appliance.cluster.ReplicaMember;
import io.bulwark.appliance.cluster.ReplicaSetup;
import io.bulwark.appliance.cluster.RunningNode;
import io.bulwark.appliance.control.ApplianceProgress;
import io.bulwark.appliance.control.ApplianceStatus;
import io.bulwark.appliance.control.ControlReply;
import io.bulwark.appliance.control.ControlRequest;
import io.bulwark.appliance.control.ControlSocket;
import io.bulwark.appliance.drill.Lie;
import io.bulwark.appliance.supervisor.GroupView;
import io.bulwark.appliance.supervisor.Installation;
import io.bulwark.appliance.supervisor.Release;
import io.bulwark.appliance.supervisor.Supervisor;
import io.bulwark.client.Bulwark;
import io.bulwark.client.config.ClientConfig;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.console.StatusView;
import io.bulwark.console.Surroundings;
import io.bulwark.protocol.id.PrincipalId;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/** A running appliance on one machine. */
public final class Appliance implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Appliance.class);
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final TypeReference<Map<String, Object>> BODY = new TypeReference<>() {};

    /** Less in so long is what an idle process uses: before it serves, and later. */
    private static final long STARTING_PROCESSOR_MILLIS = 1_000;

    private static final long SERVING_PROCESSOR_MILLIS = 10_000;

    /** The end of an appliance waits so long for a console that is still starting. */
    private static final long CONSOLE_MILLIS_MAX = 5_000;

    private final ClusterPlan plan;
    private final List<Member> nodes = new CopyOnWriteArrayList<>();
    private final List<ReplicaMember> replicas = new CopyOnWriteArrayList<>();
    private final Set<String> stopping = new ConcurrentSkipListSet<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Map<String, Supervisor> supervisors = new ConcurrentHashMap<>();
    private @Nullable GroupView group;
    private @Nullable MemberWatch watch;
    private volatile @Nullable StartupWait waiting;
    private volatile boolean ready;
    private volatile @Nullable Bulwark client;
    private final CompletableFuture<Bulwark> operator = new CompletableFuture<>();
    private @Nullable CompletableFuture<EmbeddedConsole> consoleStart;
    private volatile @Nullable EmbeddedConsole console;
    private volatile @Nullable EmbeddedGateway gateway;
    private final MeterRegistry consoleMeters = RunningNode.metersOf("console");
    private final MeterRegistry gatewayMeters = RunningNode.metersOf("s3");
    private @Nullable ControlSocket control;
    private @Nullable HealthWatch health;
    private @Nullable AdminServer admin;

    private Appliance(ClusterPlan plan) {
        this.plan = plan;
    }

    /** One that is not started yet. */
    public static Appliance of(ClusterPlan plan) {
        return new Appliance(plan);
    }

    /** Starts all of it; returns when it serves. */
    public static Appliance start(ClusterPlan plan, Members members, StartupListener story) throws Exception {
        Appliance appliance = of(plan);
        appliance.start(members, story);
        return appliance;
    }

    /**
     * Starts all of it; returns when it serves. Who asks for its {@link #end} meanwhile is answered at once.
     *
     * @throws StartAbandonedException if somebody did
     */
    public synchronized void start(Members members, StartupListener story) throws Exception {
        StartupWait wait = new StartupWait(story, ended);
        waiting = wait;
        try {
            begin(members, story, wait);
            ready = true;
        } catch (Exception e) {
            shutDown();
            throw e;
        }
    }

    /** The members' processes and addresses. */
    public List<ApplianceStatus.Member> members() {
        List<ApplianceStatus.Member> all = new ArrayList<>();
        for (List<? extends Member> group : List.of(nodes, replicas)) {
            for (Member member : group) {
                boolean removed = isRemoved(member);
                if (removed && !member.isRunning()) {
                    continue;
                }
                OptionalLong pid = member.pid();
                Supervisor watching = supervisors.get(member.name());
                OptionalLong turn = watching == null ? OptionalLong.empty() : watching.nextMillis();
                all.add(new ApplianceStatus.Member(
                        member.name(),
                        member.address(),
                        member.isRunning(),
                        member.ended().orElse(""),
                        removed,
                        pid.isPresent() ? pid.getAsLong() : null,
                        turn.isPresent() ? turn.getAsLong() : null,
                        watching == null || removed ? "" : watching.problem()));
            }
        }
        return all;
    }

    /**
     * From now on members that end by themselves are started again, and replicas recover in their turns, where they can: with our own
     * ordering engine, and identities.
     *
     * @param release what replicas in processes of their own are started from; none if they run in this one
     */
    public void supervise(Optional<Release> release) {
        ReplicaSetup any = plan.replica(0, plan.data().replica(0));
        List<Member> alone = new ArrayList<>(nodes);
        if (!any.canRecover()) {
            alone.addAll(replicas);
        }
        watch = MemberWatch.start(alone, this::isRemoved);
        if (!any.canRecover()) {
            return;
        }
        ClientConfig asking = plan.consoleClient();
        GroupView view = GroupView.open(
                asking.principal(),
                Objects.requireNonNull(asking.keyRing()),
                asking.channels(),
                plan.data().root().resolve("supervisor.registry"),
                any.replicas());
        group = view;
        for (int i = 0; i < replicas.size(); i++) {
            ReplicaMember replica = replicas.get(i);
            if (plan.isRemoved(PrincipalId.replica(i))) {
                continue;
            }
            Path role = ProcessMembers.roleFile(plan, i);
            ReplicaSetup own = plan.replica(i, plan.data().replica(i));
            Supervisor.Watchdog watchdog = new Supervisor.Watchdog(
                    view,
                    release.map(started -> Installation.of(started, role, own.channels())),
                    replicas.size(),
                    OptionalLong.of(any.recoveries().watchdogMillis()));
            MeterRegistry meters = RunningNode.metersOf(replica.name());
            supervisors.put(replica.name(), Supervisor.start(replica, i, watchdog, meters));
        }
    }

    /** The console's address. */
    public String consoleUrl() {
        var address = plan.consoleAddress();
        return "http://" + address.getHostString() + ":" + address.getPort();
    }

    /** Returns the address of the S3 gateway; empty if none runs. */
    public String s3Url() {
        var address = plan.s3Address();
        return gateway == null ? "" : "http://" + address.getHostString() + ":" + address.getPort();
    }

    /** Returns the one-time link with which the first administrator sets up an account; empty if one has. */
    public Optional<String> setupUrl() {
        EmbeddedConsole started = console;
        return started == null ? Optional.empty() : started.setupUrl();
    }

    /** Returns when somebody asked for the end. */
    public void awaitEnd() throws InterruptedException {
        ended.await();
    }

    /** Asks for the end. */
    public void end() {
        ended.countDown();
    }

    @Override
    public void close() {
        shutDown();
    }

    /**
     * Stops all members, giving each time to finish its work; a second call does no harm. A start in progress is
     * abandoned first.
     */
    public void shutDown() {
        ended.countDown();
        stopAll();
    }

    private synchronized void stopAll() {
        ready = false;
        if (health != null) {
            health.leave();
        }
        supervisors.values().forEach(Supervisor::close);
        closeQuietly("watch over the members", watch);
        closeQuietly("view of the replicas", group);
        closeQuietly("S3 gateway", gateway);
        if (consoleStart != null) {
            operator.completeExceptionally(new StartAbandonedException());
            // One that comes later, as it waits for replicas that are gone, is closed then.
            var closed = consoleStart.handle((started, _) -> {
                closeQuietly("console", started);
                return true;
            });
            var _ = closed.completeOnTimeout(false, CONSOLE_MILLIS_MAX, TimeUnit.MILLISECONDS)
                    .join();
        }
        closeQuietly("client", client);
        List<Thread> threads = new ArrayList<>();
        for (List<? extends Member> group : List.of(nodes, replicas)) {
            for (Member member : group) {
                stopping.add(member.name());
                threads.add(Thread.ofPlatform().start(() -> {
                    try {
                        member.stop();
                    } catch (Exception e) {
                        LOG.warn("stopping {}: {}", member.name(), e.toString());
                    }
                    stopping.remove(member.name());
                }));
            }
        }
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
        closeQuietly("control socket", control);
        closeQuietly("health watch", health);
        closeQuietly("admin endpoint", admin);
    }

    private void begin(Members members, StartupListener story, StartupWait wait) throws Exception {
        wait.requireNotEnded();
        // The control socket comes first, so that somebody can stop the appliance and see what it waits for.
        control = ControlSocket.serve(plan.data().root(), this::onRequest);
        plan.prepare();
        Supplier<List<MonitoredMember>> watched = () -> {
            List<MonitoredMember> all = new ArrayList<>(members.watched());
            supervisors.values().stream()
                    .filter(supervisor -> !supervisor.isRemoved())
                    .forEach(all::add);
            if (console != null) {
                all.add(new ShownDoor("console", consoleMeters));
            }
            if (gateway != null) {
                all.add(new ShownDoor("s3", gatewayMeters));
            }
            return all;
        };
        HealthWatch watch = HealthWatch.start(watched);
        health = watch;
        admin = AdminServer.start("up", plan.adminAddress(plan.consoleAddress()), watch, watched);
        // Most of the console's start is its own.
        CompletableFuture<EmbeddedConsole> starting = CompletableFuture.supplyAsync(
                () -> startConsole(operator),
                task -> Thread.ofPlatform().daemon().name("console").start(task));
        consoleStart = starting;
        var _ = starting.thenAccept(started -> {
            started.meters().bindTo(consoleMeters);
            console = started;
        });
        startMembers(members, story, wait);
        story.tell("waiting for the cluster");
        Bulwark connected = connected(members, wait);
        client = connected;
        operator.complete(connected);
        wait.until(() -> missing(connected, members), () -> activity(SERVING_PROCESSOR_MILLIS));
        CompletableFuture<Void> volume = CompletableFuture.runAsync(
                () -> DefaultVolume.ensure(connected),
                task -> Thread.ofPlatform().daemon().name("default-volume").start(task));
        wait.until(() -> ConnectionAttempts.until(volume, "the default volume", "it is created"), () -> "");
        story.tell("starting the console");
        wait.until(() -> ConnectionAttempts.until(starting, "the console", "it starts"), () -> "");
        wait.until(() -> ConnectionAttempts.until(CodingWarmUp.begin(), "the coding of blocks", "it begins"), () -> "");
        if (plan.hasS3()) {
            startGateway(connected, story, wait);
        }
    }

    private void startMembers(Members members, StartupListener story, StartupWait wait) throws Exception {
        for (int i = 0; i < plan.shape().replicas(); i++) {
            replicas.add(members.replica(i));
        }
        List<ReplicaMember> ordering = members(replicas);
        story.tell("starting " + ordering.size() + " metadata replicas");
        startAll(ordering, wait);
        for (int i = 0; i < plan.shape().nodes(); i++) {
            nodes.add(members.node(i));
        }
        List<Member> storing = members(nodes);
        story.tell("starting " + storing.size() + " storage nodes");
        startAll(storing, wait);
    }

    private void startGateway(Bulwark operator, StartupListener story, StartupWait wait) throws Exception {
        story.tell("starting the S3 gateway");
        CompletableFuture<Optional<EmbeddedGateway>> starting = CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return EmbeddedGateway.start(plan, operator, gatewayMeters);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                },
                task -> Thread.ofPlatform().daemon().name("s3").start(task));
        try {
            wait.until(() -> ConnectionAttempts.until(starting, "the S3 gateway", "it starts"), () -> "");
        } finally {
            var _ = starting.thenAccept(started -> gateway = started.orElse(null));
        }
    }

    private EmbeddedConsole startConsole(CompletableFuture<Bulwark> operator) {
        return EmbeddedConsole.start(
                plan,
                operator,
                new Surroundings(
                        Optional.empty(),
                        Optional.of(new ApplianceFaults(plan, nodes, this)),
                        Optional.of(this::recover),
                        ConsoleDoor.connector(plan.consoleClient(), plan.consoleDirectory(), Optional.empty()),
                        Optional.empty()));
    }

    /** The console or the S3 gateway as the admin endpoint shows it; the appliance stops it. */
    private record ShownDoor(String name, MeterRegistry meters) implements MonitoredMember {
        @Override
        public String problem() {
            return "";
        }

        @Override
        public String broken() {
            return "";
        }

        @Override
        public void close() {
            throw new UnsupportedOperationException("the appliance stops the " + name);
        }
    }

    /** Tries until enough replicas answer. */
    private Bulwark connected(Members members, StartupWait wait) throws Exception {
        ConnectionAttempts attempts = new ConnectionAttempts(plan.commandLine());
        try {
            wait.until(
                    () -> {
                        SortedMap<String, String> awaited = attempts.awaited();
                        return awaited.isEmpty() ? awaited : explained(awaited, members);
                    },
                    () -> activity(SERVING_PROCESSOR_MILLIS));
            return attempts.connected();
        } catch (Exception e) {
            attempts.close();
            throw e;
        }
    }

    private SortedMap<String, String> missing(Bulwark connected, Members members) {
        SortedMap<String, String> awaited;
        try {
            awaited = Readiness.missing(
                    connected.status(), plan.shape().nodes(), plan.shape().replicas());
        } catch (BulwarkException e) {
            awaited = new TreeMap<>(Map.of(ConnectionAttempts.CLUSTER, String.valueOf(e.getMessage())));
        }
        return awaited.isEmpty() ? awaited : explained(awaited, members);
    }

    /** Prefers the members' own reports to observations from outside. */
    private static SortedMap<String, String> explained(SortedMap<String, String> awaited, Members members) {
        SortedMap<String, String> problems = members.problems();
        SortedMap<String, String> explained = new TreeMap<>(awaited);
        explained.putAll(problems);
        return explained;
    }

    /** Changes as long as members do more than idle. */
    private String activity(long processorMillis) {
        StringBuilder all = new StringBuilder();
        for (List<? extends Member> group : List.of(replicas, nodes)) {
            for (Member member : group) {
                Member.Activity activity = member.activity();
                all.append(activity.processorMillis() / processorMillis)
                        .append(' ')
                        .append(activity.logBytes())
                        .append(' ');
            }
        }
        return all.toString();
    }

    /** Returns the members that were not removed: the others are no longer expected to answer. */
    private <M extends Member> List<M> members(List<M> all) {
        return all.stream().filter(member -> !isRemoved(member)).toList();
    }

    private boolean isRemoved(Member member) {
        return plan.isRemoved(PrincipalId.parse(member.name()));
    }

    private void startAll(List<? extends Member> members, StartupWait wait) throws Exception {
        List<Future<?>> starts = new ArrayList<>();
        try (ExecutorService starters =
                Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
            for (Member member : members) {
                starts.add(starters.submit(() -> {
                    wait.requireNotEnded();
                    member.start();
                    return null;
                }));
            }
        }
        for (Future<?> start : starts) {
            try {
                start.get();
            } catch (ExecutionException e) {
                throw e.getCause() instanceof Exception cause ? cause : e;
            }
        }
        wait.until(
                () -> {
                    SortedMap<String, String> awaited = new TreeMap<>();
                    for (Member member : members) {
                        member.awaited().ifPresent(why -> awaited.put(member.name(), why));
                    }
                    return awaited;
                },
                () -> activity(STARTING_PROCESSOR_MILLIS));
    }

    /** Returns the progress of the start or the end. */
    private ApplianceProgress progress() {
        StartupWait wait = waiting;
        String doing = !stopping.isEmpty()
                ? "stopping " + String.join(", ", stopping)
                : ended.getCount() == 0
                        ? "ending"
                        : ready ? "" : wait == null || wait.now().isEmpty() ? "starting" : wait.now();
        return new ApplianceProgress(ready, doing);
    }

    /** Serves a request on the control socket. */
    public ControlReply onRequest(ControlRequest request) {
        try {
            return switch (request.action()) {
                case "status" -> ControlReply.ok(JSON.convertValue(status(), BODY));
                case "progress" -> ControlReply.ok(JSON.convertValue(progress(), BODY));
                case "down" -> {
                    end();
                    yield ControlReply.ok(Map.of("pid", ProcessHandle.current().pid()));
                }
                case "replica-recover" -> onReplica(request.node());
                case "node-stop", "node-start", "node-save", "node-lie", "node-slow" -> onNode(request);
                default -> ControlReply.failed("unknown request " + request.action());
            };
        } catch (IOException e) {
            return ControlReply.failed(String.valueOf(e.getMessage()));
        }
    }

    private ApplianceStatus status() {
        StatusView cluster = null;
        String problem = "";
        Bulwark connected = client;
        try {
            cluster = connected == null ? null : StatusView.of(connected.status());
        } catch (BulwarkException e) {
            problem = String.valueOf(e.getMessage());
        }
        return new ApplianceStatus(
                plan.data().root().toString(),
                consoleUrl(),
                s3Url(),
                members(),
                cluster,
                problem,
                progress().doing());
    }

    private ControlReply onReplica(@Nullable Integer number) {
        if (number == null || number < 0 || number >= replicas.size() || isRemoved(replicas.get(number))) {
            return ControlReply.usageError(notMemberMessage(number, members(replicas)));
        }
        Supervisor supervisor = supervisors.get("replica-" + number);
        if (supervisor == null) {
            return ControlReply.failed("no supervisor runs for replica " + number
                    + " here: its ordering engine has no recoveries, or `up` was started with --recovery off");
        }
        return SuperviseRole.startRecovery(supervisor);
    }

    private String recover(int replica) throws IOException {
        ControlReply reply = onReplica(replica);
        if (!reply.error().isEmpty()) {
            throw new IOException(reply.error());
        }
        return String.valueOf(reply.body().get("message"));
    }

    /** Explains that this appliance does not run the member, for example because it joined later. */
    static String notMemberMessage(@Nullable Integer number, List<? extends Member> here) {
        return "`up` runs no replica " + number + ", only "
                + here.stream().map(Member::name).collect(Collectors.joining(", "))
                + "; a replica that was added later has its own supervisor: give its directory with --data DIR";
    }

    private synchronized ControlReply onNode(ControlRequest request) throws IOException {
        Integer number = request.node();
        if (number == null || number < 0 || number >= nodes.size()) {
            return ControlReply.usageError("there is no node " + number + "; nodes are 0 to " + (nodes.size() - 1));
        }
        Member node = nodes.get(number);
        NodeDrill drill = new NodeDrill(plan, node, number);
        try {
            NodeDrill.DrillResult done = switch (request.action()) {
                case "node-stop" -> drill.stop();
                case "node-start" -> drill.start();
                case "node-save" -> drill.save();
                case "node-slow" -> drill.slow(true);
                default -> drill.lie(lie(request.how()));
            };
            Map<String, Object> body = new LinkedHashMap<>();
            body.put("node", number);
            body.put("message", done.message());
            done.edited().ifPresent(edited -> body.put("edited", edited));
            return ControlReply.ok(body);
        } catch (IOException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static Lie lie(@Nullable String how) throws IOException {
        for (Lie lie : Lie.values()) {
            if (lie.name().toLowerCase(Locale.ROOT).equals(how)) {
                return lie;
            }
        }
        throw new IOException("a node can lie by swap, stale, flip, drop or garble, not by " + how);
    }

    private static void closeQuietly(String what, @Nullable AutoCloseable closing) {
        if (closing != null) {
            try {
                closing.close();
            } catch (Exception e) {
                LOG.warn("closing the {}: {}", what, e.toString());
            }
        }
    }
}
