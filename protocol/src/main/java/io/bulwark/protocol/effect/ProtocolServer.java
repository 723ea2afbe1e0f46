package io.bulwark.protocol.effect;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import java.util.List;

/**
 * A server's side of one protocol: single-threaded, no I/O; may be sharded by block. The transport has authenticated
 * {@code from}. A {@link Effect.Send} that promises the content of a {@link Effect.Store} is returned only from {@link
 * #onStored}.
 */
public interface ProtocolServer {
    List<Effect> onMessage(long nowMillis, PrincipalId from, long requestId, Message message);

    /** Called at least every 100 ms. */
    default List<Effect> onTick(long nowMillis) {
        return List.of();
    }

    /** Handles the result of a {@link Effect.Store}. */
    default List<Effect> onStored(long nowMillis, long token, Stored stored) {
        return List.of();
    }

    /** Handles the result of a {@link Effect.Load}, {@link Effect.LoadMetas} or {@link Effect.Scan}. */
    default List<Effect> onLoaded(long nowMillis, long token, Loaded loaded) {
        return List.of();
    }

    /** The answer to an {@link Effect.Ask}, or what the node heard otherwise. */
    default List<Effect> onFact(long nowMillis, Fact fact) {
        return List.of();
    }

    /**
     * Handles the outcome of an operation that {@link Effect.Run} started; it always comes, as each operation has a
     * deadline.
     */
    default List<Effect> onCompleted(long nowMillis, long token, Object outcome) {
        return List.of();
    }
}
