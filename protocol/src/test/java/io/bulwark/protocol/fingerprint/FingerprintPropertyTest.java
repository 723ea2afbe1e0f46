package io.bulwark.protocol.fingerprint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.bulwark.protocol.erasure.ErasureCode;
import io.bulwark.protocol.erasure.GaloisField;
import io.bulwark.protocol.wire.Bytes;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FingerprintPropertyTest {
    private static final long SEED = Long.getLong("bulwark.seed", System.nanoTime());

    static {
        System.out.println("FingerprintPropertyTest: -Dbulwark.seed=" + SEED);
    }

    private final Random random = new Random(SEED);

    static Stream<Evaluations.Way> ways() {
        return Evaluations.all();
    }

    /** Theorem 2.1.4 by the documented order of the bytes, one byte at a time. */
    private static Bytes definition(Bytes point, Bytes fragment) {
        Element r = Element.of(point);
        Element sum = Element.ZERO;
        for (int e = 64 * Math.ceilDiv(fragment.length(), 1024) - 1; e >= 0; e--) {
            byte[] coefficient = new byte[16];
            for (int j = 0; j < 16; j++) {
                int at = e / 64 * 1024 + j * 64 + e % 64;
                coefficient[j] = at < fragment.length() ? fragment.get(at) : 0;
            }
            sum = sum.times(r).plus(Element.of(Bytes.of(coefficient)));
        }
        return sum.toBytes();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void isTheValueAtThePoint(Evaluations.Way way) {
        for (int round = 0; round < 60; round++) {
            Bytes point = randomBytes(16);
            Bytes fragment = randomBytes(random.nextInt(round < 50 ? 5000 : 40_000));
            assertThat(new Fingerprint(point, way.evaluation()).of(fragment))
                    .as("%d bytes, seed %d", fragment.length(), SEED)
                    .isEqualTo(definition(point, fragment));
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void lengthsAroundEveryBoundary(Evaluations.Way way) {
        Bytes point = randomBytes(16);
        Fingerprint fingerprint = new Fingerprint(point, way.evaluation());
        Fingerprint portable = new Fingerprint(point, PortableLanes::new);
        for (int groups = 0; groups <= 130; groups += groups < 10 ? 1 : 8) {
            for (int delta = -2; delta <= 2; delta++) {
                Bytes fragment = randomBytes(Math.max(0, groups * 1024 + delta));
                assertThat(fingerprint.of(fragment))
                        .as("%d bytes, seed %d", fragment.length(), SEED)
                        .isEqualTo(portable.of(fragment));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void specialPoints(Evaluations.Way way) {
        Bytes fragment = randomBytes(70_000);
        for (Bytes point : List.of(
                Bytes.of(new byte[16]),
                Element.ZERO.plus(new Element(1, 0)).toBytes(),
                new Element(1 << 8, 0).toBytes(),
                new Element(-1, -1).toBytes())) {
            assertThat(new Fingerprint(point, way.evaluation()).of(fragment))
                    .as("r = %s, seed %d", point, SEED)
                    .isEqualTo(definition(point, fragment));
        }
    }

    /** Theorem 2.1.7. */
    @ParameterizedTest
    @MethodSource("ways")
    void isLinearOverTheCodesField(Evaluations.Way way) {
        for (int round = 0; round < 100; round++) {
            Fingerprint fingerprint = new Fingerprint(randomBytes(16), way.evaluation());
            int length = random.nextInt(20_000);
            Bytes first = randomBytes(length);
            Bytes second = randomBytes(length);
            int a = random.nextInt(256);
            int b = random.nextInt(256);
            assertThat(fingerprint.of(combination(a, first, b, second)))
                    .as("%d * d + %d * d' of %d bytes, seed %d", a, b, length, SEED)
                    .isEqualTo(combination(a, fingerprint.of(first), b, fingerprint.of(second)));
        }
    }

    /** Theorem 2.1.11. */
    @ParameterizedTest
    @MethodSource("ways")
    void fingerprintsOfAnEncodingAreTheEncodingOfFingerprints(Evaluations.Way way) {
        for (int round = 0; round < 40; round++) {
            int m = 1 + random.nextInt(12);
            ErasureCode code = ErasureCode.of(m, m + random.nextInt(12));
            Fingerprint fingerprint = new Fingerprint(randomBytes(16), way.evaluation());
            List<Bytes> fragments = code.encode(randomBytes(random.nextInt(m * 3000)), code.fragments());
            List<Bytes> prints = fragments.stream().map(fingerprint::of).toList();
            for (int i = 0; i < code.fragments(); i++) {
                assertThat(prints.get(i))
                        .as("fragment %d of %s, seed %d", i, code, SEED)
                        .isEqualTo(code.combine(i, prints.subList(0, m)));
            }
        }
    }

    /** The order of the bytes is a bijection: no two single bytes have one fingerprint, so no position is lost. */
    @Test
    void everyPositionCounts() {
        Fingerprint fingerprint = Fingerprint.at(randomBytes(16));
        byte[] zeros = new byte[3000];
        long distinct = IntStream.range(0, zeros.length)
                .mapToObj(at -> {
                    byte[] one = zeros.clone();
                    one[at] = 1;
                    return fingerprint.of(Bytes.of(one));
                })
                .distinct()
                .count();
        assertThat(distinct).as("seed %d", SEED).isEqualTo(zeros.length);
    }

    /** Shows the reason for which an fpcc names the length. */
    @Test
    void appendedZerosDoNotCount() {
        Fingerprint fingerprint = Fingerprint.at(randomBytes(16));
        byte[] fragment = randomBytes(2050).toByteArray();
        assertThat(fingerprint.of(Bytes.of(Arrays.copyOf(fragment, 9000))))
                .isEqualTo(fingerprint.of(Bytes.of(fragment)));
    }

    @Test
    void theEmptyFragmentHasFingerprintZero() {
        assertThat(Fingerprint.at(randomBytes(16)).of(Bytes.EMPTY)).isEqualTo(Bytes.of(new byte[16]));
    }

    @Test
    void refusesAPointOfAnotherSize() {
        assertThatIllegalArgumentException().isThrownBy(() -> Fingerprint.at(Bytes.of(new byte[17])));
    }

    private static Bytes combination(int a, Bytes first, int b, Bytes second) {
        byte[] sum = new byte[first.length()];
        for (int i = 0; i < sum.length; i++) {
            sum[i] = (byte) (GaloisField.multiply(a, first.get(i)) ^ GaloisField.multiply(b, second.get(i)));
        }
        return Bytes.of(sum);
    }

    private Bytes randomBytes(int length) {
        int offset = random.nextInt(70);
        byte[] array = new byte[offset + length + random.nextInt(70)];
        random.nextBytes(array);
        return Bytes.of(array, offset, length);
    }
}
