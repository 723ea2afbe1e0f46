package io.bulwark.protocol.ordering.log;

import io.bulwark.protocol.ordering.driver.ReplicaConfig;

/** State that all parts of a replica share. */
public record ReplicaContext(
        ReplicaConfig config, View view, SlotLog log, HistoryGuard guard, Clock clock, Outbox outbox) {
    public ReplicaContext(ReplicaConfig config, View view, SlotLog log) {
        this(config, view, log, new HistoryGuard(config, log), new Clock(), new Outbox(config));
    }
}
