package io.bulwark.protocol.ordering;

import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;

/**
 * What clients and replicas say to each other. A call is a number that the client draws anew for each phase of a
 * request; replies repeat it, so that a late answer to a query is never counted for its ordered repetition.
 */
public sealed interface OrderingMessage extends Message permits OrderingMessage.ToReplica, OrderingMessage.ToClient {
    /** The longest command or query, in bytes. */
    int COMMAND_BYTES_MAX = 1 << 20;

    /** The longest reply, in bytes. */
    int REPLY_BYTES_MAX = 4 << 20;

    /** The number of the call. */
    long call();

    /** What a client sends to every replica. */
    sealed interface ToReplica extends OrderingMessage {
        /** The same request under another call number. */
        ToReplica withCall(long call);
    }

    /** What a replica answers. */
    sealed interface ToClient extends OrderingMessage {}

    /** Order this command, execute it, answer. Carries its own session and number, so that repeating it is safe. */
    record Submit(long call, Bytes command) implements ToReplica {
        public Submit {
            requireLength(command, COMMAND_BYTES_MAX);
        }

        @Override
        public Submit withCall(long other) {
            return new Submit(other, command);
        }
    }

    /** Answer from the state as it is now, without ordering. */
    record Query(long call, Bytes query) implements ToReplica {
        public Query {
            requireLength(query, COMMAND_BYTES_MAX);
        }

        @Override
        public Query withCall(long other) {
            return new Query(other, query);
        }
    }

    /** Order this query, then answer it from the state at that place in the order. */
    record OrderedQuery(long call, Bytes query) implements ToReplica {
        public OrderedQuery {
            requireLength(query, COMMAND_BYTES_MAX);
        }

        @Override
        public OrderedQuery withCall(long other) {
            return new OrderedQuery(other, query);
        }
    }

    /**
     * What the state machine answered.
     *
     * @param incarnation which life of the engine the replica takes part in: replies count together only within one,
     *     since what fewer than 2f+1 replicas of an incarnation hold may be dropped when the next one starts
     */
    record Reply(long call, long incarnation, Bytes reply) implements ToClient {
        public Reply {
            requireLength(reply, REPLY_BYTES_MAX);
        }
    }

    /** No answer, for now or for good. */
    record Refused(long call, Refusal reason) implements ToClient {}

    private static void requireLength(Bytes bytes, int max) {
        if (bytes.length() > max) {
            throw new IllegalArgumentException(bytes.length() + " bytes, the limit is " + max);
        }
    }
}
