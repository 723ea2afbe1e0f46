package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;

/** A running {@link UpgradeLoad}, and what was acknowledged to it. */
@NullMarked
final class LoadProcess implements AutoCloseable {
    private static final int HEAP_MEBIBYTES = 256;
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final int LOG_LINES_SHOWN = 30;

    private final String name;
    private final Process process;
    private final Thread reading;
    private final Map<String, String> objects = new ConcurrentHashMap<>();
    private final Map<String, String> registers = new ConcurrentHashMap<>();
    private final AtomicLong written = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();

    private LoadProcess(String name, Process process) {
        this.name = name;
        this.process = process;
        this.reading = Thread.ofVirtual().unstarted(this::read);
    }

    static LoadProcess start(OlderData data, Build build, String name, long firstBlock) throws IOException {
        List<String> words = new ArrayList<>(build.java(HEAP_MEBIBYTES));
        words.addAll(List.of(
                UpgradeLoad.class.getName(),
                data.plan().data().clientProperties().toString(),
                name,
                Long.toString(firstBlock),
                Long.toString(LiveCluster.SEED)));
        Process process = new ProcessBuilder(words)
                .redirectError(ProcessBuilder.Redirect.appendTo(
                        data.plan().data().log("load-" + name).toFile()))
                .start();
        LoadProcess load = new LoadProcess(name, process);
        load.reading.start();
        return load;
    }

    private void read() {
        try (BufferedReader said = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = said.readLine(); line != null; line = said.readLine()) {
                String[] words = line.split(" ", -1);
                switch (words[0]) {
                    case "object" -> objects.put(words[1], words[2]);
                    case "register" -> {
                        registers.put(words[1] + " " + words[2], words[3]);
                        written.incrementAndGet();
                    }
                    case "failed" -> {
                        failed.incrementAndGet();
                        System.out.println(name + ": " + line);
                    }
                    default -> System.out.println(name + ": " + line);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until so many more writes of registers are acknowledged, and with them of objects. */
    void awaitMore(int count) {
        long before = written.get();
        await().atMost(PATIENCE).until(() -> written.get() >= before + 2L * count || !process.isAlive());
        assertThat(process.isAlive()).as("the client of %s goes on", name).isTrue();
    }

    /** Lets it finish what it does; it must have read nothing wrong. */
    void end() throws IOException, InterruptedException {
        process.getOutputStream().close();
        assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .as("the client of %s ends", name)
                .isTrue();
        assertThat(process.exitValue()).as("the client of %s", name).isZero();
        reading.join();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    Map<String, String> objects() {
        return objects;
    }

    Map<String, String> registers() {
        return registers;
    }

    String summary() {
        return "client of " + name + ": " + objects.size() + " objects and " + written
                + " writes of registers acknowledged, " + failed + " operations failed and were done again";
    }

    /** The last words of all members and clients. */
    static void showLogs(Path root) throws IOException {
        try (Stream<Path> logs = Files.list(root.resolve("logs"))) {
            for (Path log : logs.sorted().toList()) {
                List<String> lines = Files.readAllLines(log);
                System.out.println("--- " + log.getFileName());
                lines.subList(Math.max(0, lines.size() - LOG_LINES_SHOWN), lines.size())
                        .forEach(System.out::println);
            }
        }
    }
}
