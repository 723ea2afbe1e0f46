package io.bulwark.storage.node;

import io.bulwark.client.driver.EvidenceLog;
import io.bulwark.client.driver.OperationDriver;
import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import io.bulwark.storage.store.FragmentStore;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** What background work of a node may use. Thread-safe. */
public interface NodeAccess {
    /** This node's number. */
    int node();

    FragmentStore store();

    /** Runs operations as this node among its peers. */
    OperationDriver operations();

    EvidenceLog evidence();

    /**
     * Asks this node's own server, as from this node itself.
     *
     * @return the first answer; completes exceptionally if none comes within the time, or the request holds too much
     */
    CompletableFuture<Message> ask(Message request, long timeoutMillis);

    /** Answers a request over the connection that its sender has now, if it has one. */
    void answer(PrincipalId to, long requestId, Message answer);

    /** How long ago a client last asked for something that is served, status aside; a very long time if none has. */
    long sinceForegroundMillis();

    /** Requests of anybody that are in processing. */
    int requestsInProcessing();

    /** Has this told what all servers of the node refuse of placement groups, durably; soon, and again and again. */
    void hearRefusals(Consumer<Effect.Refuses> hearer);

    /** Tells the servers what 2f+1 replicas said. */
    void tell(Fact fact);
}
