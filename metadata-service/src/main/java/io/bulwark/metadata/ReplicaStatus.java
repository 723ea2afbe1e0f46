package io.bulwark.metadata;

import io.bulwark.protocol.ordering.Phase;
import io.bulwark.protocol.ordering.Position;

/**
 * What a replica knows of itself, for status and metrics.
 *
 * @param incarnation which life of the ordering engine it is in
 * @param phase {@link Phase#RUNNING} when it counts
 * @param leader the engine's leader, -1 if there is no engine
 * @param applied how far it has executed
 * @param durableSequence how far its log is synced
 * @param lagBatches how many batches f+1 peers are ahead of it
 * @param waiting calls of clients that are not answered yet
 * @param alivePeers replicas heard of lately, itself included
 * @param damaged whether it found damage in its log or snapshots when it started
 * @param failure why it stopped for good, empty if it did not
 */
public record ReplicaStatus(
        int replica,
        long incarnation,
        Phase phase,
        int leader,
        Position applied,
        long durableSequence,
        long lagBatches,
        int waiting,
        int alivePeers,
        boolean damaged,
        String failure) {}
