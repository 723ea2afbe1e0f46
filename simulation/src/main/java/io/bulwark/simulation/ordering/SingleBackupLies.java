package io.bulwark.simulation.ordering;

import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.NewView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Status;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Support;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * A lie of primaries: a wrong NEW-VIEW for a single backup. The others get the right one, or none. Or nobody else has
 * asked for the view, and no quorum supports it.
 */
final class SingleBackupLies {
    private static final int ONE_IN = 4;
    private static final int ANSWERS_ONE_IN = 4;

    private final OrderingWorld world;
    private final int self;
    private final OrderingPlot plot;
    private final RandomGenerator random;
    private final ViewChangeLies falseViews;
    private final boolean lies;
    private final boolean othersSeeTheRightOne;
    private final int victim;

    SingleBackupLies(OrderingWorld world, int self, OrderingPlot plot, RandomGenerator random) {
        this.world = world;
        this.self = self;
        this.plot = plot;
        this.random = random;
        falseViews = new ViewChangeLies(plot, random);
        lies = random.nextInt(ONE_IN) == 0;
        othersSeeTheRightOne = random.nextBoolean();
        victim = random.nextInt(world.nodes().size());
    }

    /** Returns the messages that this replica is shown instead of those for the others. */
    List<ReplicaMessage> shown(int to, ReplicaMessage message) {
        if (!lies || !(message instanceof NewView decided)) {
            return List.of(message);
        }
        if (to == victim) {
            return List.of(falseViews.of(decided));
        }
        return othersSeeTheRightOne ? List.of(message) : List.of();
    }

    /**
     * Invents a NEW-VIEW for a victim that asks for a view. The victim accepts it only from the primary of that view.
     */
    void heard(int from, ReplicaMessage message) {
        if (lies
                && from == victim
                && message instanceof Status status
                && status.view() > 0
                && !status.inView()
                && random.nextInt(ANSWERS_ONE_IN) == 0) {
            world.transmit(self, from, invented(status));
        }
    }

    private NewView invented(Status status) {
        List<Support> support = new ArrayList<>();
        for (int replica = 0; replica < world.quorum(); replica++) {
            support.add(new Support(replica, plot.falseDigest(status.view())));
        }
        List<Numbered> chosen = new ArrayList<>();
        int choices = random.nextBoolean() ? world.logSize() : random.nextInt(world.logSize());
        for (int i = 1; i <= choices; i++) {
            chosen.add(new Numbered(status.stable() + i, Batch.NULL_DIGEST));
        }
        return new NewView(
                status.view(), support, new Numbered(status.stable(), plot.falseDigest(status.stable())), chosen);
    }
}
