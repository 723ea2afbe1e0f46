package io.bulwark.protocol.erasure;

import com.backblaze.erasure.InputOutputByteTableCodingLoop;
import com.backblaze.erasure.ReedSolomon;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Benchmark of the two parity fragments of a 2+2 code with fragments of 512 KiB. It compares JavaReedSolomon's fastest
 * loop, our portable path and the vector path. One operation codes 1 MiB of data: operations per second are MiB/s.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(value = 1, jvmArgsAppend = "--add-modules=jdk.incubator.vector")
public class ErasureCodeBenchmark {
    private static final int LENGTH = 512 << 10;

    private final ReedSolomon backblaze = new ReedSolomon(2, 2, new InputOutputByteTableCodingLoop());
    private final byte[][] shards = new byte[4][LENGTH];
    private final byte[][] rows = GaloisField.generator(2, 4);
    private final byte[][] parityRows = {rows[2], rows[3]};
    private final CodingLoop vector = new VectorCodingLoop();
    private final byte[][] parity = new byte[2][LENGTH];
    private final int[] positions = new int[2];
    private List<Bytes> stripes = List.of();

    @Setup
    public void fill() {
        Random random = new Random(1);
        random.nextBytes(shards[0]);
        random.nextBytes(shards[1]);
        stripes = List.of(Bytes.of(shards[0]), Bytes.of(shards[1]));
    }

    @Benchmark
    public byte[][] backblaze() {
        backblaze.encodeParity(shards, 0, LENGTH);
        return shards;
    }

    @Benchmark
    public byte[][] portable() {
        GaloisField.code(parityRows, stripes, parity, positions, LENGTH);
        return parity;
    }

    @Benchmark
    public byte[][] vector() {
        vector.code(parityRows, stripes, parity, positions, LENGTH);
        return parity;
    }
}
