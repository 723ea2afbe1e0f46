package io.bulwark.appliance.cluster;

import io.bulwark.client.error.ConfigException;
import io.bulwark.client.error.Subject;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A member in a process of its own: this executable again, with the arguments of a role. Its standard input stays open
 * while this process lives, so that it notices when this one is killed.
 */
public class ProcessMember implements Member {
    /** A role gives itself 15 s to finish what it has in hand. */
    private static final long STOP_MILLIS_MAX = 17_000;

    /** Processes that a killed appliance left behind end by themselves in less time. */
    private static final long FREE_MILLIS_MAX = 10_000;

    private static final long PAUSE_MILLIS = 50;

    /** Exit code of a role whose keys or configuration are wrong. */
    private static final int WRONG_CONFIGURATION = 78;

    /** Part of a log line that fits the line that says who is awaited. */
    private static final int SHOWN_CHARACTERS = 160;

    /** Less in so long is what an idle process uses. */
    private static final long IDLE_PROCESSOR_MILLIS = 1_000;

    private final String name;
    private final InetSocketAddress address;
    private final Optional<Path> log;
    private final List<String> command;
    private @Nullable Process process;
    private long logStart;

    /**
     * One that is not started yet.
     *
     * @param address where it can be reached from here, once it listens
     * @param log what its output is added to; none if it goes where this process's goes
     * @param java as {@link JavaCommand} has it
     * @param arguments of the command line, for example {@code node --config FILE}
     */
    public ProcessMember(
            String name, InetSocketAddress address, Optional<Path> log, List<String> java, List<String> arguments) {
        this.name = name;
        this.address = address;
        this.log = log;
        List<String> all = new ArrayList<>(java);
        all.addAll(arguments);
        this.command = List.copyOf(all);
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final String address() {
        return address.getHostString() + ":" + address.getPort();
    }

    @Override
    public final synchronized void start() throws IOException, InterruptedException {
        if (!isRunning()) {
            start(command);
        }
    }

    @Override
    public final synchronized void startAgain() throws IOException, InterruptedException {
        if (process != null && !process.isAlive()) {
            start(command);
        }
    }

    @Override
    public final synchronized Optional<String> ended() {
        return process == null || process.isAlive()
                ? Optional.empty()
                : Optional.of("with exit code " + process.exitValue() + logHint());
    }

    /** Stops it, and starts it with more arguments this time. */
    final synchronized void restart(List<String> more) throws IOException, InterruptedException {
        stop();
        List<String> words = new ArrayList<>(command);
        words.addAll(more);
        start(words);
    }

    private void start(List<String> words) throws IOException, InterruptedException {
        awaitFreeAddress();
        ProcessBuilder builder = new ProcessBuilder(words);
        if (log.isPresent()) {
            Files.createDirectories(log.get().toAbsolutePath().getParent());
            logStart = LogTail.length(log.get());
            builder.redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.get().toFile()));
        } else {
            builder.redirectOutput(ProcessBuilder.Redirect.INHERIT).redirectError(ProcessBuilder.Redirect.INHERIT);
        }
        process = builder.start();
    }

    private void awaitFreeAddress() throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(FREE_MILLIS_MAX);
        while (listens()) {
            if (System.nanoTime() > deadline) {
                throw new IOException(name + " cannot start: another process listens at " + address());
            }
            Thread.sleep(50);
        }
    }

    private boolean listens() {
        try (Socket socket = new Socket()) {
            socket.connect(address, 500);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public final void awaitListening() throws IOException, InterruptedException {
        ProgressWatch progress = new ProgressWatch();
        for (Optional<String> awaited = awaited(); awaited.isPresent(); awaited = awaited()) {
            Activity activity = activity();
            String moved = activity.logBytes() + " " + activity.processorMillis() / IDLE_PROCESSOR_MILLIS;
            if (progress.isStalled(moved)) {
                throw new IOException(name + " cannot start: " + awaited.get() + logHint());
            }
            Thread.sleep(PAUSE_MILLIS);
        }
    }

    @Override
    public final Optional<String> awaited() throws IOException {
        if (listens()) {
            return Optional.empty();
        }
        Optional<String> ended = ended();
        if (ended.isPresent()) {
            throw failure(name + " terminated during startup " + ended.get() + lastLogLine(LogTail.READ_BYTES_MAX));
        }
        OptionalLong pid = pid();
        if (pid.isEmpty()) {
            throw new IOException(name + " was stopped during startup");
        }
        return Optional.of("process " + pid.getAsLong() + " does not listen yet" + lastLogLine(SHOWN_CHARACTERS));
    }

    @Override
    public final synchronized Activity activity() {
        if (process == null) {
            return Activity.NONE;
        }
        long used = process.toHandle()
                .info()
                .totalCpuDuration()
                .map(Duration::toMillis)
                .orElse(0L);
        return new Activity(used, log.map(LogTail::length).orElse(0L) - logStart);
    }

    /** Wrong keys or configuration of a member end the appliance with the same exit code. */
    private synchronized IOException failure(String message) {
        if (process != null && process.exitValue() == WRONG_CONFIGURATION) {
            throw new ConfigException(message, Subject.NONE);
        }
        return new IOException(message);
    }

    /** Returns the last message in its log since it was started. */
    private synchronized String lastLogLine(int charactersMax) {
        return log.flatMap(file -> LogTail.last(file, logStart))
                .map(line -> line.length() > charactersMax ? line.substring(0, charactersMax) + "..." : line)
                .map(line -> "; last log line: " + line)
                .orElse("");
    }

    private String logHint() {
        return log.map(file -> "; see " + file).orElse("");
    }

    @Override
    public final synchronized void stop() throws InterruptedException {
        Process current = process;
        if (current == null) {
            return;
        }
        // By its handle: Process.destroy would close its input first, which means something else.
        current.toHandle().destroy();
        if (!current.waitFor(STOP_MILLIS_MAX, TimeUnit.MILLISECONDS)) {
            current.destroyForcibly().waitFor();
        }
        process = null;
    }

    @Override
    public final synchronized boolean isRunning() {
        return process != null && process.isAlive();
    }

    @Override
    public final synchronized OptionalLong pid() {
        return process != null && process.isAlive() ? OptionalLong.of(process.pid()) : OptionalLong.empty();
    }
}
