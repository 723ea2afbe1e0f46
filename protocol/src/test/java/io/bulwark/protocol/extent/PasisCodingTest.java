package io.bulwark.protocol.extent;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.extent.ExtentCoding.Accepted;
import io.bulwark.protocol.extent.ExtentCoding.DecodeResult;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.fingerprint.Checksum;
import io.bulwark.protocol.fingerprint.CrossChecksum;
import io.bulwark.protocol.fingerprint.Fpcc;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class PasisCodingTest {
    private static final long SEED = Long.getLong("bulwark.seed", System.nanoTime());
    private static final int M = 2;
    private static final int N = 5;

    static {
        System.out.println("PasisCodingTest: -Dbulwark.seed=" + SEED);
    }

    private final Random random = new Random(SEED);
    private final ExtentCoding lazy = coding(Verification.LAZY);
    private final Bytes block = randomBlock();
    private final ExtentCoding.Encoded encoded = lazy.encode(block);

    private static ExtentCoding coding(Verification verification) {
        return ExtentCoding.of(ProtectionPolicy.pasis(1, M, N, 512, verification));
    }

    private Bytes randomBlock() {
        byte[] bytes = new byte[100];
        random.nextBytes(bytes);
        return Bytes.of(bytes);
    }

    private static Map<Integer, Bytes> two(List<Bytes> fragments, int first, int second) {
        Map<Integer, Bytes> two = new TreeMap<>();
        two.put(first, fragments.get(first));
        two.put(second, fragments.get(second));
        return two;
    }

    @Test
    void anyMOfAllFragmentsGiveTheBlock() {
        assertThat(encoded.fragments()).hasSize(N);
        for (int first = 0; first < N; first++) {
            for (int second = first + 1; second < N; second++) {
                assertThat(lazy.decode(encoded.checksum(), two(encoded.fragments(), first, second), false))
                        .isEqualTo(new DecodeResult.Block(block));
            }
        }
        assertThat(lazy.decode(encoded.checksum(), Map.of(0, encoded.fragments().getFirst()), false))
                .isEqualTo(new DecodeResult.None());
    }

    @PlantedBug(
            in = PasisCoding.class,
            rule = "a block matches its checksum",
            replace =
                    "return CrossChecksum.of(fragments).equals(checksum) ? Optional.of(fragments) : Optional.empty();",
            with = "return Optional.of(fragments);")
    @Test
    void poisonIsPoisonWhicheverFragmentsAreRead() {
        for (int wrong = 0; wrong < N; wrong++) {
            List<Bytes> mixed = new ArrayList<>(encoded.fragments());
            mixed.set(wrong, lazy.encode(randomBlock()).fragments().get(wrong));
            CrossChecksum checksum = CrossChecksum.of(mixed);
            for (int first = 0; first < N; first++) {
                for (int second = first + 1; second < N; second++) {
                    assertThat(lazy.decode(checksum, two(mixed, first, second), false))
                            .isEqualTo(new DecodeResult.Poisonous());
                }
            }
            for (int slot = 0; slot < N; slot++) {
                assertThat(lazy.accept(checksum, slot, mixed.get(slot)))
                        .as("its hash is its entry, more a node cannot see")
                        .isPresent();
            }
            assertThat(lazy.encodeExactly(checksum, block)).isEmpty();
        }
    }

    @Test
    void aFragmentFromItsWriterIsUnverified() {
        for (int slot = 0; slot < N; slot++) {
            Bytes fragment = encoded.fragments().get(slot);
            assertThat(lazy.accept(encoded.checksum(), slot, fragment)).contains(new Accepted(fragment, false));
            assertThat(lazy.matches(block, slot, fragment)).isTrue();
        }
        assertThat(lazy.encodeExactly(encoded.checksum(), block)).contains(encoded.fragments());
        assertThat(lazy.mustSendBlocks()).isFalse();
    }

    @Test
    void underWriteTimeOnlyBlocksAreTaken() {
        ExtentCoding writeTime = coding(Verification.WRITE_TIME);
        assertThat(writeTime.mustSendBlocks()).isTrue();
        assertThat(writeTime.accept(encoded.checksum(), 0, encoded.fragments().getFirst()))
                .isEmpty();
    }

    @Test
    void whatDoesNotFitIsRefused() {
        Checksum checksum = encoded.checksum();
        Bytes fragment = encoded.fragments().getFirst();
        Fpcc fpcc = BlockCode.ofAll(2, 4).encode(block).fpcc();
        Checksum ofFour = CrossChecksum.of(encoded.fragments().subList(0, 4));
        assertThat(lazy.accept(fpcc, 0, fragment)).isEmpty();
        assertThat(lazy.accept(ofFour, 0, fragment)).isEmpty();
        assertThat(lazy.accept(checksum, 1, fragment)).isEmpty();
        assertThat(lazy.accept(checksum, N, fragment)).isEmpty();
        assertThat(lazy.encodeExactly(checksum, block.slice(0, 99))).isEqualTo(Optional.empty());
        assertThat(lazy.encodeExactly(fpcc, block)).isEmpty();
        assertThat(lazy.matches(block, N, fragment)).isFalse();
        ExtentCoding fp = ExtentCoding.of(new ProtectionPolicy(1, 2, 4, 512));
        assertThat(fp.accept(checksum, 0, fragment)).isEmpty();
        assertThat(fp.encodeExactly(checksum, block)).isEmpty();
        assertThat(fp.decode(checksum, two(encoded.fragments(), 0, 1), false)).isEqualTo(new DecodeResult.None());
    }
}
