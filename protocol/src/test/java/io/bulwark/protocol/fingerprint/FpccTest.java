package io.bulwark.protocol.fingerprint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.erasure.ErasureCode;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Definition 2.2.3: which fragments are consistent with a fingerprinted cross-checksum, and which never are. */
class FpccTest {
    private static final long SEED = Long.getLong("bulwark.seed", System.nanoTime());

    static {
        System.out.println("FpccTest: -Dbulwark.seed=" + SEED);
    }

    private static final int M = 3;
    private static final int F = 2;
    private static final int LENGTH = 1500;

    private final Random random = new Random(SEED);
    private final ErasureCode code = ErasureCode.of(M, 7);
    private final List<Bytes> fragments = code.encode(randomBytes(M * LENGTH), 7);
    private final List<Bytes> first = fragments.subList(0, M + F);
    private final Fpcc fpcc = Fpcc.of(code, F, first);

    @Test
    void theFragmentsThatItWasMadeOfAreConsistent() {
        for (int i = 0; i < M + F; i++) {
            assertThat(fpcc.isConsistent(code, i, first.get(i))).isTrue();
        }
        assertThat(fpcc.countConsistent(code, first)).isEqualTo(M + F);
        assertThat(fpcc.length()).isEqualTo(LENGTH);
        assertThat(fpcc.cc()).isEqualTo(first.stream().map(Hashes::sha256).toList());
        Fingerprint fingerprint = Fingerprint.at(Forgery.point(fpcc.cc(), LENGTH));
        assertThat(fpcc.fp())
                .isEqualTo(first.stream().limit(M).map(fingerprint::of).toList());
    }

    @Test
    void aFlippedBitIsInconsistent() {
        for (int i = 0; i < M + F; i++) {
            for (int round = 0; round < 50; round++) {
                byte[] flipped = first.get(i).toByteArray();
                flipped[random.nextInt(LENGTH)] ^= (byte) (1 << random.nextInt(8));
                assertThat(fpcc.isConsistent(code, i, Bytes.of(flipped)))
                        .as("seed %d", SEED)
                        .isFalse();
            }
        }
    }

    @Test
    void aFragmentIsConsistentAtItsIndexOnly() {
        for (int i = -1; i <= fragments.size(); i++) {
            for (int j = 0; j < fragments.size(); j++) {
                assertThat(fpcc.isConsistent(code, i, fragments.get(j)))
                        .as("fragment %d at %d", j, i)
                        .isEqualTo(i == j && i < M + F);
            }
        }
    }

    @Test
    void fragmentsOfAnotherBlockAreInconsistent() {
        List<Bytes> other = code.encode(randomBytes(M * LENGTH), M + F);
        assertThat(fpcc.countConsistent(code, other)).isZero();
    }

    @Test
    void anotherLengthIsInconsistent() {
        for (int i = 0; i < M + F; i++) {
            byte[] fragment = first.get(i).toByteArray();
            for (int length : new int[] {0, 1, LENGTH - 1, LENGTH + 1, 2 * LENGTH, 4096}) {
                assertThat(fpcc.isConsistent(code, i, Bytes.of(Arrays.copyOf(fragment, length))))
                        .isFalse();
            }
        }
    }

    /** A zero appended keeps the fingerprint, and a forged hash matches: only the length in the fpcc tells. */
    @PlantedBug(
            in = Fpcc.class,
            rule = "consistent fragments have one length",
            replace = "index < cc.size() && fragment.length() == length;",
            with = "index < cc.size();")
    @Test
    void zerosAppendedAreInconsistentEvenWithTheirOwnHash() {
        Bytes extended = Bytes.of(Arrays.copyOf(first.get(1).toByteArray(), LENGTH + 1));
        Fpcc forged = Forgery.withHashesOf(Map.of(1, extended), M, first);
        Fingerprint fingerprint = Fingerprint.at(Forgery.point(forged.cc(), LENGTH));
        assertThat(forged.cc().get(1)).isEqualTo(Hashes.sha256(extended));
        assertThat(forged.fp().get(1)).isEqualTo(fingerprint.of(extended));
        assertThat(forged.isConsistent(code, 1, extended)).isFalse();
    }

    @PlantedBug(
            in = Fpcc.class,
            rule = "fpcc compares fingerprints",
            replace =
                    "&& hash.equals(cc.get(index)) && " + "fingerprint().of(fragment).equals(code.combine(index, fp));",
            with = "&& hash.equals(cc.get(index));")
    @Test
    void theHashAloneIsNotEnough() {
        for (int i = 0; i < M + F; i++) {
            Bytes other = randomBytes(LENGTH);
            Fpcc forged = Forgery.withHashesOf(Map.of(i, other), M, first);
            assertThat(forged.cc().get(i)).isEqualTo(Hashes.sha256(other));
            assertThat(forged.isConsistent(code, i, other)).as("seed %d", SEED).isFalse();
            assertThat(forged.countConsistent(code, first)).isEqualTo(M + F - 1);
        }
    }

    @PlantedBug(
            in = Fpcc.class,
            rule = "fpcc compares hashes",
            replace = "&& hash.equals(cc.get(index)) && fingerprint()",
            with = "&& fingerprint()")
    @Test
    void theFingerprintAloneIsNotEnough() {
        for (int i = 0; i < M + F; i++) {
            Bytes other = Forgery.sameFingerprint(fpcc, first.get(i));
            Fingerprint fingerprint = Fingerprint.at(Forgery.point(fpcc.cc(), LENGTH));
            assertThat(other).isNotEqualTo(first.get(i));
            assertThat(fingerprint.of(other)).isEqualTo(fingerprint.of(first.get(i)));
            assertThat(fpcc.isConsistent(code, i, other)).isFalse();
        }
    }

