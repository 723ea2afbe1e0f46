package io.bulwark.metadata.ordering;

/**
 * Decides one order for all replicas. Between the engines of one group the order is the same; after {@link #close} an
 * engine delivers nothing more.
 */
public interface OrderingEngine extends AutoCloseable {
    /** What an engine knows of itself. */
    record Standing(boolean ready, int leader) {}

    /** Makes the engine of one replica. */
    @FunctionalInterface
    interface Factory {
        /**
         * Makes it; {@link OrderingEngine#start} comes later.
         *
         * @param log where to deliver to; its position is where the group agreed to start, or what the replica has when
         *     it joins a running group
         */
        OrderingEngine create(OrderedLog log);
    }

    /** Begins to take part; returns at once. */
    void start();

    /**
     * Has the submission ordered, if it can. The same call may be submitted at several replicas and many times; it may
     * then be delivered more than once.
     */
    void submit(Submission submission);

    Standing standing();

    /** Stops. Waits until no delivery is under way. */
    @Override
    void close();
}
