package io.bulwark.storage.node;

import io.bulwark.storage.store.FragmentStore;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.function.ToDoubleFunction;

/** The meters of a node: its store and its requests. */
final class NodeMeters {
    private NodeMeters() {}

    static void register(MeterRegistry meters, int node, FragmentStore store, RequestLimits limits) {
        Tags tags = Tags.of("node", Integer.toString(node));
        gauge(meters, tags, "bulwark.store.records", store, s -> s.usage().records());
        gauge(meters, tags, "bulwark.store.bytes", store, s -> s.usage().storedBytes());
        gauge(meters, tags, "bulwark.store.usable.bytes", store, s -> s.usage().usableBytes());
        gauge(meters, tags, "bulwark.store.refuses", store, s -> s.usage().refuses() ? 1 : 0);
        gauge(meters, tags, "bulwark.store.segments", store, s -> s.usage().segments());
        gauge(meters, tags, "bulwark.store.failed", store, s -> s.usage().failed() ? 1 : 0);
        gauge(meters, tags, "bulwark.store.held.bytes", store, s -> s.usage().heldBytes());
        counter(meters, tags, "bulwark.store.died.held", store, s -> s.usage().diedHeld());
        counter(meters, tags, "bulwark.store.damaged", store, s -> s.usage().damaged());
        counter(meters, tags, "bulwark.store.stores", store, s -> s.usage().stores());
        counter(meters, tags, "bulwark.store.refused", store, s -> s.usage().refused());
        counter(meters, tags, "bulwark.store.syncs", store, s -> s.usage().syncs());
        gauge(meters, tags, "bulwark.node.requests", limits, RequestLimits::requests);
        gauge(meters, tags, "bulwark.node.request.bytes", limits, RequestLimits::bytes);
        counter(meters, tags, "bulwark.node.requests.served", limits, RequestLimits::served);
        counter(meters, tags, "bulwark.node.requests.shed", limits, RequestLimits::shed);
    }

    private static <T> void gauge(MeterRegistry meters, Tags tags, String name, T of, ToDoubleFunction<T> value) {
        Gauge.builder(name, of, value).tags(tags).register(meters);
    }

    private static <T> void counter(MeterRegistry meters, Tags tags, String name, T of, ToDoubleFunction<T> value) {
        FunctionCounter.builder(name, of, value).tags(tags).register(meters);
    }
}
