package io.bulwark.protocol.extent;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.extent.ExtentCoding.DecodeResult;
import io.bulwark.protocol.extent.ExtentCoding.Encoded;
import io.bulwark.protocol.fingerprint.Checksum;
import io.bulwark.protocol.fingerprint.Commitment;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.assertj.core.api.Assertions;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** The coding of the archive class, f = 2, any 4 of 14 slots. */
@NullMarked
class ArchiveCodingTest {
    private static final long SEED = Long.getLong("bulwark.seed", System.nanoTime());
    private static final ProtectionPolicy POLICY = ProtectionPolicy.archive(2, 4, 14, 1 << 20);
    private static final ExtentCoding CODING = ExtentCoding.of(POLICY);

    static {
        System.out.println("ArchiveCodingTest: -Dbulwark.seed=" + SEED);
    }

    private final Random random = new Random(SEED);
    private final Bytes segment = randomSegment(30_000);
    private final Encoded encoded = CODING.encode(segment);

    private Bytes randomSegment(int length) {
        byte[] bytes = new byte[POLICY.paddedBytes(length)];
        random.nextBytes(bytes);
        return Bytes.of(bytes);
    }

    private Map<Integer, Bytes> some(Encoded of, int count) {
        List<Integer> slots =
                new ArrayList<>(IntStream.range(0, POLICY.n()).boxed().toList());
        Collections.shuffle(slots, random);
        Map<Integer, Bytes> some = new TreeMap<>();
        slots.stream()
                .limit(count)
                .forEach(slot -> some.put(slot, of.fragments().get(slot)));
        return some;
    }

    private static Encoded encoded(Commitment.Encoded forged) {
        return new Encoded(forged.commitment(), forged.fragments());
    }

    @Test
    void anyMFragmentsGiveTheSegment() {
        assertThat(encoded.fragments()).hasSize(POLICY.n());
        assertThat(encoded.fragments().getFirst().length()).isEqualTo(POLICY.fragmentBytes(30_000));
        for (int round = 0; round < 50; round++) {
            assertThat(CODING.decode(encoded.checksum(), some(encoded, POLICY.m()), false))
                    .as("seed %d", SEED)
                    .isEqualTo(new DecodeResult.Block(segment));
        }
        assertThat(CODING.decode(encoded.checksum(), some(encoded, POLICY.m() - 1), false))
                .isEqualTo(new DecodeResult.None());
    }

    @Test
    void shortSegmentsWork() {
        for (int length : new int[] {1, 2, 100, 1000}) {
            Bytes small = randomSegment(length);
            Encoded of = CODING.encode(small);
            assertThat(of.fragments().getFirst().length()).isEqualTo(POLICY.fragmentBytes(length));
            assertThat(CODING.decode(of.checksum(), some(of, 4), false)).isEqualTo(new DecodeResult.Block(small));
        }
    }

    @Test
    void eachSlotAcceptsItsOwnFragmentOnly() {
        for (int slot = 0; slot < POLICY.n(); slot++) {
            Bytes fragment = encoded.fragments().get(slot);
            assertThat(CODING.accept(encoded.checksum(), slot, fragment)).isPresent();
            assertThat(CODING.accept(encoded.checksum(), (slot + 1) % POLICY.n(), fragment))
                    .isEmpty();
            byte[] flipped = fragment.toByteArray();
            flipped[random.nextInt(flipped.length)] ^= 1;
            assertThat(CODING.accept(encoded.checksum(), slot, Bytes.of(flipped)))
                    .as("seed %d", SEED)
                    .isEmpty();
            assertThat(CODING.accept(encoded.checksum(), slot, fragment.slice(0, fragment.length() - 1)))
                    .isEmpty();
        }
        assertThat(CODING.accept(
                        encoded.checksum(), POLICY.n(), encoded.fragments().getFirst()))
                .isEmpty();
    }

