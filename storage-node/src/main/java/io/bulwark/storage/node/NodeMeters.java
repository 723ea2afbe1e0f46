package io.bulwark.storage.node;

import io.bulwark.storage.store.FragmentStore;
import io.bulwark.storage.store.StoreUsage;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The meters of a node: its store and its requests. */
final class NodeMeters {
    private NodeMeters() {}

    static void register(MeterRegistry meters, int node, FragmentStore store, RequestLimits limits) {
        Tags tags = Tags.of("node", Integer.toString(node));
        Scrape scrape = new Scrape(store::usage, System::nanoTime);
        gauge(meters, tags, "bulwark.store.records", store, _ -> scrape.usage().records());
        gauge(meters, tags, "bulwark.store.bytes", store, _ -> scrape.usage().storedBytes());
        gauge(
                meters,
                tags,
                "bulwark.store.usable.bytes",
                store,
                _ -> scrape.usage().usableBytes());
        gauge(meters, tags, "bulwark.store.refuses", store, _ -> scrape.usage().refuses() ? 1 : 0);
        gauge(meters, tags, "bulwark.store.segments", store, _ -> scrape.usage().segments());
        gauge(meters, tags, "bulwark.store.failed", store, _ -> scrape.usage().failed() ? 1 : 0);
        gauge(
                meters,
                tags,
                "bulwark.store.held.bytes",
                store,
                _ -> scrape.usage().heldBytes());
        counter(
                meters,
                tags,
                "bulwark.store.died.held",
                store,
                _ -> scrape.usage().diedHeld());
        counter(
                meters,
                tags,
                "bulwark.store.damaged",
                store,
                _ -> scrape.usage().damaged());
        counter(meters, tags, "bulwark.store.stores", store, _ -> scrape.usage().stores());
        counter(
                meters,
                tags,
                "bulwark.store.refused",
                store,
                _ -> scrape.usage().refused());
        counter(meters, tags, "bulwark.store.syncs", store, _ -> scrape.usage().syncs());
        gauge(meters, tags, "bulwark.node.requests", limits, RequestLimits::requests);
        gauge(meters, tags, "bulwark.node.request.bytes", limits, RequestLimits::bytes);
        counter(meters, tags, "bulwark.node.requests.served", limits, RequestLimits::served);
        counter(meters, tags, "bulwark.node.requests.shed", limits, RequestLimits::shed);
    }

    /** One look at the store, which asks the device, for all meters that are read within a second. */
    static final class Scrape {
        private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

        private final Supplier<StoreUsage> looking;
        private final LongSupplier nanos;
        private @Nullable StoreUsage usage;
        private long lookedNanos;

        Scrape(Supplier<StoreUsage> looking, LongSupplier nanos) {
            this.looking = looking;
            this.nanos = nanos;
        }

        synchronized StoreUsage usage() {
            long now = nanos.getAsLong();
            StoreUsage last = usage;
            if (last != null && now - lookedNanos < LOOK_NANOS) {
                return last;
            }
            StoreUsage fresh = looking.get();
            usage = fresh;
            lookedNanos = now;
            return fresh;
        }
    }

    private static <T> void gauge(MeterRegistry meters, Tags tags, String name, T of, ToDoubleFunction<T> value) {
        Gauge.builder(name, of, value).tags(tags).register(meters);
    }

    private static <T> void counter(MeterRegistry meters, Tags tags, String name, T of, ToDoubleFunction<T> value) {
        FunctionCounter.builder(name, of, value).tags(tags).register(meters);
    }
}
