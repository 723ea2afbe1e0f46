package io.bulwark.simulation.ordering;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.engine.RunningOperation;
import java.util.Set;

/** View of the world for the replacement of replicas. */
final class ReplacedReplicas implements Replacements.Host {
    private final OrderingWorld world;
    private final OrderingPlot plot;

    ReplacedReplicas(OrderingWorld world, OrderingPlot plot) {
        this.world = world;
        this.plot = plot;
    }

    @Override
    public long configurationOf(int name) {
        return ReplicaDisk.configuration(world.simulation().records(PrincipalId.replica(name)));
    }

    @Override
    public void corrupt(int name) {
        world.corrupt(name);
    }

    @Override
    public boolean isFaulty(int name) {
        return world.isFaulty(name);
    }

    @Override
    public Set<Integer> faulty() {
        return world.faultyNames();
    }

    @Override
    public Bytes falseDigest(long number) {
        return plot.falseDigest(number);
    }

    @Override
    public boolean hasGoneOn(long configuration) {
        return world.processes().hasExecutedIn(configuration);
    }

    @Override
    public void restart(int name) {
        PrincipalId id = PrincipalId.replica(name);
        if (world.simulation().isUp(id)) {
            world.simulation().crash(id);
        }
        world.simulation().restart(id);
    }

    @Override
    public RunningOperation<?> read(PrincipalId client, int key) {
        return world.clients().read(client, key);
    }

    @Override
    public RunningOperation<?> write(PrincipalId client) {
        return world.clients().write(client);
    }
}
