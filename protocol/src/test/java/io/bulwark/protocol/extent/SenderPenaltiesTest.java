package io.bulwark.protocol.extent;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests how long a sender of inconsistent stores is blocked. */
@NullMarked
class SenderPenaltiesTest {
    private static final PrincipalId LIAR = PrincipalId.client(1);
    private static final PrincipalId OTHER = PrincipalId.client(2);

    private final SenderPenalties penalties = new SenderPenalties();

    @Test
    void aStrikeKeepsItsSenderOutForAWhileAndNobodyElse() {
        assertThat(penalties.isBarred(1_000, LIAR)).isFalse();
        penalties.strike(1_000, LIAR);
        assertThat(penalties.isBarred(1_000, LIAR)).isTrue();
        assertThat(penalties.isBarred(1_249, LIAR)).isTrue();
        assertThat(penalties.isBarred(1_250, LIAR)).isFalse();
        assertThat(penalties.isBarred(1_000, OTHER)).isFalse();
    }

    @Test
    void eachLastsTwiceAsLongAsTheOneBeforeUpToABound() {
        long now = 0;
        long expected = 250;
        for (int strike = 1; strike <= 12; strike++) {
            penalties.strike(now, LIAR);
            assertThat(penalties.isBarred(now + expected - 1, LIAR)).isTrue();
            assertThat(penalties.isBarred(now + expected, LIAR)).isFalse();
            now += expected;
            expected = Math.min(2 * expected, 64_000);
        }
    }

    @Test
    void afterTenMinutesWithoutAStrikeItBeginsAnew() {
        penalties.strike(0, LIAR);
        penalties.strike(0, LIAR);
        assertThat(penalties.isBarred(499, LIAR)).isTrue();
        penalties.strike(600_000, LIAR);
        assertThat(penalties.isBarred(600_249, LIAR)).isTrue();
        assertThat(penalties.isBarred(600_250, LIAR)).isFalse();
    }

    @Test
    void whoStrikesOftenIsNotForgottenForManyWhoDoOnce() {
        penalties.strike(0, LIAR);
        for (int sender = 10; sender < 5_000; sender++) {
            penalties.strike(0, PrincipalId.client(sender));
            assertThat(penalties.isBarred(0, LIAR)).isTrue();
        }
    }
}
