package io.bulwark.client.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QuantityTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "500, 500",
        "500 B, 500",
        "64KiB, 65536",
        "1.5G, 1610612736",
        "2 tib, 2199023255552",
        "9223372036854775807, 9223372036854775807",
        "0.5K, 512"
    })
    void sizesAreReadWithUnits(String text, long bytes) {
        assertThat(Quantity.parseBytes(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "-1", "1.5", "1KB", "8E", "9223372036854775808", "1e3", "0.0001K", "1 G iB", "١"})
    void otherTextsAreRefused(String text) {
        assertThatThrownBy(() -> Quantity.parseBytes(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void formattedSizesAreRead() {
        assertThat(Quantity.parseBytes(Quantity.bytes(3L << 30))).isEqualTo(3L << 30);
    }
}
