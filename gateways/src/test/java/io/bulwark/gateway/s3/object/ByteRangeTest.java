package io.bulwark.gateway.s3.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.gateway.s3.request.S3Exception;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ByteRangeTest {
    @Test
    void rangesLieInTheObject() {
        assertThat(ByteRange.of("bytes=4-7", 11)).contains(new ByteRange(4, 4));
        assertThat(ByteRange.of("bytes=4-", 11)).contains(new ByteRange(4, 7));
        assertThat(ByteRange.of("bytes=4-100", 11)).contains(new ByteRange(4, 7));
        assertThat(ByteRange.of("bytes=-7", 11)).contains(new ByteRange(4, 7));
        assertThat(ByteRange.of("bytes=-100", 11)).contains(new ByteRange(0, 11));
        assertThat(ByteRange.of("bytes=4-9223372036854775807", 11)).contains(new ByteRange(4, 7));
        assertThat(ByteRange.of("bytes=0004-" + "9".repeat(40), 11)).contains(new ByteRange(4, 7));
        assertThat(ByteRange.of("bytes=-9223372036854775808", 11)).contains(new ByteRange(0, 11));
        assertThat(new ByteRange(4, 4).contentRange(11)).isEqualTo("bytes 4-7/11");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "bytes=-",
                "bytes=7-4",
                "bytes=9223372036854775808-4",
                "bytes=0-1,3-4",
                "lines=1-2",
                "bytes=a-b",
                ""
            })
    void otherFormsAreIgnored(String header) {
        assertThat(ByteRange.of(header, 11)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"bytes=11-", "bytes=40-50", "bytes=-0", "bytes=9223372036854775808-"})
    void rangesBehindTheEndAreRefused(String header) {
        assertThatThrownBy(() -> ByteRange.of(header, 11)).isInstanceOf(S3Exception.class);
        assertThatThrownBy(() -> ByteRange.of("bytes=0-", 0)).isInstanceOf(S3Exception.class);
    }

    @Test
    void aCopiedRangeLiesInTheSource() {
        assertThat(ByteRange.ofCopy("bytes=4-7", 11)).isEqualTo(new ByteRange(4, 4));
        assertThatThrownBy(() -> ByteRange.ofCopy("bytes=4-9223372036854775807", 11))
                .isInstanceOfSatisfying(
                        S3Exception.class, e -> assertThat(e.code()).isEqualTo("InvalidRange"));
    }

    @Test
    void sizesOfPartsReturnFromTheirShortForm() {
        PartSizes sizes = new PartSizes(List.of(5L, 5L, 5L, 7L, 1L));
        assertThat(sizes.toText()).contains("5*3,7,1");
        PartSizes read = PartSizes.of(Map.of(PartSizes.PROPERTY, "5*3,7,1")).orElseThrow();
        assertThat(read).isEqualTo(sizes);
        assertThat(read.range(4)).isEqualTo(new ByteRange(15, 7));
        assertThatThrownBy(() -> read.range(6)).isInstanceOf(S3Exception.class);
        assertThatThrownBy(() -> PartSizes.of(Map.of(PartSizes.PROPERTY, "5*20000")))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
