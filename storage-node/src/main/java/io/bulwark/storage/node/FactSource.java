package io.bulwark.storage.node;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.Question;
import java.util.concurrent.CompletableFuture;

/** Source of facts on which 2f+1 replicas of the metadata service agree. */
public interface FactSource {
    /**
     * Asks the replicas.
     *
     * @return the fact that answers the question, as 2f+1 replicas tell it; completes exceptionally if they do not answer
     *     or do not agree in time. Completes on any thread; what is attached to it is quick
     */
    CompletableFuture<Fact> ask(Question question);
}
