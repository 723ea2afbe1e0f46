package io.bulwark.protocol.fp;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests the proof that a client wrote there (f = 2: more than two). */
@NullMarked
class ReadAttemptTest {
    private final LocalNodes nodes = new LocalNodes(2, 3);
    private final ReadAttempt attempt =
            new ReadAttempt(nodes.group, new Timestamp(5, nodes.encode(1).fpcc()), false, Timeouts.standard());

    private static Bytes nonce(int slot) {
        return SampleMessages.filled(32, slot);
    }

    /** A right fragment, and the nonces that the slot says it knows. */
    private void add(int slot, List<HeldVersion.SlotNonce> nonces) {
        Bytes fragment = nodes.encode(1).fragments().get(slot);
        attempt.add(slot, new HeldVersion(fragment, null, Hashes.sha256(nonce(slot)), nonces, false));
    }

    private static HeldVersion.SlotNonce known(int slot) {
        return new HeldVersion.SlotNonce(slot, nonce(slot));
    }

    @Test
    void moreThanFReports() {
        for (int slot = 0; slot < 4; slot++) {
            add(slot, List.of());
        }
        assertThat(attempt.shareCount()).isEqualTo(4);
        assertThat(attempt.has(3)).isTrue();
        assertThat(attempt.has(4)).isFalse();
        for (int slot = 0; slot < 3; slot++) {
            assertThat(attempt.block()).as("%d reports", slot).isEmpty();
            attempt.onReported(slot);
            attempt.onReported(slot);
        }
        assertThat(attempt.block()).contains(nodes.block(1));
    }

    @Test
    void moreThanFNoncesThatTheirSlotsHaveTheHashesOf() {
        for (int slot = 0; slot < 4; slot++) {
            add(slot, List.of());
        }
        add(0, List.of(known(0), known(1), new HeldVersion.SlotNonce(2, nonce(9)), known(5)));
        assertThat(attempt.proven())
                .as("one is wrong, one slot has said nothing")
                .isFalse();
        assertThat(attempt.corrupt()).as("nothing to compare with").isEmpty();
        add(1, List.of(known(1), known(2)));
        assertThat(attempt.proven()).isTrue();
        assertThat(attempt.block()).contains(nodes.block(1));
        assertThat(attempt.corrupt()).isEmpty();
    }

    @Test
    void aSlotMayKnowTheNoncesOfAll() {
        for (int slot = 1; slot < 5; slot++) {
            add(slot, List.of());
        }
        add(0, List.of(known(0), known(1), known(2), known(3), known(4), known(5), known(6)));
        assertThat(attempt.proven()).isTrue();
    }
}
