package io.bulwark.appliance.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RateLimitTest {
    private static final long SECOND = 1_000_000_000;

    @ParameterizedTest
    @CsvSource({
        "10M, 10485760, 10485760",
        "10, 10240, 10240",
        "512b, 512, 512",
        "512B, 512, 512",
        "1.5k, 1536, 1536",
        ".5M, 524288, 524288",
        "1Gi, 1073741824, 1073741824",
        "2MiB, 2097152, 2097152",
        "off, 0, 0",
        "0, 0, 0",
        "10M:1M, 10485760, 1048576",
        "off:100k, 0, 102400",
        "10M:off, 10485760, 0"
    })
    void aRateIsSpelledAsInRclone(String text, long up, long down) {
        assertThat(RateLimit.parse(text).up().bytesPerSecond()).isEqualTo(up);
        assertThat(RateLimit.parse(text).down().bytesPerSecond()).isEqualTo(down);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "fast", "-1M", "10X", "10MB/s", "1e9", ":", "10M:", "08:00,512k", "1M 2M", "NaN"})
    void anythingElseIsRefused(String text) {
        assertThatThrownBy(() -> RateLimit.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void bytesWaitUntilTheyFit() {
        RateLimit limit = RateLimit.of(1000);
        long now = System.nanoTime() + SECOND;
        assertThat(limit.reserve(1000, now)).isEqualTo(SECOND - SECOND / 10);
        assertThat(limit.reserve(1000, now)).isEqualTo(2 * SECOND - SECOND / 10);
        assertThat(limit.reserve(1000, now + SECOND)).isEqualTo(2 * SECOND - SECOND / 10);
        long later = now + 100 * SECOND;
        assertThat(limit.reserve(1000, later)).as("a pause counts for little").isEqualTo(SECOND - SECOND / 10);
    }
}
