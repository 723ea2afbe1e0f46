package io.bulwark.protocol.ordering.log;

import io.bulwark.protocol.ordering.checkpoint.Checkpoints;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.key.Signing;
import io.bulwark.protocol.ordering.normal.Execution;
import io.bulwark.protocol.ordering.request.RequestPool;
import io.bulwark.protocol.ordering.view.ViewHistory;
import java.util.random.RandomGenerator;

/** Objects that most parts of a replica share. */
public record ReplicaContext(
        ReplicaConfig config,
        View view,
        SlotLog log,
        ViewHistory history,
        Execution execution,
        Checkpoints checkpoints,
        RequestPool pool,
        Signing signing,
        RandomGenerator random,
        Outbox outbox) {}
