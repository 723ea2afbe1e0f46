package io.bulwark.protocol.extent;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.extent.ExtentCoding.Accepted;
import io.bulwark.protocol.extent.ExtentCoding.Decoded;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.fingerprint.Checksum;
import io.bulwark.protocol.fingerprint.CrossChecksum;
import io.bulwark.protocol.fingerprint.Fpcc;
import io.bulwark.protocol.fingerprint.Share;
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

    private static Map<Integer, Share> shares(List<Bytes> fragments, int first, int second) {
        Map<Integer, Share> shares = new TreeMap<>();
        shares.put(first, new Share(fragments.get(first), null));
        shares.put(second, new Share(fragments.get(second), null));
        return shares;
    }

    @Test
    void anyMOfAllFragmentsGiveTheBlock() {
        assertThat(encoded.fragments()).hasSize(N);
        for (int first = 0; first < N; first++) {
            for (int second = first + 1; second < N; second++) {
                assertThat(lazy.decode(encoded.checksum(), shares(encoded.fragments(), first, second), false))
                        .isEqualTo(new Decoded.Block(block));
            }
        }
        assertThat(lazy.decode(
                        encoded.checksum(),
                        Map.of(0, new Share(encoded.fragments().getFirst(), null)),
                        false))
                .isEqualTo(new Decoded.None());
    }

    @PlantedBug(
            in = PasisCoding.class,
            rule = "a block matches its checksum",
            replace = "if (!CrossChecksum.of(fragments).equals(checksum)) {",
            with = "if (false) {")
    @Test
    void poisonIsPoisonWhicheverFragmentsAreRead() {
        for (int wrong = 0; wrong < N; wrong++) {
            List<Bytes> mixed = new ArrayList<>(encoded.fragments());
            mixed.set(wrong, lazy.encode(randomBlock()).fragments().get(wrong));
            CrossChecksum checksum = CrossChecksum.of(mixed);
            for (int first = 0; first < N; first++) {
                for (int second = first + 1; second < N; second++) {
                    assertThat(lazy.decode(checksum, shares(mixed, first, second), false))
                            .isEqualTo(new Decoded.Poisonous());
                }
            }
            for (int slot = 0; slot < N; slot++) {
                assertThat(lazy.accept(checksum, slot, mixed.get(slot)))
                        .as("its hash is its entry, more a node cannot see")
                        .isPresent();
                assertThat(lazy.acceptBlock(checksum, slot, block)).isEmpty();
            }
        }
    }

    @Test
    void aFragmentIsUnverifiedAndOneCutFromTheBlockVerified() {
        for (int slot = 0; slot < N; slot++) {
            Share share = new Share(encoded.fragments().get(slot), null);
            assertThat(lazy.accept(encoded.checksum(), slot, share.fragment())).contains(new Accepted(share, false));
            assertThat(lazy.acceptBlock(encoded.checksum(), slot, block)).contains(new Accepted(share, true));
            assertThat(lazy.matches(block, slot, share.fragment())).isTrue();
        }
        assertThat(lazy.sendsBlocks()).isFalse();
    }

    @Test
    void underWriteTimeOnlyBlocksAreTaken() {
        ExtentCoding writeTime = coding(Verification.WRITE_TIME);
        assertThat(writeTime.sendsBlocks()).isTrue();
        assertThat(writeTime.accept(encoded.checksum(), 0, encoded.fragments().getFirst()))
                .isEmpty();
        assertThat(writeTime.acceptBlock(encoded.checksum(), 0, block)).isPresent();
    }

    @Test
    void whatDoesNotFitIsRefused() {
        Checksum checksum = encoded.checksum();
        Bytes fragment = encoded.fragments().getFirst();
        Fpcc fpcc = new BlockCode(2, 1, 4).encode(block).fpcc();
        Checksum ofFour = CrossChecksum.of(encoded.fragments().subList(0, 4));
        assertThat(lazy.accept(fpcc, 0, fragment)).isEmpty();
        assertThat(lazy.accept(ofFour, 0, fragment)).isEmpty();
        assertThat(lazy.accept(checksum, 1, fragment)).isEmpty();
        assertThat(lazy.accept(checksum, N, fragment)).isEmpty();
        assertThat(lazy.isShareOf(checksum, 0, new Share(fragment, checksum.cc())))
                .isFalse();
        assertThat(lazy.acceptBlock(checksum, N, block)).isEmpty();
        assertThat(lazy.acceptBlock(checksum, 0, block.slice(0, 99))).isEqualTo(Optional.empty());
        assertThat(lazy.acceptBlock(fpcc, 0, block)).isEmpty();
        assertThat(lazy.matches(block, N, fragment)).isFalse();
        ExtentCoding fp = ExtentCoding.of(new ProtectionPolicy(1, 2, 4, 512));
        assertThat(fp.accept(checksum, 0, fragment)).isEmpty();
        assertThat(fp.acceptBlock(checksum, 0, block)).isEmpty();
        assertThat(fp.decode(checksum, shares(encoded.fragments(), 0, 1), false))
                .isEqualTo(new Decoded.None());
    }
}
