package io.bulwark.metadata;

import io.bulwark.client.metadata.MetadataClient;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.OrderingCodec;
import io.bulwark.protocol.ordering.driver.ReplicaConfig.Timers;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.transport.Transport;
import io.bulwark.transport.TransportSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Benchmark of the time without answers when the primary is killed, and when it is stopped and so hands over. Four
 * replicas run in processes of their own, under load. The stopped process starts again only after that measurement. On
 * demand, {@code -Dtest=FailoverBenchmark}; {@code bulwark.bench.rounds} is the number of rounds, {@code
 * bulwark.bench.callers} that of callers.
 */
@NullMarked
class FailoverBenchmark {
    private static final int ROUNDS = Integer.getInteger("bulwark.bench.rounds", 5);
    private static final int REPLICAS = ReplicaGroup.REPLICAS;
    private static final int CALLERS = Integer.getInteger("bulwark.bench.callers", 8);
    private static final long BEFORE_MILLIS = 1_500;
    private static final long WINDOW_MILLIS = 3_000;
    private static final long REJOIN_MILLIS = 3_000;

    @TempDir
    private Path directory = Path.of("");

    private final List<InetSocketAddress> addresses = ReplicaGroup.freeAddresses(REPLICAS);
    private final Process[] processes = new Process[REPLICAS];
    private final AtomicLong number = new AtomicLong();

    /** @param undisturbed the same on the same replicas, just before, while nothing is done to them */
    private record Gap(double millis, double undisturbed) {}

    private interface Step {
        void run() throws IOException;
    }

    /** Way in which the benchmark ends the process of the primary. */
    private interface End {
        void of(Process primary) throws IOException;
    }

    @Test
    void aPrimaryThatHandsOver() throws Exception {
        measure("handed over", primary -> primary.getOutputStream().close());
    }

    @Test
    void aPrimaryThatIsKilled() throws Exception {
        measure("killed", Process::destroyForcibly);
    }

    private void measure(String what, End end) throws Exception {
        try {
            for (int replica = 0; replica < REPLICAS; replica++) {
                launch(replica);
            }
            System.out.println(
                    "| Primary | callers | times | no answer, ms: least | middle | most | undisturbed, ms: least /"
                            + " middle / most | timer in force, ms | middle of the timer |");
            System.out.println("|---|---|---|---|---|---|---|---|---|");
            print(what, gaps(end));
        } finally {
            for (Process process : processes) {
                process.destroyForcibly().waitFor();
            }
        }
    }

    private List<Gap> gaps(End end) throws Exception {
        List<Gap> gaps = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            // All four answer, and links that pause between attempts are there again.
            var _ = primary();
            Thread.sleep(REJOIN_MILLIS);
            gaps.add(gap(end));
        }
        return gaps;
    }

    /** With a client of its own, which is connected to all four: else the gap would be that of its links. */
    private Gap gap(End end) throws Exception {
        Queue<Long> answered = new ConcurrentLinkedQueue<>();
        AtomicBoolean calling = new AtomicBoolean(true);
        List<Thread> callers = new ArrayList<>();
        try (Transport transport = Transport.open(
                        TransportSettings.defaults(),
                        ReplicaGroup.keys(PrincipalId.client(7)),
                        new MessageCodecs(new OrderingCodec()));
                MetadataClient client = MetadataClient.connect(transport, addresses, 60_000)) {
            for (int i = 0; i < CALLERS; i++) {
                callers.add(Thread.ofVirtual().start(() -> {
                    while (calling.get()) {
                        // The texts are few: what a replica holds is not measured here.
                        long own = number.getAndIncrement() % 1_000;
                        client.submit(RecordingApplication.command(own, "text-" + own))
                                .join();
                        answered.add(System.nanoTime());
                    }
                }));
            }
            Thread.sleep(BEFORE_MILLIS);
            int primary = primary();
            double undisturbed = longest(answered, () -> {});
            double longest = longest(answered, () -> end.of(processes[primary]));
            calling.set(false);
            for (Thread caller : callers) {
                caller.join();
            }
            processes[primary].waitFor();
            launch(primary);
            return new Gap(longest, undisturbed);
        }
    }

    /** The longest time without an answer, in milliseconds, from when this is done on. */
    private static double longest(Queue<Long> answered, Step step) throws Exception {
        answered.clear();
        long last = System.nanoTime();
        step.run();
        Thread.sleep(WINDOW_MILLIS);
        double longest = 0;
        for (long next : List.copyOf(answered)) {
            longest = Math.max(longest, (next - last) / 1e6);
            last = next;
        }
        return Math.max(longest, (System.nanoTime() - last) / 1e6);
    }

    /** Returns the primary that most processes report. */
    private int primary() throws IOException {
        List<Integer> said = new ArrayList<>();
        for (Process process : processes) {
            OutputStream in = process.getOutputStream();
            in.write('?');
            in.flush();
            BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
            String line = out.readLine();
            while (line != null && !line.startsWith(ReplicaProcess.PRIMARY)) {
                line = out.readLine();
            }
            if (line != null) {
                said.add(Integer.parseInt(line.substring(ReplicaProcess.PRIMARY.length())));
            }
        }
        return said.stream().collect(Collectors.groupingBy(each -> each, Collectors.counting())).entrySet().stream()
                .max((one, other) -> Long.compare(one.getValue(), other.getValue()))
                .orElseThrow()
                .getKey();
    }

    private void launch(int replica) throws IOException {
        processes[replica] = ReplicaProcess.launch(
                replica,
                Files.createDirectories(directory.resolve("replica-" + replica)),
                addresses,
                ProcessBuilder.Redirect.PIPE);
    }

    private static void print(String what, List<Gap> gaps) {
        List<Double> sorted = gaps.stream().map(Gap::millis).sorted().toList();
        List<Double> undisturbed = gaps.stream().map(Gap::undisturbed).sorted().toList();
        System.out.println(String.format(
                Locale.ROOT,
                "| %s | %d | %d | %.0f | %.0f | %.0f | %.0f / %.0f / %.0f | %d | %.2f |",
                what,
                CALLERS,
                sorted.size(),
                sorted.getFirst(),
                sorted.get(sorted.size() / 2),
                sorted.getLast(),
                undisturbed.getFirst(),
                undisturbed.get(undisturbed.size() / 2),
                undisturbed.getLast(),
                Timers.DEFAULT.requestMillis(),
                sorted.get(sorted.size() / 2) / Timers.DEFAULT.requestMillis()));
    }
}