    /** The point depends on every hash and on the length. */
    @Test
    void fingerprintsForAnotherPointAreInconsistent() {
        Bytes other = randomBytes(LENGTH);
        Fpcc forged = Forgery.withHashesOf(Map.of(M + F - 1, other), M, first);
        Fpcc stale = Fpcc.of(LENGTH, forged.cc(), fpcc.fp());
        assertThat(stale.countConsistent(code, first)).isZero();
        assertThat(Forgery.point(fpcc.cc(), LENGTH)).isNotEqualTo(Forgery.point(fpcc.cc(), LENGTH + 1));
    }

    @Test
    void anotherCodeIsInconsistent() {
        assertThat(fpcc.isConsistent(ErasureCode.of(2, 7), 0, first.getFirst())).isFalse();
        assertThat(fpcc.isConsistent(ErasureCode.of(M, M + 1), 0, first.getFirst()))
                .isFalse();
        assertThat(fpcc.isConsistent(ErasureCode.of(M, M + F), 0, first.getFirst()))
                .isTrue();
    }

    @Test
    void emptyBlocksHaveOneToo() {
        List<Bytes> empty = code.encode(Bytes.EMPTY, M + F);
        assertThat(Fpcc.of(code, F, empty).countConsistent(code, empty)).isEqualTo(M + F);
    }

    @Test
    void encodingIsCanonical() {
        WireWriter expected = new WireWriter().i32(LENGTH).u8(M).u8(M + F);
        fpcc.cc().forEach(expected::raw);
        fpcc.fp().forEach(expected::raw);
        assertThat(fpcc.encoded()).isEqualTo(expected.toBytes());
        assertThat(fpcc.pin()).isEqualTo(Hashes.sha256(fpcc.encoded()));

        WireReader in = new WireReader(fpcc.encoded());
        Fpcc read = Fpcc.decode(in);
        in.end();
        assertThat(read).isEqualTo(fpcc).hasSameHashCodeAs(fpcc);
        assertThat(read.encoded()).isEqualTo(fpcc.encoded());
        assertThat(read.countConsistent(code, first)).isEqualTo(M + F);
    }

    @Test
    void orderIsThatOfTheUnsignedEncoding() {
        Fpcc other = Fpcc.of(code, F, code.encode(randomBytes(M * LENGTH), M + F));
        assertThat(fpcc.compareTo(Fpcc.decode(new WireReader(fpcc.encoded())))).isZero();
        assertThat(Integer.signum(fpcc.compareTo(other)))
                .isEqualTo(Integer.signum(Arrays.compareUnsigned(
                        fpcc.encoded().toByteArray(), other.encoded().toByteArray())))
                .isEqualTo(-Integer.signum(other.compareTo(fpcc)));
        assertThat(fpcc).isNotEqualTo(other);
    }

    @Test
    void refusesWhatIsOutOfBounds() {
        for (int[] header : new int[][] {{-1, 3, 5}, {(1 << 28) + 1, 3, 5}, {10, 0, 5}, {10, 6, 5}}) {
            WireWriter out = new WireWriter().i32(header[0]).u8(header[1]).u8(header[2]);
            Bytes encoded = out.raw(Bytes.of(new byte[5 * 32 + header[1] * 16])).toBytes();
            assertThatThrownBy(() -> Fpcc.decode(new WireReader(encoded)))
                    .as(Arrays.toString(header))
                    .isInstanceOf(MalformedException.class);
        }
        Bytes encoded = fpcc.encoded();
        for (int length = 0; length < encoded.length(); length++) {
            Bytes truncated = encoded.slice(0, length);
            assertThatThrownBy(() -> Fpcc.decode(new WireReader(truncated))).isInstanceOf(MalformedException.class);
        }
    }

    @Test
    void refusesToBeMadeOfTheWrongFragments() {
        assertThatIllegalArgumentException().isThrownBy(() -> Fpcc.of(code, 1, first));
        assertThatIllegalArgumentException().isThrownBy(() -> Fpcc.of(code, 5, fragments));
        List<Bytes> uneven = List.of(first.get(0), first.get(1), first.get(2), first.get(3), randomBytes(LENGTH - 1));
        assertThatIllegalArgumentException().isThrownBy(() -> Fpcc.of(code, F, uneven));
        List<Bytes> shortHashes = List.of(Bytes.EMPTY);
        List<Bytes> prints = List.of(Bytes.of(new byte[16]));
        assertThatIllegalArgumentException().isThrownBy(() -> Fpcc.of(1, shortHashes, prints));
    }

    /** Fixed for ever: stored pins and fingerprints depend on the generator, the modulus and the order of the bytes. */
    @PlantedBug(
            in = Fpcc.class,
            rule = "the evaluation point depends on the hashes",
            replace = "List<Bytes> parts = new ArrayList<>(cc);",
            with = "List<Bytes> parts = new ArrayList<>();")
    @Test
    void goldenVector() {
        byte[] block = new byte[2 * 5000];
        for (int i = 0; i < block.length; i++) {
            block[i] = (byte) (i * i + (i >>> 8));
        }
        Fpcc golden = new BlockCode(2, 1, 4).encode(Bytes.of(block)).fpcc();
        assertThat(golden.fp().getFirst().toHex()).isEqualTo("c3ccde475171bd4740d9319f3d274397");
        assertThat(golden.pin().toHex()).isEqualTo("8d011c6a02de1d26d0fa4f6b4a30986ad037776ea9ede3ff6b34a58bc9f3b46e");
    }

    private Bytes randomBytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return Bytes.of(bytes);
    }
}
