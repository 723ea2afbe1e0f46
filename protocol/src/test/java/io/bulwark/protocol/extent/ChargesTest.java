package io.bulwark.protocol.extent;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import org.junit.jupiter.api.Test;

class ChargesTest {
    private static final PrincipalId OWNER = PrincipalId.client(1);

    private final Charges charges = new Charges(100);

    private static BlockId block(long counter) {
        return new BlockId(1, OWNER, 1, counter);
    }

    @Test
    void upToTheLimitAndNoByteMore() {
        assertThat(charges.charge(block(1), 60)).isTrue();
        assertThat(charges.charge(block(2), 41)).isFalse();
        assertThat(charges.charge(block(2), 40)).isTrue();
        assertThat(charges.charge(block(3), 1)).isFalse();
        charges.release(block(1), 60);
        assertThat(charges.of(OWNER)).isEqualTo(40);
        charges.release(block(2), 40);
        assertThat(charges.of(OWNER)).isZero();
    }

    /** The count after a start runs beside what is stored, referenced and freed. */
    @Test
    void nothingIsCountedTwiceNorReleasedUncounted() {
        charges.charge(block(5), 10);
        charges.release(block(7), 20);
        assertThat(charges.of(OWNER)).as("7 was not counted").isEqualTo(10);
        charges.count(block(1), 30);
        charges.count(block(3), 5);
        charges.release(block(3), 5);
        assertThat(charges.of(OWNER)).isEqualTo(40);
        charges.count(block(5), 10);
        charges.count(block(7), 20);
        assertThat(charges.of(OWNER)).isEqualTo(40);
        charges.endCount();
        charges.release(block(1), 30);
        charges.release(block(9), 3);
        assertThat(charges.of(OWNER)).isEqualTo(7);
    }

    @Test
    void whatIsChargedBeforeTheCountComesToItIsReleased() {
        charges.charge(block(5), 10);
        charges.charge(block(6), 10);
        charges.release(block(5), 10);
        assertThat(charges.of(OWNER)).isEqualTo(10);
    }
}
