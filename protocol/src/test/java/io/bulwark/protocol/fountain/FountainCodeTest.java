package io.bulwark.protocol.fountain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.fingerprint.Fingerprint;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The code on both loops, with random sources, lengths and losses. */
class FountainCodeTest {
    private static final long SEED = Long.getLong("bulwark.seed", System.nanoTime());

    static {
        System.out.println("FountainCodeTest: -Dbulwark.seed=" + SEED);
    }

    private final Random random = new Random(SEED);

    /** Both loops; the tests run with {@code --add-modules jdk.incubator.vector}, so that a missing one is a failure. */
    static Stream<SymbolLoop> loops() {
        return Stream.of(new PortableSymbolLoop(), new VectorSymbolLoop());
    }

    @ParameterizedTest
    @MethodSource("loops")
    void decodesWhatItEncodes(SymbolLoop loop) {
        for (int round = 0; round < 30; round++) {
            int k = 8 + random.nextInt(round < 25 ? 60 : 300);
            int length = random.nextInt(round % 3 == 0 ? 3000 : 100);
            decodesWhatItEncodes(FountainCode.of(k).on(loop), length);
        }
    }

    private void decodesWhatItEncodes(FountainCode code, int length) {
        int k = code.sourceSymbols();
        String what = "k = " + k + ", symbols of " + length + " bytes, seed " + SEED;
        Bytes source = randomBytes(k * length);
        byte[][] symbols = encode(code, source, 3 * k);
        for (int i = 0; i < k; i++) {
            assertThat(Bytes.of(symbols[i])).as(what).isEqualTo(source.slice(i * length, length));
        }
        int[] received = randomNumbers(3 * k, k + 4);
        Bytes[] inputs =
                Arrays.stream(received).mapToObj(i -> Bytes.of(symbols[i])).toArray(Bytes[]::new);
        byte[] decoded = new byte[k * length];
        byte[][] arrays = new byte[k][];
        Arrays.fill(arrays, decoded);
        int[] positions = IntStream.range(0, k).map(i -> i * length).toArray();
        int[] numbers = IntStream.range(0, k).toArray();
        assertThat(code.decode(received, inputs, new FountainCode.Targets(numbers, arrays, positions)))
                .as(what)
                .isTrue();
        assertThat(Bytes.of(decoded)).as(what).isEqualTo(source);
    }

    @Test
    void loopsGiveTheSameSymbols() {
        FountainCode code = FountainCode.of(100);
        for (int length : new int[] {1, 63, 64, 65, 511, 512, 513, 1337, 5000}) {
            Bytes source = randomBytes(100 * length);
            assertThat(encode(code.on(new VectorSymbolLoop()), source, 250))
                    .as("symbols of %d bytes, seed %d", length, SEED)
                    .isDeepEqualTo(encode(code.on(new PortableSymbolLoop()), source, 250));
        }
    }

    @Test
    void encodingCommutesWithFingerprints() {
        FountainCode code = FountainCode.of(64);
        Fingerprint fingerprint = Fingerprint.at(randomBytes(Fingerprint.LENGTH));
        byte[][] symbols = encode(code, randomBytes(64 * 2000), 200);
        byte[] ofSource = new byte[64 * Fingerprint.LENGTH];
        for (int i = 0; i < 64; i++) {
            fingerprint.of(Bytes.of(symbols[i])).copyTo(0, ofSource, i * Fingerprint.LENGTH, Fingerprint.LENGTH);
        }
        byte[][] encoded = encode(code, Bytes.of(ofSource), 200);
        for (int i = 0; i < 200; i++) {
            assertThat(Bytes.of(encoded[i]))
                    .as("symbol %d, seed %d", i, SEED)
                    .isEqualTo(fingerprint.of(Bytes.of(symbols[i])));
        }
    }

