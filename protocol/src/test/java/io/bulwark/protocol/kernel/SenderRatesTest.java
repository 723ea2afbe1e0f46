package io.bulwark.protocol.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import org.junit.jupiter.api.Test;

class SenderRatesTest {
    private final SenderRates rate = new SenderRates(10);

    @Test
    void aBurstThenSoManyPerSecond() {
        for (int i = 0; i < 10; i++) {
            assertThat(rate.allow(1_000, PrincipalId.client(1))).isTrue();
        }
        assertThat(rate.allow(1_099, PrincipalId.client(1))).isFalse();
        assertThat(rate.allow(1_100, PrincipalId.client(1))).isTrue();
        assertThat(rate.allow(1_100, PrincipalId.client(1))).isFalse();
        assertThat(rate.allow(1_100, PrincipalId.client(2))).isTrue();
    }
}
