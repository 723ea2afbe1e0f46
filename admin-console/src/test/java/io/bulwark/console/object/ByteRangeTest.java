package io.bulwark.console.object;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@NullMarked
class ByteRangeTest {
    @ParameterizedTest
    @CsvSource({
        "bytes=0-0, 0, 1",
        "bytes=2-5, 2, 4",
        "bytes=2-, 2, 8",
        "bytes=-3, 7, 3",
        "bytes=-30, 0, 10",
        "bytes=9-99999999999999999999, 9, 1"
    })
    void aRangeIsCutToTheObject(String header, long first, long length) {
        assertThat(ByteRange.of(header, 10)).isEqualTo(new ByteRange(first, length, true));
    }

    @ParameterizedTest
    @ValueSource(strings = {"bytes=10-", "bytes=10-12", "bytes=-0", "bytes=99999999999999999999-"})
    void aRangeOutsideTheObjectIsRefused(String header) {
        assertThat(ByteRange.of(header, 10)).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"bytes=", "bytes=-", "bytes=5-2", "bytes=a-b", "bytes=1-2,4-5", "lines=1-2", "bytes=--3", "1-2"})
    void whatIsNoSingleRangeIsIgnored(String header) {
        assertThat(ByteRange.of(header, 10)).isEqualTo(new ByteRange(0, 10, false));
    }

    @Test
    void anEmptyObjectHasNoRange() {
        assertThat(ByteRange.of("bytes=0-", 0)).isNull();
        assertThat(ByteRange.of(null, 0)).isEqualTo(new ByteRange(0, 0, false));
    }
}