    @ParameterizedTest
    @CsvSource({"8, 800", "20, 800", "64, 800", "256, 1500", "700, 100"})
    void fourSymbolsMoreSuffice(int k, int rounds) {
        FountainCode code = FountainCode.of(k);
        int failures = 0;
        for (int round = 0; round < rounds; round++) {
            int[] numbers = randomNumbers(k + random.nextInt(3 * k), k + 4);
            assertThat(code.compile(numbers))
                    .as("k = %d, round %d, seed %d", k, round, SEED)
                    .isPresent();
            failures += code.compile(Arrays.copyOf(numbers, k)).isEmpty() ? 1 : 0;
        }
        assertThat(failures).as("failures without one more, seed %d", SEED).isLessThan(2 + rounds / 20);
    }

    /** 10^5 losses take minutes. Run on demand, it prints the share of failures for each number of further symbols. */
    @Test
    @Tag("nightly")
    void overheadOfManyLosses() {
        int k = 256;
        int rounds = Integer.getInteger("bulwark.rounds", 100_000);
        FountainCode code = FountainCode.of(k);
        int[] failures = new int[5];
        for (int round = 0; round < rounds; round++) {
            int[] numbers = randomNumbers(2 * k, k + failures.length - 1);
            int more = 0;
            while (more < failures.length
                    && code.compile(Arrays.copyOf(numbers, k + more)).isEmpty()) {
                failures[more++]++;
            }
        }
        System.out.println("k = " + k + ", " + rounds
                + " losses of half of the symbols; failures with 0, 1, 2, ... more: " + Arrays.toString(failures));
        assertThat(failures[0]).as("seed %d", SEED).isLessThan(rounds / 50);
        assertThat(failures[1]).as("seed %d", SEED).isLessThan(2 + rounds / 2000);
        assertThat(failures[3]).as("seed %d", SEED).isZero();
    }

    @Test
    void fewerThanKSymbolsDoNotSuffice() {
        FountainCode code = FountainCode.of(30);
        assertThat(code.isDecodable(IntStream.range(0, 29).toArray())).isFalse();
        assertThat(code.isDecodable(IntStream.range(0, 30).toArray())).isTrue();
    }

    @Test
    void sourceSymbolsOutOfBoundsAreRefused() {
        assertThatThrownBy(() -> FountainCode.of(7)).hasMessageContaining("no fountain code with 7 source symbols");
        assertThatThrownBy(() -> FountainCode.of(4097)).isInstanceOf(IllegalArgumentException.class);
    }

    /** The schedule is a format: who changes it makes stored symbols worthless. */
    @Test
    void theScheduleIsFixed() {
        WireWriter out = new WireWriter(1024);
        for (int k : new int[] {8, 100, 256, 1000}) {
            int length = 4;
            byte[] source = new byte[k * length];
            new Random(k).nextBytes(source);
            for (byte[] symbol : encode(FountainCode.of(k), Bytes.of(source), 2 * k)) {
                out.raw(Bytes.of(symbol));
            }
        }
        assertThat(Hashes.sha256(out.toBytes()).toHex())
                .isEqualTo("28be8d9293ee150fed4b1a08f2be6c7ba6c637cee6c02f3e1b39ac6b31d17816");
    }

    private static byte[][] encode(FountainCode code, Bytes source, int count) {
        byte[][] symbols = new byte[count][source.length() / code.sourceSymbols()];
        code.encode(source, new FountainCode.Targets(IntStream.range(0, count).toArray(), symbols, new int[count]));
        return symbols;
    }

    private int[] randomNumbers(int of, int count) {
        List<Integer> all =
                new ArrayList<>(IntStream.range(0, Math.max(of, count)).boxed().toList());
        Collections.shuffle(all, random);
        return all.stream().limit(count).mapToInt(Integer::intValue).toArray();
    }

    /** Starts somewhere inside its array. */
    private Bytes randomBytes(int length) {
        int offset = random.nextInt(70);
        byte[] array = new byte[offset + length + random.nextInt(70)];
        random.nextBytes(array);
        return Bytes.of(array, offset, length);
    }
}
