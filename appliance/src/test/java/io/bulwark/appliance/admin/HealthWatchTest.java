package io.bulwark.appliance.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.assertj.core.api.Assertions;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class HealthWatchTest {
    @Test
    void aNumberThatMovesIsNoNews() {
        assertThat(HealthWatch.isNews("it has not heard 2 others for 29 s", "it has not heard 2 others for 30 s"))
                .isFalse();
        assertThat(HealthWatch.isNews("it is following, 9 batches behind", "it is following, 10 batches behind"))
                .isFalse();
        assertThat(HealthWatch.isNews("", "")).isFalse();
    }

    @Test
    void anotherReasonIsNews() {
        assertThat(HealthWatch.isNews("", "it is read-only")).isTrue();
        assertThat(HealthWatch.isNews("it is read-only", "")).isTrue();
        assertThat(HealthWatch.isNews("replica-2 does not run", "replica-3 does not run"))
                .isTrue();
        assertThat(HealthWatch.isNews("10.0.0.1:7410 is away", "10.0.0.1:7411 is away"))
                .isTrue();
        assertThat(HealthWatch.isNews("fetches, no page for 30 s", "has not heard 2 others for 30 s"))
                .isTrue();
    }

    @Test
    void aReasonIsInPlainWords() {
        CompletableFuture<String> late = new CompletableFuture<String>().orTimeout(1, TimeUnit.MILLISECONDS);
        ExecutionException thrown = Assertions.catchThrowableOfType(ExecutionException.class, late::get);
        assertThat(thrown.getCause()).isInstanceOf(TimeoutException.class);
        assertThat(HealthWatch.reason(thrown)).isEqualTo("its health check timed out");
        assertThat(HealthWatch.reason(new ExecutionException(new IllegalStateException("node-1 is closed"))))
                .isEqualTo("node-1 is closed");
        assertThat(HealthWatch.reason(new IllegalStateException("it cannot say")))
                .isEqualTo("it cannot say");
        assertThat(HealthWatch.reason(new ArrayIndexOutOfBoundsException())).contains("ArrayIndexOutOfBounds");
    }
}
