package io.bulwark.protocol.fingerprint;

import io.bulwark.protocol.wire.Bytes;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * The fingerprint of one fragment at a known point, and at a new one, beside SHA-256 of it. At 512 KiB, operations per second
 * divided by two are MiB/s.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(value = 1, jvmArgsAppend = "--add-modules=jdk.incubator.vector")
public class FingerprintBenchmark {
    @Param({"524288"})
    public int lengthBytes;

    private final Bytes point = Hashes.sha256(Bytes.EMPTY).slice(0, Fingerprint.LENGTH);
    private final Fingerprint vector = new Fingerprint(point, VectorLanes::new);
    private final Fingerprint portable = new Fingerprint(point, PortableLanes::new);
    private Bytes fragment = Bytes.EMPTY;

    @Setup
    public void fill() {
        byte[] bytes = new byte[lengthBytes];
        new Random(1).nextBytes(bytes);
        fragment = Bytes.of(bytes);
    }

    @Benchmark
    public Bytes sha256() {
        return Hashes.sha256(fragment);
    }

    @Benchmark
    public Bytes vector() {
        return vector.of(fragment);
    }

    @Benchmark
    public Bytes vectorAtNewPoint() {
        return new Fingerprint(point, VectorLanes::new).of(fragment);
    }

    @Benchmark
    public Bytes portable() {
        return portable.of(fragment);
    }
}
