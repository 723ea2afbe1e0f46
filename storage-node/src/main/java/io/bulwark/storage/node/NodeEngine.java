package io.bulwark.storage.node;

import io.bulwark.client.driver.EvidenceListener;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import io.bulwark.storage.store.FragmentStore;
import java.util.concurrent.CompletableFuture;

/** State and services that the shards of a node share. Thread-safe. */
interface NodeEngine {
    int node();

    /** Milliseconds since 1970 as of the node's start, and from there on a clock that never steps. */
    long nowMillis();

    FragmentStore store();

    <R> CompletableFuture<R> run(ClientOperation<R> operation);

    FactCache facts();

    EvidenceListener evidence();

    /** A shard refuses epochs of a placement group, durably. */
    void refuses(int shard, Effect.Refuses promise);

    /** The shard that a block belongs to. */
    int shardOf(BlockId block);

    /** Sends an answer whose request is over, wherever the receiver is connected now; drops it if nowhere. */
    void answer(PrincipalId to, long requestId, Message message);

    /** A server threw: this is a bug of ours, and the input is lost. */
    void onBrokenInvariant(ProtocolServer server, RuntimeException error);

    /** Reports that a server's request failed. */
    void failed(ProtocolServer server, Throwable error);
}