    @Test
    void slotsAcceptOnlyBlocksThatTheFingerprintsAllow() {
        Bytes other = randomSegment(30_000);
        List<Bytes> mixed = new ArrayList<>(encoded.fragments());
        List<Bytes> others = CODING.encode(other).fragments();
        mixed.set(1, others.get(1));
        mixed.set(9, others.get(9));
        Encoded forged = encoded(Commitment.of(POLICY.m(), mixed, segment, segment));
        for (int slot = 0; slot < POLICY.n(); slot++) {
            assertThat(CODING.accept(forged.checksum(), slot, forged.fragments().get(slot))
                            .isPresent())
                    .as("slot %d, seed %d", slot, SEED)
                    .isEqualTo(slot != 1 && slot != 9);
        }
    }

    @Test
    void noMixtureIsEverReadable() {
        Bytes other = randomSegment(30_000);
        List<Bytes> mixed = new ArrayList<>(encoded.fragments());
        mixed.set(12, CODING.encode(other).fragments().get(12));
        Encoded forged = encoded(Commitment.of(POLICY.m(), mixed, segment, segment));
        Map<Integer, Bytes> right = new TreeMap<>();
        IntStream.range(0, 4).forEach(slot -> right.put(slot, forged.fragments().get(slot)));
        assertThat(CODING.decode(forged.checksum(), right, false)).isEqualTo(new DecodeResult.Block(segment));
        assertThat(CODING.encodes(forged.checksum(), segment, right.keySet()))
                .as("the root has a block of another segment")
                .isFalse();
        assertThat(CODING.encodeExactly(forged.checksum(), segment)).isEmpty();
    }

    @Test
    void anotherHashThanTheSegmentsIsPoisonous() {
        Encoded forged = encoded(Commitment.of(POLICY.m(), encoded.fragments(), randomSegment(30_000), segment));
        assertThat(CODING.accept(forged.checksum(), 3, forged.fragments().get(3)))
                .isPresent();
        assertThat(CODING.decode(forged.checksum(), some(forged, 4), false)).isEqualTo(new DecodeResult.Poisonous());
    }

    @Test
    void encodesAgainToAllFragments() {
        assertThat(CODING.encodeExactly(encoded.checksum(), segment)).contains(encoded.fragments());
        assertThat(CODING.encodes(encoded.checksum(), segment, Set.of(0, 1, 2, 3)))
                .isTrue();
        assertThat(CODING.fragments(segment)).isEqualTo(encoded.fragments());
        assertThat(CODING.encodeExactly(encoded.checksum(), randomSegment(30_000)))
                .isEmpty();
        assertThat(CODING.matches(segment, 5, encoded.fragments().get(5))).isTrue();
        assertThat(CODING.matches(segment, 6, encoded.fragments().get(5))).isFalse();
    }

    @Test
    void commitmentsOfOtherPoliciesAreRefused() {
        Encoded of =
                ExtentCoding.of(ProtectionPolicy.archive(2, 5, 14, 1 << 20)).encode(segment(5));
        assertThat(CODING.accept(of.checksum(), 0, of.fragments().getFirst())).isEmpty();
        assertThat(CODING.decode(of.checksum(), some(of, 5), false)).isEqualTo(new DecodeResult.None());
        assertThat(CODING.encodeExactly(of.checksum(), segment)).isEmpty();
    }

    private Bytes segment(int m) {
        return Bytes.of(new byte[ProtectionPolicy.archive(2, m, 14, 1 << 20).paddedBytes(100)]);
    }

    @Test
    void encodingOfTheCommitmentIsCanonical() {
        Bytes bytes = encoded.checksum().encoded();
        Checksum decoded = Checksum.decode(new WireReader(bytes));
        assertThat(decoded).isEqualTo(encoded.checksum());
        assertThat(decoded.pin()).isEqualTo(encoded.checksum().pin());
        assertThat(CODING.accept(decoded, 13, encoded.fragments().get(13))).isPresent();
        byte[] odd = bytes.toByteArray();
        odd[3] ^= 1;
        Assertions.assertThatThrownBy(() -> Checksum.decode(new WireReader(Bytes.of(odd))))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("no fragment of");
    }
}
