package io.bulwark.metadata.ordering;

import io.bulwark.protocol.wire.Bytes;

/**
 * Decides one order for all replicas, and keeps nothing durable. One object is one replica's part in one incarnation,
 * which starts when all replicas have the same history. The engines of an incarnation deliver the same batches in the
 * same order. All methods may be called from any thread.
 */
public interface OrderingEngine extends AutoCloseable {
    /** Services that an engine needs from its replica. */
    interface Host {
        /** Takes the next batch; blocks while the replica has too many of them to execute. */
        void deliver(OrderedBatch batch);

        /** Sends a message to the same engine at another replica. It may be lost, but messages keep their order. */
        void send(int replica, Bytes message);

        /** The engine has missed something and can deliver nothing more. */
        void lost();
    }

    /** Status of an engine, as the engine itself reports it. */
    record EngineStatus(int leader, int pending) {}

    /** Makes the engine of one replica. */
    @FunctionalInterface
    interface Factory {
        /**
         * Creates the engine; {@link OrderingEngine#start} comes later.
         *
         * @param incarnation grows with each life of the engine
         * @param self this replica's number, from 0
         * @param replicas how many there are: 3f+1
         */
        OrderingEngine create(long incarnation, int self, int replicas, Host host);
    }

    /** Begins to take part; returns at once. */
    void start();

    /**
     * Has the submission ordered, if it can. All replicas that learn of a request submit it, and may do so again: it may
     * be delivered more than once.
     */
    void submit(Submission submission);

    /** A message that {@link Host#send} sent at another replica, whose word the transport authenticated. */
    void onMessage(int from, Bytes message);

    EngineStatus standing();

    /** Stops; nothing is delivered any more once this returns. */
    @Override
    void close();
}
