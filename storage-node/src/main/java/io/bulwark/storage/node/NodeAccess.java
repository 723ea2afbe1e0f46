package io.bulwark.storage.node;

import io.bulwark.client.driver.EvidenceLog;
import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import io.bulwark.storage.store.FragmentStore;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Services of a node for its background work. Thread-safe. */
public interface NodeAccess {
    /** This node's number. */
    int node();

    FragmentStore store();

    /** Runs an operation as this node among its peers, once there is room for what it holds. */
    <R> CompletableFuture<R> run(ClientOperation<R> operation);

    EvidenceLog evidence();

    /**
     * Asks this node's own server, as from this node itself.
     *
     * @return the first answer; completes exceptionally if none comes within the time, or the request holds too much
     */
    CompletableFuture<Message> ask(Message request, long timeoutMillis);

    /** Answers a request over the connection that its sender has now, if it has one. */
    void answer(PrincipalId to, long requestId, Message answer);

    /**
     * Returns the time since a client's last request for a service other than status; a very long time if there was
     * none.
     */
    long sinceForegroundMillis();

    /** Requests of anybody that are in processing. */
    int requestsInProcessing();

    /** Has this told what all servers of the node refuse of placement groups, durably; soon, and again and again. */
    void hearRefusals(Consumer<Effect.Refuses> hearer);

    /** Tells the servers what 2f+1 replicas said. */
    void tell(Fact fact);
}
