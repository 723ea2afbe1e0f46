package io.bulwark.protocol.fingerprint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.erasure.ErasureCode;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class CrossChecksumTest {
    private static final List<Bytes> FRAGMENTS =
            ErasureCode.of(2, 5).encode(Bytes.of("Bulwark!".getBytes(StandardCharsets.US_ASCII)), 5);
    private static final CrossChecksum CROSS = CrossChecksum.of(FRAGMENTS);

    @PlantedBug(
            in = CrossChecksum.class,
            rule = "a cross-checksum compares hashes",
            replace = "&& Hashes.sha256(fragment).equals(cc.get(slot));",
            with = "&& cc.get(slot) != null;")
    @Test
    void hasTheHashOfEachFragmentAtItsSlotAndTheLength() {
        for (int slot = 0; slot < 5; slot++) {
            assertThat(CROSS.matches(slot, FRAGMENTS.get(slot))).isTrue();
            assertThat(CROSS.matches((slot + 1) % 5, FRAGMENTS.get(slot))).isFalse();
        }
        assertThat(CROSS.matches(5, FRAGMENTS.getFirst())).isFalse();
        assertThat(CROSS.matches(-1, FRAGMENTS.getFirst())).isFalse();
        CrossChecksum longer = CrossChecksum.of(CROSS.length() + 1, CROSS.cc());
        assertThat(longer.matches(0, FRAGMENTS.getFirst())).isFalse();
        assertThat(longer.pin()).as("the length is in the pin").isNotEqualTo(CROSS.pin());
    }

    @Test
    void isNeverTakenForAnFpcc() {
        Fpcc fpcc = new BlockCode(2, 1, 4).encode(FRAGMENTS.getFirst()).fpcc();
        assertThat(Checksum.decode(new WireReader(CROSS.encoded()))).isEqualTo(CROSS);
        assertThat(Checksum.decode(new WireReader(fpcc.encoded()))).isEqualTo(fpcc);
        assertThatThrownBy(() -> Fpcc.decode(new WireReader(CROSS.encoded()))).isInstanceOf(MalformedException.class);
        assertThat(CrossChecksum.of(fpcc.length(), fpcc.cc()).pin()).isNotEqualTo(fpcc.pin());
    }

    @Test
    void hasBounds() {
        Bytes hash = CROSS.cc().getFirst();
        assertThatIllegalArgumentException().isThrownBy(() -> CrossChecksum.of(List.of()));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CrossChecksum.of(List.of(FRAGMENTS.getFirst(), Bytes.EMPTY)));
        assertThatIllegalArgumentException().isThrownBy(() -> CrossChecksum.of(-1, CROSS.cc()));
        assertThatIllegalArgumentException().isThrownBy(() -> CrossChecksum.of(Checksum.MAX_LENGTH + 1, CROSS.cc()));
        assertThatIllegalArgumentException().isThrownBy(() -> CrossChecksum.of(1, List.of(hash.slice(0, 31))));
        assertThatIllegalArgumentException().isThrownBy(() -> CrossChecksum.of(1, Collections.nCopies(256, hash)));
        Bytes none = CROSS.encoded().slice(0, 5);
        assertThatThrownBy(() -> Checksum.decode(new WireReader(none))).isInstanceOf(MalformedException.class);
    }
}
