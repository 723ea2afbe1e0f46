package io.bulwark.protocol.ordering;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;

/**
 * Messages between clients and replicas. A call is a number that the client draws for each phase of a request. Replies
 * repeat it, so that a late answer to a query is never counted for its ordered repetition.
 */
public sealed interface OrderingMessage extends Message permits OrderingMessage.ToReplica, OrderingMessage.ToClient {
    /** The longest command or query, in bytes. */
    int COMMAND_BYTES_MAX = 1 << 20;

    /** The longest reply, in bytes. */
    int REPLY_BYTES_MAX = 4 << 20;

    /** A reply that is no longer, in bytes, all replicas send as it is. */
    int SHORT_BYTES_MAX = 32;

    /** Value of the replier with which each replica sends the whole reply. */
    int ALL = 255;

    /** The number of the call. */
    long call();

    /** Request of a client to every replica. */
    sealed interface ToReplica extends OrderingMessage {
        /** The number of the replica that is to send the whole reply, if that is long, while the others send its digest. */
        int replier();

        /** The same request with another replier. */
        ToReplica withReplier(int replier);
    }

    /** Answer of a replica. */
    sealed interface ToClient extends OrderingMessage {}

    /** Order this command, execute it, answer. Carries its own session and number, so that repeating it is safe. */
    record Submit(long call, int replier, Bytes command) implements ToReplica {
        public Submit {
            requireReplier(replier);
            requireLength(command, COMMAND_BYTES_MAX);
        }

        /** To be answered by all. */
        public Submit(long call, Bytes command) {
            this(call, ALL, command);
        }

        @Override
        public Submit withReplier(int other) {
            return new Submit(call, other, command);
        }
    }

    /** Answer from the state as it is now, without ordering. */
    record Query(long call, int replier, Bytes query) implements ToReplica {
        public Query {
            requireReplier(replier);
            requireLength(query, COMMAND_BYTES_MAX);
        }

        /** To be answered by all. */
        public Query(long call, Bytes query) {
            this(call, ALL, query);
        }

        @Override
        public Query withReplier(int other) {
            return new Query(call, other, query);
        }
    }

    /** Order this query, then answer it from the state at that place in the order. */
    record OrderedQuery(long call, int replier, Bytes query) implements ToReplica {
        public OrderedQuery {
            requireReplier(replier);
            requireLength(query, COMMAND_BYTES_MAX);
        }

        /** To be answered by all. */
        public OrderedQuery(long call, Bytes query) {
            this(call, ALL, query);
        }

        @Override
        public OrderedQuery withReplier(int other) {
            return new OrderedQuery(call, other, query);
        }
    }

    /**
     * Answer of the state machine.
     *
     * @param incarnation the replica's life of the engine: replies count together only within one, since what fewer
     *     than 2f+1 replicas of an incarnation hold may be dropped when the next one starts
     */
    record Reply(long call, long incarnation, Bytes reply) implements ToClient {
        public Reply {
            requireLength(reply, REPLY_BYTES_MAX);
        }

        /** Returns the form in which a replica sends it to a client that has named this replier. */
        public ToClient by(int replica, int replier) {
            return replier == replica || replier == ALL || reply.length() <= SHORT_BYTES_MAX
                    ? this
                    : new ReplyDigest(call, incarnation, Hashes.sha256(reply));
        }
    }

    /** The SHA-256 of a reply that another replica is to send. */
    record ReplyDigest(long call, long incarnation, Bytes digest) implements ToClient {
        public ReplyDigest {
            if (digest.length() != Hashes.LENGTH) {
                throw new IllegalArgumentException("a digest of " + digest.length() + " bytes");
            }
        }
    }

    /** No answer, for now or for good. */
    record Refused(long call, CallRefusal reason) implements ToClient {}

    private static void requireReplier(int replier) {
        if (replier < 0 || replier > ALL) {
            throw new IllegalArgumentException("replier " + replier);
        }
    }

    private static void requireLength(Bytes bytes, int max) {
        if (bytes.length() > max) {
            throw new IllegalArgumentException(bytes.length() + " bytes, the limit is " + max);
        }
    }
}
