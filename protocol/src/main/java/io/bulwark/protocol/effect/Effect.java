package io.bulwark.protocol.effect;

import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import java.util.List;

/** What a state machine asks of its driver. */
public sealed interface Effect {
    /**
     * Sends a message. A server answers under the request's id; a client operation uses any id, the driver puts its own
     * in its place.
     */
    record Send(PrincipalId to, long requestId, Message message) implements Effect {}

    /** Makes mutations durable, then calls {@code onStored} with the token. Stores of one block keep their order. */
    record Store(long token, List<Mutation> mutations) implements Effect {
        public Store {
            mutations = List.copyOf(mutations);
        }
    }

    /** Reads one record, then calls {@code onLoaded} with the token. Sees all earlier stores of the block. */
    record Load(long token, RecordKey key) implements Effect {}

    /** Reads the meta data of all records of one kind and block, then calls {@code onLoaded} with the token. */
    record LoadMetas(long token, RecordKind kind, BlockId block) implements Effect {}

    /** Asks f+1 replicas; the answer comes by {@code onFact}. Asking twice does no harm. */
    record Ask(Question question) implements Effect {}

    /** Something that a node did wrong, or failed to do, for logs, counters and reports. */
    record Evidence(PrincipalId about, BlockId block, Verdict verdict, String detail) implements Effect {}
}
