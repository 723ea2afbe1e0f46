package io.bulwark.protocol.ordering.replica;

import io.bulwark.protocol.ordering.key.Signing;
import io.bulwark.protocol.ordering.view.ViewHistory;
import java.util.random.RandomGenerator;

/** Objects that most parts of a replica share. */
record ReplicaContext(
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
