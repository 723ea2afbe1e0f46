package io.bulwark.storage.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.storage.store.FragmentStore;
import io.bulwark.storage.store.StoreConfig;
import io.bulwark.storage.store.StoreUsage;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a store is measured once for all meters, since each measurement queries the device. */
@NullMarked
class NodeMetersTest {
    private static StoreUsage usage(long records) {
        return new StoreUsage(records, 0, 0, 0, 0, 0, 0, 0, false, 0, 0, 0, 0, 0, 0, 0, 0, false);
    }

    @Test
    void oneLookIsEnoughForAScrape() {
        AtomicLong looks = new AtomicLong();
        AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
        NodeMeters.Scrape scrape = new NodeMeters.Scrape(() -> usage(looks.incrementAndGet()), nanos::get);
        for (int meter = 0; meter < 12; meter++) {
            assertThat(scrape.usage().records()).isEqualTo(1);
        }
        nanos.addAndGet(999_999_999);
        assertThat(scrape.usage().records()).isEqualTo(1);
        nanos.incrementAndGet();
        assertThat(scrape.usage().records()).isEqualTo(2);
        assertThat(looks.get()).isEqualTo(2);
    }

    @Test
    void allMetersOfTheStoreHaveAValue(@TempDir Path directory) throws IOException {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        try (FragmentStore store = FragmentStore.open(StoreConfig.standard(directory))) {
            NodeMeters.register(meters, 3, store, new RequestLimits(1 << 20));
            List<String> names = new ArrayList<>();
            for (Meter meter : meters.getMeters()) {
                meter.measure()
                        .forEach(measured -> assertThat(measured.getValue())
                                .as(meter.getId().getName())
                                .isNotNaN());
                names.add(meter.getId().getName());
            }
            assertThat(names).contains("bulwark.store.records", "bulwark.store.syncs", "bulwark.store.usable.bytes");
        }
    }
}
