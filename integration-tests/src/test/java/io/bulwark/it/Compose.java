package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;

/** docker-compose with one file, as a project of its own. */
@NullMarked
final class Compose {
    static final long READY_MILLIS_MAX = 480_000;
    private static final Path REPOSITORY = Path.of("..").toAbsolutePath().normalize();
    /** Podman says so of a container that was removed before it was asked how it had ended. */
    private static final String CODE_LOST = "Error waiting for container: unexpected end of JSON input";

    private final String project;
    private final Path file;
    private final Map<String, String> environment;
    private final Path errors;

    /**
     * A project that has run nothing yet.
     *
     * @param file relative to the repository
     * @param errors a file of its own for its standard error
     */
    Compose(String project, Path file, Map<String, String> environment, Path errors) {
        this.project = project;
        this.file = file;
        this.environment = new TreeMap<>(environment);
        // Else it gives up what says nothing for a minute, with exit code 125.
        this.environment.put("COMPOSE_HTTP_TIMEOUT", "" + READY_MILLIS_MAX / 1000);
        this.errors = errors;
    }

    static Path file(String name) {
        return REPOSITORY.resolve("docker").resolve(name);
    }

    String project() {
        return project;
    }

    /** Builds the image from what Maven has packaged. */
    void build() throws IOException, InterruptedException {
        assertThat(REPOSITORY.resolve("appliance/target/bulwark-exec.jar"))
                .as("the executable that the image copies; `mvn package` builds it")
                .isRegularFile();
        run("build", "init");
    }

    /** Result of a run. */
    record Outcome(int code, String out, String errors) {}

    /**
     * Runs a command, which must succeed, and returns its standard output. If the engine has lost the exit code, the
     * output and the following checks must suffice: the command cannot be run twice.
     */
    String run(String... arguments) throws IOException, InterruptedException {
        Outcome outcome = attempt(arguments);
        if (outcome.errors.contains(CODE_LOST)) {
            System.out.println("the engine has lost the exit code of " + List.of(arguments));
            return outcome.out;
        }
        assertThat(outcome.code)
                .as("%s: %s%n%s", List.of(arguments), outcome.out, outcome.errors)
                .isZero();
        return outcome.out;
    }

    /** Runs a command, which may fail. */
    Outcome attempt(String... arguments) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of("docker-compose", "-p", project, "-f", file.toString(), "--no-ansi"));
        command.addAll(Arrays.asList(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).directory(REPOSITORY.toFile());
        // That of processes is not that of containers, whose nodes have vectors.
        builder.environment().remove("BULWARK_MEMBER_JAVA_OPTIONS");
        builder.environment().putAll(environment);
        builder.redirectError(errors.toFile());
        Process process;
        try {
            process = builder.start();
        } catch (IOException e) {
            throw new AssertionError("docker-compose cannot be run; this profile needs it and a container engine", e);
        }
        process.getOutputStream().close();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int code = process.waitFor();
        return new Outcome(code, out, Files.readString(errors));
    }

    /** Runs the command line against the cluster. */
    String client(String... arguments) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(List.of("run", "--rm", "-T", "client"));
        all.addAll(Arrays.asList(arguments));
        return run(all.toArray(String[]::new));
    }

    /** Waits until its container is so: {@code healthy} or {@code unhealthy}. */
    void awaitHealth(String service, String wanted) throws IOException, InterruptedException {
        long end = System.nanoTime() + READY_MILLIS_MAX * 1_000_000;
        while (!ContainerEngine.health(project, service).equals(wanted)) {
            if (System.nanoTime() > end) {
                throw new AssertionError(service + " is to be " + wanted + ": " + run("ps", service)
                        + run("logs", "--tail=20", service));
            }
            Thread.sleep(300);
        }
    }

    /** All containers, networks and volumes of the project. */
    void removeAll() throws IOException, InterruptedException {
        run("down", "--volumes", "--remove-orphans", "--timeout", "5");
        assertThat(ContainerEngine.all(project)).as("left of %s", project).isEmpty();
    }
}
