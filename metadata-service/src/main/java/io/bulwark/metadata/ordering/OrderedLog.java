package io.bulwark.metadata.ordering;

/** Where an engine hands what it decided: the replica's side of the port. One thread calls it. */
public interface OrderedLog {
    /**
     * Applies the next batch. When it returns, the batch is executed; it becomes durable soon after, and replies leave
     * only then.
     */
    void deliver(OrderedBatch batch);

    /** Where this replica stands, executed batches included. */
    Position position();

    /**
     * Brings this replica to a position that the engine knows to be right, with the help of its peers.
     *
     * @return whether it got there; if not, the replica is where it was
     */
    boolean catchUp(Position target);
}
