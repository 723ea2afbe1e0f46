package io.bulwark.simulation.ordering;

import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Commit;
import io.bulwark.protocol.ordering.message.ReplicaMessage.NewView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepare;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Prepare;
import java.util.random.RandomGenerator;

/**
 * A lie of primaries: they propose for numbers up to the checkpoint that their NEW-VIEW begins with, to any replica
 * that may be behind.
 */
final class OldNumberLies {
    private static final int ONE_IN = 4;
    private static final int NUMBERS = 4;

    private final OrderingWorld world;
    private final boolean lies;

    OldNumberLies(OrderingWorld world, RandomGenerator random) {
        this.world = world;
        lies = random.nextInt(ONE_IN) == 0;
    }

    /** Sends, after its NEW-VIEW, nothing for each of them, and the votes of all liars for that. */
    void after(int self, int to, ReplicaMessage message) {
        if (lies && message instanceof NewView begun) {
            long begins = begun.checkpoint().sequence();
            for (long number = Math.max(1, begins - NUMBERS + 1); number <= begins; number++) {
                world.transmit(self, to, new PrePrepare(begun.view(), number, Batch.NULL));
                for (int liar : world.liars()) {
                    world.transmit(liar, to, new Prepare(begun.view(), number, Batch.NULL_DIGEST));
                    world.transmit(liar, to, new Commit(begun.view(), number, Batch.NULL_DIGEST));
                }
            }
        }
    }
}
