package io.bulwark.protocol.fountain;

import io.bulwark.protocol.erasure.ErasureCode;
import io.bulwark.protocol.wire.Bytes;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Benchmark of both codes at stretch 2, on 1 MiB of data: 256 symbols of 4 KiB, and 20 fragments of 40. Encoding makes
 * the other half; decoding makes the data of a set that lacks every second symbol or fragment. Operations per second are MiB/s.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(value = 1, jvmArgsAppend = "--add-modules=jdk.incubator.vector")
public class FountainCodeBenchmark {
    private static final int K = 256;
    private static final int LENGTH = 4096;
    private static final int M = 20;

    private final FountainCode fountain = FountainCode.of(K);
    private final ErasureCode reedSolomon = ErasureCode.of(M, 2 * M);
    private final byte[][] repair = new byte[K][LENGTH];
    private final FountainCode.Targets repairTargets =
            new FountainCode.Targets(IntStream.range(K, 2 * K).toArray(), repair, new int[K]);
    private final int[] received =
            IntStream.range(0, K + 4).map(i -> i < K / 2 ? 2 * i : K / 2 + i).toArray();
    private final byte[][] lost = new byte[K / 2][LENGTH];
    private final FountainCode.Targets lostTargets = new FountainCode.Targets(
            IntStream.range(0, K / 2).map(i -> 2 * i + 1).toArray(), lost, new int[K / 2]);
    private final int[] slots =
            IntStream.range(0, M).map(i -> i < M / 2 ? 2 * i : M + i).toArray();
    private Bytes data = Bytes.EMPTY;
    private Bytes[] symbols = {};
    private List<Bytes> fragments = List.of();

    @Setup
    public void fill() {
        byte[] bytes = new byte[K * LENGTH];
        new Random(1).nextBytes(bytes);
        data = Bytes.of(bytes);
        byte[][] all = new byte[2 * K][LENGTH];
        fountain.encode(data, new FountainCode.Targets(IntStream.range(0, 2 * K).toArray(), all, new int[2 * K]));
        symbols = Arrays.stream(received).mapToObj(i -> Bytes.of(all[i])).toArray(Bytes[]::new);
        List<Bytes> encoded = reedSolomon.encode(data, 2 * M);
        fragments = Arrays.stream(slots).mapToObj(encoded::get).toList();
    }

    @Benchmark
    public byte[][] fountainEncode() {
        fountain.encode(data, repairTargets);
        return repair;
    }

    @Benchmark
    public byte[][] fountainDecode() {
        fountain.decode(received, symbols, lostTargets);
        return lost;
    }

    @Benchmark
    public List<Bytes> reedSolomonEncode() {
        return reedSolomon.encode(data, 2 * M);
    }

    @Benchmark
    public Bytes reedSolomonDecode() {
        return reedSolomon.decode(slots, fragments);
    }
}
