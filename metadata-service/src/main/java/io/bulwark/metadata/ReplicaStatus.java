package io.bulwark.metadata;

import io.bulwark.protocol.ordering.Phase;

/**
 * What a replica knows of itself, for status and metrics.
 *
 * @param phase {@link Phase#RUNNING} when it counts
 * @param leader the engine's leader, -1 if there is no engine
 * @param lagBatches how many batches f+1 peers are ahead of it
 * @param damaged whether its log or snapshots were damaged or missing when it started
 * @param failure why it stopped for good, empty if it did not
 */
public record ReplicaStatus(int replica, Phase phase, int leader, long lagBatches, boolean damaged, String failure) {}
