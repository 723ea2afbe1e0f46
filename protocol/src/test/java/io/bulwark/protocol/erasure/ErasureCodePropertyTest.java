package io.bulwark.protocol.erasure;

import static org.assertj.core.api.Assertions.assertThat;

import com.backblaze.erasure.InputOutputByteTableCodingLoop;
import com.backblaze.erasure.ReedSolomon;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every loop against JavaReedSolomon as the oracle, on random codes, lengths and erasures. */
class ErasureCodePropertyTest {
    private static final long SEED = Long.getLong("bulwark.seed", System.nanoTime());

    static {
        System.out.println("ErasureCodePropertyTest: -Dbulwark.seed=" + SEED);
    }

    private final Random random = new Random(SEED);

    static Stream<CodingLoop> loops() {
        return CodingLoops.all();
    }

    @ParameterizedTest
    @MethodSource("loops")
    void fragmentsAreThoseOfTheOracle(CodingLoop loop) {
        for (int round = 0; round < 300; round++) {
            int m = 1 + random.nextInt(round < 250 ? 8 : 40);
            int n = m + random.nextInt(round < 250 ? 8 : 40);
            checkAgainstOracle(loop, m, n, randomBlock(random.nextInt(m * 700)));
        }
    }

    @ParameterizedTest
    @MethodSource("loops")
    void everyShortLength(CodingLoop loop) {
        for (int length = 0; length <= 2 * 320; length++) {
            checkAgainstOracle(loop, 2, 5, randomBlock(length));
        }
    }

    @Test
    void piecesAreThoseOfTheFragments() {
        for (int length : new int[] {0, 1, 2, 100, 65_535, 65_536, 65_537, 200_001}) {
            ErasureCode code = ErasureCode.of(2, 5);
            int fragmentLength = ErasureCode.fragmentLength(length, 2);
            Bytes block = Bytes.of(Arrays.copyOf(randomBlock(length).toByteArray(), 2 * fragmentLength));
            int[] indexes = {4, 1, 2};
            byte[][] joined = new byte[indexes.length][fragmentLength];
            int[] used = new int[indexes.length];
            code.encodePieces(block, indexes, (position, piece, count) -> {
                System.arraycopy(piece, 0, joined[position], used[position], count);
                used[position] += count;
            });
            for (int i = 0; i < indexes.length; i++) {
                assertThat(used[i]).isEqualTo(fragmentLength);
                assertThat(Bytes.of(joined[i]))
                        .as("seed %d, %d bytes, fragment %d", SEED, length, indexes[i])
                        .isEqualTo(code.encodeFragment(block, indexes[i]));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("loops")
    void theLargestCodes(CodingLoop loop) {
        for (int m : new int[] {1, 2, 100, 127, 254, 255}) {
            checkAgainstOracle(loop, m, 255, randomBlock(m * 131 - (m > 1 ? 1 : 0)));
        }
    }

    @ParameterizedTest
    @MethodSource("loops")
    void longFragments(CodingLoop loop) {
        checkAgainstOracle(loop, 2, 4, randomBlock(2 * 100_003));
        checkAgainstOracle(loop, 3, 7, randomBlock(3 * 70_001 - 1));
    }

    @Test
    void theLoopThatIsChosenGivesTheOraclesBytes() {
        checkAgainstOracle(ErasureCode.of(2, 4), randomBlock(2 * 65_537));
        checkAgainstOracle(ErasureCode.of(5, 9), randomBlock(5 * 63));
    }

    private void checkAgainstOracle(CodingLoop loop, int m, int n, Bytes block) {
        checkAgainstOracle(ErasureCode.of(m, n).on(loop), block);
    }

    private void checkAgainstOracle(ErasureCode code, Bytes block) {
        String what = code + ", block of " + block.length() + ", seed " + SEED;
        List<Bytes> expected = oracle(code, block);
        assertThat(code.encode(block, code.fragments())).as(what).isEqualTo(expected);
        int some = random.nextInt(code.fragments() + 1);
        assertThat(code.encode(block, some)).as(what).isEqualTo(expected.subList(0, some));
        int one = random.nextInt(code.fragments());
        assertThat(code.encodeFragment(block, one)).as(what).isEqualTo(expected.get(one));
        assertThat(code.combine(one, expected.subList(0, code.dataFragments())))
                .as(what)
                .isEqualTo(expected.get(one));

        int[] indexes = randomIndexes(code);
        List<Bytes> chosen = Arrays.stream(indexes).mapToObj(expected::get).toList();
        assertThat(code.decode(indexes, chosen))
                .as(what + ", from " + Arrays.toString(indexes))
                .isEqualTo(padded(code, block));
    }

    private static List<Bytes> oracle(ErasureCode code, Bytes block) {
        int m = code.dataFragments();
        int length = ErasureCode.fragmentLength(block.length(), m);
        byte[] padded = padded(code, block).toByteArray();
        byte[][] shards = new byte[code.fragments()][length];
        for (int i = 0; i < m; i++) {
            System.arraycopy(padded, i * length, shards[i], 0, length);
        }
        if (code.fragments() > m) {
            new ReedSolomon(m, code.fragments() - m, new InputOutputByteTableCodingLoop())
                    .encodeParity(shards, 0, length);
        }
        return Arrays.stream(shards).map(Bytes::of).toList();
    }

    private static Bytes padded(ErasureCode code, Bytes block) {
        int length = ErasureCode.fragmentLength(block.length(), code.dataFragments());
        return Bytes.of(Arrays.copyOf(block.toByteArray(), length * code.dataFragments()));
    }

    private int[] randomIndexes(ErasureCode code) {
        List<Integer> all =
                new ArrayList<>(IntStream.range(0, code.fragments()).boxed().toList());
        Collections.shuffle(all, random);
        return all.stream().limit(code.dataFragments()).mapToInt(i -> i).toArray();
    }

    /** Starts somewhere inside its array. */
    private Bytes randomBlock(int length) {
        int offset = random.nextInt(70);
        byte[] array = new byte[offset + length + random.nextInt(70)];
        random.nextBytes(array);
        return Bytes.of(array, offset, length);
    }
}
