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
        registerGauges(meters, tags, store, scrape);
        registerCounters(meters, tags, store, scrape);
        registerRequests(meters, tags, limits);
    }

    private static void registerGauges(MeterRegistry meters, Tags tags, FragmentStore store, Scrape scrape) {
        gauge(
                meters,
                tags,
                "bulwark.store.records",
                "Records of all kinds in the store.",
                store,
                _ -> scrape.usage().records());
        gauge(
                meters,
                tags,
                "bulwark.store.bytes",
                "Bytes of fragments and meta data of all records.",
                store,
                _ -> scrape.usage().storedBytes());
        gauge(
                meters,
                tags,
                "bulwark.store.usable.bytes",
                "Free space of the file system.",
                store,
                _ -> scrape.usage().usableBytes());
        gauge(
                meters,
                tags,
                "bulwark.store.refuses",
                "1 while stores are refused for lack of space.",
                store,
                _ -> scrape.usage().refuses() ? 1 : 0);
        gauge(
                meters,
                tags,
                "bulwark.store.segments",
                "Segment files, spare ones included.",
                store,
                _ -> scrape.usage().segments());
        gauge(
                meters,
                tags,
                "bulwark.store.failed",
                "1 after the device failed: writes are refused until the node starts again.",
                store,
                _ -> scrape.usage().failed() ? 1 : 0);
        gauge(
                meters,
                tags,
                "bulwark.store.held.bytes",
                "Acknowledged bytes in the write-back cache.",
                store,
                _ -> scrape.usage().heldBytes());
    }

    private static void registerCounters(MeterRegistry meters, Tags tags, FragmentStore store, Scrape scrape) {
        counter(
                meters,
                tags,
                "bulwark.store.died.held",
                "Records deleted or replaced before they left the write-back cache.",
                store,
                _ -> scrape.usage().diedHeld());
        counter(
                meters,
                tags,
                "bulwark.store.damaged",
                "Damaged records found by reads.",
                store,
                _ -> scrape.usage().damaged());
        counter(
                meters,
                tags,
                "bulwark.store.stores",
                "Stores acknowledged as durable.",
                store,
                _ -> scrape.usage().stores());
        counter(
                meters,
                tags,
                "bulwark.store.refused",
                "Stores refused for lack of space.",
                store,
                _ -> scrape.usage().refused());
        counter(
                meters,
                tags,
                "bulwark.store.syncs",
                "Syncs of segments and of the index.",
                store,
                _ -> scrape.usage().syncs());
    }

    private static void registerRequests(MeterRegistry meters, Tags tags, RequestLimits limits) {
        gauge(meters, tags, "bulwark.node.requests", "Requests in processing.", limits, RequestLimits::requests);
        gauge(
                meters,
                tags,
                "bulwark.node.request.bytes",
                "Memory of the requests in processing.",
                limits,
                RequestLimits::bytes);
        counter(meters, tags, "bulwark.node.requests.served", "Requests processed.", limits, RequestLimits::served);
        counter(
                meters,
                tags,
                "bulwark.node.requests.shed",
                "Requests dropped for lack of memory; clients send them again.",
                limits,
                RequestLimits::shed);
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

    private static <T> void gauge(
            MeterRegistry meters, Tags tags, String name, String description, T of, ToDoubleFunction<T> value) {
        Gauge.builder(name, of, value).description(description).tags(tags).register(meters);
    }

    private static <T> void counter(
            MeterRegistry meters, Tags tags, String name, String description, T of, ToDoubleFunction<T> value) {
        FunctionCounter.builder(name, of, value)
                .description(description)
                .tags(tags)
                .register(meters);
    }
}
