package io.bulwark.protocol.fingerprint;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Check of a decoded block against all hashes of its fpcc, with and without fragments that were checked before. */
class BlockCodeTest {
    private static final long SEED = Long.getLong("bulwark.seed", System.nanoTime());
    private static final BlockCode CODE = BlockCode.ofAll(2, 4);
    private static final List<Set<Integer>> CHECKED =
            List.of(Set.of(), Set.of(0), Set.of(0, 1), Set.of(1, 3), Set.of(2, 3), Set.of(0, 1, 2), Set.of(0, 1, 2, 3));

    private final Random random = new Random(SEED);

    @Test
    void aBlockEncodesToItsOwnChecksum() {
        for (int bytes : new int[] {2, 100, 64 << 10, 150_002}) {
            Bytes block = randomBytes(bytes);
            Fpcc fpcc = CODE.encode(block).fpcc();
            for (Set<Integer> checked : CHECKED) {
                assertThat(CODE.encodes(fpcc, block, checked))
                        .as("seed %d, %d bytes, %s checked", SEED, bytes, checked)
                        .isTrue();
            }
            assertThat(CODE.encodes(fpcc, block.slice(0, bytes - 1), Set.of(0, 1)))
                    .isFalse();
        }
    }

    @Test
    void aWrongHashOfAFragmentThatWasNotCheckedIsFound() {
        for (int bytes : new int[] {100, 150_002}) {
            Bytes block = randomBytes(bytes);
            BlockCode.Encoded encoded = CODE.encode(block);
            for (int wrong = 0; wrong < 4; wrong++) {
                List<Bytes> hashes = new ArrayList<>(encoded.fpcc().cc());
                hashes.set(wrong, randomBytes(Hashes.LENGTH));
                Fpcc poisoned =
                        Fpcc.of(encoded.fpcc().length(), hashes, encoded.fpcc().fp());
                for (Set<Integer> checked : CHECKED) {
                    if (!checked.contains(wrong)) {
                        assertThat(CODE.encodes(poisoned, block, checked))
                                .as("seed %d, %d bytes, slot %d, %s checked", SEED, bytes, wrong, checked)
                                .isFalse();
                    }
                }
            }
        }
    }

    private Bytes randomBytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return Bytes.of(bytes);
    }
}
