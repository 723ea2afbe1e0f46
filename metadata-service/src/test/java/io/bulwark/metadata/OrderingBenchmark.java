package io.bulwark.metadata;

import io.bulwark.metadata.bftsmart.BftSmartEngines;
import io.bulwark.metadata.ordering.MemorySequencer;
import io.bulwark.protocol.wire.Bytes;
import java.io.IOException;
import java.nio.file.Files;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.NullMarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/** Ordered, logged and acknowledged commands per second: four replicas and 32 callers in one JVM. */
@NullMarked
@State(Scope.Benchmark)
@Fork(1)
@Warmup(iterations = 2, time = 5)
@Measurement(iterations = 3, time = 5)
@Threads(32)
public class OrderingBenchmark {
    private static final String TEXT = "x".repeat(200);

    @Param({"memory", "bft-smart", "bft"})
    public String engine = "";

    private final AtomicLong number = new AtomicLong();

    @SuppressWarnings("NullAway.Init")
    private ReplicaGroup group;

    @Setup(Level.Trial)
    public void start() throws IOException {
        group = new ReplicaGroup(
                Files.createTempDirectory("ordering"),
                switch (engine) {
                    case "memory" -> ReplicaGroup.Starter.incarnations(new MemorySequencer());
                    case "bft-smart" -> ReplicaGroup.Starter.incarnations(BftSmartEngines.standard());
                    default -> ReplicaGroup.Starter.bft();
                },
                ReplicaConfig.SNAPSHOT_BATCHES_STANDARD);
        group.startAll();
        group.client().submit(RecordingApplication.command(-1, TEXT)).join();
    }

    @TearDown(Level.Trial)
    public void stop() {
        group.close();
    }

    @Benchmark
    public Bytes command() {
        return group.client()
                .submit(RecordingApplication.command(number.getAndIncrement(), TEXT))
                .join();
    }
}
