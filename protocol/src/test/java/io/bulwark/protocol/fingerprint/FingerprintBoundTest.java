package io.bulwark.protocol.fingerprint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FingerprintBoundTest {
    @ParameterizedTest
    @CsvSource({
        "2, 4, 524288, true", // the default policy
        "2, 4, 8388608, true",
        "3, 7, 349526, true",
        "4, 10, 262144, true",
        "2, 4, 268435456, false", // 4 choices, 2^24 powers
        "8, 22, 131072, false",
        "85, 255, 1024, false",
        "4, 4, 268435456, true" // no m+1 fragments that could disagree
    })
    void policies(int m, int n, int fragmentLength, boolean holds) {
        assertThat(FingerprintBound.holds(m, n, fragmentLength)).isEqualTo(holds);
    }

    /** With one choice of m+1 fragments: 2^40 queries times the powers of r is below 2^64 up to 2^24 - 64 powers. */
    @Test
    void isExact() {
        int last = ((1 << 18) - 1) * 1024;
        assertThat(FingerprintBound.holds(1, 2, last)).isTrue();
        assertThat(FingerprintBound.holds(1, 2, last + 1)).isFalse();
    }

    @Test
    void refusesWhatIsNoPolicy() {
        assertThatIllegalArgumentException().isThrownBy(() -> FingerprintBound.holds(0, 2, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> FingerprintBound.holds(3, 2, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> FingerprintBound.holds(1, 2, -1));
    }
}
