package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.appliance.network.HostNetwork;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * Hosts of a {@link HostNetwork}. Each has a directory made as docs/how-to/install.md tells an operator:
 * compose.hosts.yaml, and beside it the output of {@code init --bundles} for one member. Each has its own engine, whose
 * host network is this host's alone. Podman's service need only be started there. All engines share one store, so that
 * {@link ContainerEngine} sees the containers of all.
 */
@NullMarked
final class ComposedHosts {
    /** In the image. */
    private static final int USER = 10001;

    private static final int AT_ONCE = 3;
    private static final long ENGINE_NANOS_MAX = 60_000_000_000L;
    private static final String FILE = "compose.hosts.yaml";
    static final String SERVICE = "member";

    /** It ends with the test's process, even if that is killed. */
    private static final String ENGINE =
            "podman system service --time=0 \"unix://$0\" </dev/null & engine=$!; cat; kill $engine; wait $engine;"
                    + " exit 0";

    private final Path root;
    private final String project;
    private final HostNetwork network;
    private final Map<String, One> all = new LinkedHashMap<>();

    /** @param root of this process, not too long a path for sockets */
    ComposedHosts(Path root) throws IOException {
        this.root = root;
        network = HostNetwork.open();
        project = "bulwark-hosts-" + network.own().address().replace('.', '-');
    }

    /** Returns the missing requirements of such hosts; empty if they can be made. */
    static String missing() throws IOException {
        return ContainerEngine.isPodman()
                ? HostNetwork.missing()
                : "an engine for each host needs podman, of which several can run on one machine";
    }

    /** One more, on which nothing runs yet. */
    One add(String member) throws IOException {
        One added = new One(member, network.add(member));
        all.put(member, added);
        return added;
    }

    One of(String member) {
        return Objects.requireNonNull(all.get(member), member);
    }

    /** On some hosts at once, as several operators would. */
    void onEach(Step step) throws Exception {
        try (ExecutorService operators = Executors.newFixedThreadPool(AT_ONCE)) {
            List<Future<?>> steps = new ArrayList<>();
            for (One one : all.values()) {
                Callable<Object> task = () -> {
                    step.on(one);
                    return one;
                };
                steps.add(operators.submit(task));
            }
            for (Future<?> each : steps) {
                try {
                    each.get();
                } catch (ExecutionException e) {
                    throw new AssertionError(e.getCause());
                }
            }
        }
    }

    interface Step {
        void on(One host) throws Exception;
    }

    /** And the network of those that are left. */
    void removeAll() throws Exception {
        try {
            onEach(One::removeAll);
        } finally {
            for (One one : all.values()) {
                one.endEngine();
            }
            network.close();
        }
    }

    /** A host. */
    final class One {
        private final String member;
        private final HostNetwork.Host host;
        private final Path directory;
        private final Path socket;
        private @Nullable Process engine;

        private One(String member, HostNetwork.Host host) {
            this.member = member;
            this.host = host;
            directory = root.resolve(member);
            socket = root.resolve(member + ".sock");
        }

        String address() {
            return host.address();
        }

        String member() {
            return member;
        }

        /** Copies the member's files to the host, for the image's user alone, and starts its engine if none runs. */
        void supply(Path bundle) throws IOException, InterruptedException {
            if (engine == null) {
                engine = new ProcessBuilder(host.command(List.of("sh", "-c", ENGINE, socket.toString())))
                        // Podman leaves a file where it was started for each container that the kernel killed.
                        .directory(root.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(root.resolve(member + ".engine.log").toFile())
                        .start();
            }
            Files.createDirectories(directory);
            Files.copy(Compose.file(FILE), directory.resolve(FILE));
            Path copy = directory.resolve("member");
            try (Stream<Path> files = Files.walk(bundle)) {
                for (Path file : files.toList()) {
                    Path to = copy.resolve(bundle.relativize(file).toString());
                    Files.copy(file, to, StandardCopyOption.COPY_ATTRIBUTES);
                    Files.setAttribute(to, "unix:uid", USER);
                }
            }
            for (long end = System.nanoTime() + ENGINE_NANOS_MAX; !Files.exists(socket); Thread.sleep(50)) {
                assertThat(System.nanoTime())
                        .as("the engine of %s starts", member)
                        .isLessThan(end);
            }
        }

        /** {@code ROLE=... docker-compose -f compose.hosts.yaml up -d}, with these settings beside it. */
        void up(Map<String, String> settings) throws IOException, InterruptedException {
            compose(settings).run("up", "-d");
        }

        void stop() throws IOException, InterruptedException {
            compose().run("stop");
        }

        void awaitHealthy() throws IOException, InterruptedException {
            compose().awaitHealth(SERVICE, "healthy");
        }

        String health() throws IOException {
            return ContainerEngine.health(project(), SERVICE);
        }

        String project() {
            return project + "-" + member;
        }

        String container() throws IOException {
            return ContainerEngine.inspect(project(), SERVICE).path("Id").asString("");
        }

        /** Returns how often the engine has restarted its container. */
        int restarts() throws IOException {
            return ContainerEngine.inspect(project(), SERVICE)
                    .path("RestartCount")
                    .asInt(-1);
        }

        /** Returns the output of a program in its container. */
        String exec(String... words) throws IOException, InterruptedException {
            return compose()
                    .run(Stream.concat(Stream.of("exec", "-T", SERVICE), Stream.of(words))
                            .toArray(String[]::new));
        }

        /** As the other, where the program may be killed. */
        void attempt(String... words) throws IOException, InterruptedException {
            var _ = compose()
                    .attempt(Stream.concat(Stream.of("exec", "-T", SERVICE), Stream.of(words))
                            .toArray(String[]::new));
        }

        String logs() throws IOException, InterruptedException {
            return compose().attempt("logs", "--tail=25").out();
        }

        /** Destroys the host as a fire would: it is off its network at once, and then everything on it is gone. */
        void lose() throws IOException, InterruptedException {
            host.unplug();
            compose().run("kill", "-s", "SIGKILL");
            removeAll();
            LiveCluster.deleteTree(directory);
        }

        /** Another machine stands in its place: same address, nothing on it. */
        void replaceMachine() throws IOException {
            host.plug();
        }

        private void removeAll() throws IOException, InterruptedException {
            if (Files.exists(directory)) {
                compose().removeAll();
            }
        }

        /** Ends the engine as the end of this process would. */
        private void endEngine() throws IOException, InterruptedException {
            if (engine != null) {
                engine.getOutputStream().close();
                assertThat(engine.waitFor()).as("the engine of %s", member).isZero();
            }
        }

        private Compose compose() {
            return compose(Map.of());
        }

        private Compose compose(Map<String, String> settings) {
            String role = member.startsWith("replica") ? "supervise" : member.replaceAll("-[0-9]+$", "");
            Map<String, String> environment = new TreeMap<>(settings);
            environment.put("ROLE", role);
            environment.put("DOCKER_HOST", "unix://" + socket);
            return new Compose(project(), directory.resolve(FILE), environment, root.resolve(member + ".stderr"));
        }
    }
}
