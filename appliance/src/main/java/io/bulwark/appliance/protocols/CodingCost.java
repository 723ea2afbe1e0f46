package io.bulwark.appliance.protocols;

import io.bulwark.protocol.erasure.ErasureCode;
import io.bulwark.protocol.fingerprint.Fpcc;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.wire.Bytes;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Time of a client's coding in one operation, measured alone with the code that the protocols call. Each figure is the
 * median of several runs.
 *
 * @param encodeMillis time to encode
 * @param hashMillis time for SHA-256
 * @param fingerprintMillis time for fingerprints
 */
public record CodingCost(double encodeMillis, double hashMillis, double fingerprintMillis) {
    private static final int RUNS = 201;

    /** Measures what a write or a read computes while none is faulty. */
    static CodingCost of(ComparedProtocol protocol, int f, boolean isWrite) {
        int m = protocol.m(f);
        byte[] content = new byte[m * Math.ceilDiv(ComparedProtocol.BLOCK_BYTES, m)];
        new SplittableRandom(f).nextBytes(content);
        Bytes block = Bytes.of(content);
        ErasureCode code = ErasureCode.of(m, protocol.slots(f));
        return switch (protocol) {
            case REPLICATION -> new CodingCost(0, 0, 0);
            case ERASURE -> new CodingCost(isWrite ? encode(code, block, m + f) : 0, 0, 0);
            case FP -> {
                List<Bytes> fragments = code.encode(block, m + f);
                Fpcc fpcc = Fpcc.of(code, f, fragments);
                double hash = hash(isWrite ? fragments : fragments.subList(0, m));
                double both = isWrite
                        ? millis(() -> Fpcc.of(code, f, fragments))
                        : millis(() -> fpcc.countConsistent(code, fragments.subList(0, m)));
                yield new CodingCost(isWrite ? encode(code, block, m + f) : 0, hash, Math.max(0, both - hash));
            }
            case M_3F -> {
                List<Bytes> fragments = code.encode(block, code.fragments());
                double read = isWrite ? 0 : hash(fragments.subList(0, m));
                yield new CodingCost(encode(code, block, code.fragments()), hash(fragments) + read, 0);
            }
        };
    }

    private static double encode(ErasureCode code, Bytes block, int count) {
        return millis(() -> code.encode(block, count));
    }

    private static double hash(List<Bytes> fragments) {
        return millis(() -> fragments.stream().map(Hashes::sha256).toList());
    }

    private interface Work {
        Object run();
    }

    private static double millis(Work work) {
        double[] times = new double[RUNS];
        int used = 0;
        for (int run = 0; run < RUNS; run++) {
            long begun = System.nanoTime();
            used += work.run().hashCode() & 1;
            times[run] = (System.nanoTime() - begun) / 1e6;
        }
        Arrays.sort(times);
        return used < 0 ? 0 : times[RUNS / 2];
    }
}
