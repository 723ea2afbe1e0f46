package io.bulwark.protocol.effect;

import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import java.util.List;

/** Request of a state machine to its driver. */
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

    /**
     * Reads the meta data of at most {@code max} records of one kind whose blocks lie in a range, both ends included.
     * They come in the order of their keys. Then it calls {@code onLoaded} with the token and {@link Loaded.Metas}.
     * Fewer than {@code max} records mean that there are no more.
     *
     * @param written whether records that have reached the disk suffice: buffered ones stay in memory, and those not
     *     written yet may be missing. Else all earlier stores are seen
     */
    record Scan(long token, RecordKind kind, BlockId from, BlockId to, int max, boolean written) implements Effect {
        public Scan(long token, RecordKind kind, BlockId from, BlockId to, int max) {
            this(token, kind, from, to, max, false);
        }

        public Scan {
            if (max < 1 || from.compareTo(to) > 0) {
                throw new IllegalArgumentException("scan of " + max + " records from " + from + " to " + to);
            }
        }
    }

    /**
     * Runs a client operation for a server, as this node among its peers, until it is finished; its evidence is the
     * node's own. Its outcome comes by {@link ProtocolServer#onCompleted}. Client operations do not ask for this.
     */
    record Run(long token, ClientOperation<?> operation) implements Effect {}

    /** Asks 2f+1 replicas; the answer comes by {@code onFact}. Asking twice does no harm. */
    record Ask(Question question) implements Effect {}

    /**
     * This server refuses all epochs of a placement group before this one, durably: for the metadata, once all servers of the node
     * have said so.
     */
    record Refuses(int volume, int group, long before) implements Effect {}

    /**
     * Wrong or missing act of a node, for logs, counters and reports.
     *
     * @param session of the client that brought a poisonous version here, when it brought it, for the metadata; 0 of everything else
     */
    record Evidence(PrincipalId about, BlockId block, Verdict verdict, String detail, long session) implements Effect {
        public Evidence(PrincipalId about, BlockId block, Verdict verdict, String detail) {
            this(about, block, verdict, detail, 0);
        }
    }
}
