package io.bulwark.protocol.extent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class SessionRecordTest {
    private static NavigableMap<Long, Long> ranges(Map<Long, Long> ranges) {
        return new TreeMap<>(ranges);
    }

    @Test
    void closedAgainWithFewerReferencesFreesTheOthers() {
        SessionRecord record = new SessionRecord();
        assertThat(record.close(ranges(Map.of(0L, 10L, 20L, 30L)))).isTrue();
        assertThat(record.close(ranges(Map.of(0L, 10L, 20L, 30L)))).isFalse();
        assertThat(record.close(ranges(Map.of(5L, 7L, 20L, 25L)))).isTrue();
        assertThat(record.freed(4)).isTrue();
        assertThat(record.freed(5)).isFalse();
        assertThat(record.freed(7)).isTrue();
        assertThat(record.freed(24)).isFalse();
        assertThat(record.freed(25)).isTrue();
        assertThat(record.close(ranges(Map.of()))).isTrue();
        assertThat(record.freed(5)).isTrue();
        assertThat(record.freed(24)).isTrue();
    }

    @Test
    void whatIsFreedComesNotBackWithAnEarlierClosing() {
        SessionRecord record = new SessionRecord();
        record.close(ranges(Map.of(0L, 10L)));
        record.free(0, 5);
        assertThat(record.close(ranges(Map.of(0L, 10L)))).isFalse();
        assertThat(record.freed(4)).isTrue();
        assertThat(record.freed(5)).isFalse();
    }
}
