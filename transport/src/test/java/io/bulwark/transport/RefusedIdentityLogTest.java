package io.bulwark.transport;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class RefusedIdentityLogTest {
    private static final long STEP = RefusedIdentityLog.QUIET_NANOS - 1;

    private final RefusedIdentityLog claims = new RefusedIdentityLog();

    @Test
    void whoComesAgainAndAgainIsNewsOnce() {
        assertThat(claims.isNews("node-4", Long.MAX_VALUE - 5 * STEP)).isTrue();
        for (int i = 4; i > -5; i--) {
            assertThat(claims.isNews("node-4", Long.MAX_VALUE - i * STEP))
                    .as("also where the clock overflows")
                    .isFalse();
        }
        assertThat(claims.isNews("replica-2", Long.MAX_VALUE)).isTrue();
    }

    @Test
    void whoStayedAwayIsNewsAgain() {
        assertThat(claims.isNews("node-4", 7)).isTrue();
        assertThat(claims.isNews("node-4", 7 + RefusedIdentityLog.QUIET_NANOS)).isTrue();
    }

    @Test
    void ofManyThoseThatCameLastAreRemembered() {
        for (int i = 0; i <= RefusedIdentityLog.CLAIMS_MAX; i++) {
            assertThat(claims.isNews("client-" + i, i)).isTrue();
        }
        assertThat(claims.isNews("client-" + RefusedIdentityLog.CLAIMS_MAX, 1_000))
                .isFalse();
        assertThat(claims.isNews("client-0", 1_000)).isTrue();
    }
}
