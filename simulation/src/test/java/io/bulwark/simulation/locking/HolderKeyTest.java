package io.bulwark.simulation.locking;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.wire.Bytes;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Keys of simulated holders against the curve of the Java platform. */
@NullMarked
class HolderKeyTest {
    private static final Bytes CONTENT = Bytes.of((byte) 1, (byte) 2);

    @Test
    void signaturesAreThoseOfTheNamedKey() {
        for (long seed = 0; seed < 20; seed++) {
            HolderKey key = new HolderKey(seed);
            Bytes signature = key.sign(CONTENT);
            assertThat(key.named().verifies(CONTENT, signature)).isTrue();
            assertThat(new HolderKey(seed + 1).named().verifies(CONTENT, signature))
                    .isFalse();
            assertThat(key.named().verifies(signature, signature)).isFalse();
        }
    }

    @Test
    void aSeedGivesTheSameSignaturesAgain() {
        HolderKey one = new HolderKey(5);
        HolderKey other = new HolderKey(5);
        assertThat(one.named()).isEqualTo(other.named());
        assertThat(one.sign(CONTENT)).isEqualTo(other.sign(CONTENT));
    }
}
