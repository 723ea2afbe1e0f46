package io.bulwark.storage.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class RequestLimitsTest {
    @Test
    void whoWaitsForTheLastRequestIsToldWhetherItHasEnded() throws InterruptedException {
        RequestLimits limits = new RequestLimits(1 << 20);
        assertThat(limits.awaitNone(0)).isTrue();
        assertThat(limits.admit(Nodes.ALICE, 1)).isTrue();
        assertThat(limits.awaitNone(20)).isFalse();
        Thread ending = Thread.ofVirtual().start(() -> limits.release(Nodes.ALICE, 1));
        assertThat(limits.awaitNone(TimeUnit.MINUTES.toMillis(1))).isTrue();
        ending.join();
    }
}
