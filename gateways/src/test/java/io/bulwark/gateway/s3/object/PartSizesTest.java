package io.bulwark.gateway.s3.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PartSizesTest {
    private static Optional<PartSizes> read(String text) {
        return PartSizes.of(Map.of(PartSizes.PROPERTY, text));
    }

    @Test
    void runsReturnAsTheyWere() {
        PartSizes sizes = new PartSizes(List.of(5L, 5L, 5L, 7L));
        assertThat(sizes.toText()).contains("5*3,7");
        assertThat(read("5*3,7")).contains(sizes);
        assertThat(read("1*10000")).contains(new PartSizes(Collections.nCopies(PartSizes.PARTS_MAX, 1L)));
    }

    /** Other doors may write any text into the property. */
    @ParameterizedTest
    @ValueSource(strings = {"", "x", "-1", "5*0", "5*10001", "5,5*10000", "5,5*2147483647", "5*1,5*-1"})
    void sizesThatNoUploadHasAreRefused(String text) {
        assertThatThrownBy(() -> read(text)).isInstanceOf(IllegalArgumentException.class);
    }
}
