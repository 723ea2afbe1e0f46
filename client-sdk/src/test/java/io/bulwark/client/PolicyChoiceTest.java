package io.bulwark.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@NullMarked
class PolicyChoiceTest {
    private static PolicyChoice choice(String protocol, @Nullable Integer faults, @Nullable Integer faultsMax) {
        return new PolicyChoice(protocol, null, faults, faultsMax, null, null, null);
    }

    @ParameterizedTest
    @CsvSource({"pasis, 1, 1, 2, 5", "pasis, 1, 3, 4, 13", "masking, 1, 3, 1, 13", "masking, 2, 2, 1, 9"})
    void theDefaultsLeaveRoomForTheFaultsToCome(String protocol, int faults, int faultsMax, int m, int n) {
        ProtectionPolicy policy = choice(protocol, faults, faultsMax).policy();
        assertThat(policy.f()).isEqualTo(faults);
        assertThat(policy.m()).isEqualTo(m);
        assertThat(policy.n()).isEqualTo(n);
        for (int later = faults; later <= faultsMax; later++) {
            assertThat(policy.withFaults(later).f()).isEqualTo(later);
        }
    }

    @Test
    void fragmentsOfFpSufficeForTheFaultsToCome() {
        ProtectionPolicy policy = choice("fp", 1, 2).policy();
        assertThat(policy.m()).isEqualTo(3);
        assertThat(policy.n()).isEqualTo(5);
        assertThat(choice("fp", null, null).policy()).isEqualTo(new ProtectionPolicy(1, 2, 4, 1 << 20));
    }

    @Test
    void fewerFaultsLaterThanNowAreRefused() {
        assertThatThrownBy(() -> choice("pasis", 2, 1).policy())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the faults to tolerate later are 2, as now, to 255, not 1");
    }
}
