package io.bulwark.gateway.s3.object;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class PropertiesTest {
    @Test
    void propertiesOfOtherDoorsThatCannotBeHeadersAreCounted() {
        Map<String, String> properties = Map.of(
                "x-amz-meta-a", "b", "x-amz-meta-c", "d\r\ne: f", "x-amz-meta-g h", "i", "cache-control", "no-store");
        assertThat(Properties.headers(properties, false))
                .isEqualTo(Map.of("x-amz-meta-a", "b", "cache-control", "no-store", "x-amz-missing-meta", "2"));
    }
}
