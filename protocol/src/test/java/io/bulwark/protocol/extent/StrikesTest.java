package io.bulwark.protocol.extent;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests how long a sender of inconsistent stores is blocked. */
@NullMarked
class StrikesTest {
    private static final PrincipalId LIAR = PrincipalId.client(1);
    private static final PrincipalId OTHER = PrincipalId.client(2);

    private final Strikes strikes = new Strikes();

    @Test
    void aStrikeKeepsItsSenderOutForAWhileAndNobodyElse() {
        assertThat(strikes.barred(1_000, LIAR)).isFalse();
        strikes.strike(1_000, LIAR);
        assertThat(strikes.barred(1_000, LIAR)).isTrue();
        assertThat(strikes.barred(1_249, LIAR)).isTrue();
        assertThat(strikes.barred(1_250, LIAR)).isFalse();
        assertThat(strikes.barred(1_000, OTHER)).isFalse();
    }

    @Test
    void eachLastsTwiceAsLongAsTheOneBeforeUpToABound() {
        long now = 0;
        long expected = 250;
        for (int strike = 1; strike <= 12; strike++) {
            strikes.strike(now, LIAR);
            assertThat(strikes.barred(now + expected - 1, LIAR)).isTrue();
            assertThat(strikes.barred(now + expected, LIAR)).isFalse();
            now += expected;
            expected = Math.min(2 * expected, 64_000);
        }
    }

    @Test
    void afterTenMinutesWithoutAStrikeItBeginsAnew() {
        strikes.strike(0, LIAR);
        strikes.strike(0, LIAR);
        assertThat(strikes.barred(499, LIAR)).isTrue();
        strikes.strike(600_000, LIAR);
        assertThat(strikes.barred(600_249, LIAR)).isTrue();
        assertThat(strikes.barred(600_250, LIAR)).isFalse();
    }

    @Test
    void whoStrikesOftenIsNotForgottenForManyWhoDoOnce() {
        strikes.strike(0, LIAR);
        for (int sender = 10; sender < 5_000; sender++) {
            strikes.strike(0, PrincipalId.client(sender));
            assertThat(strikes.barred(0, LIAR)).isTrue();
        }
    }
}
