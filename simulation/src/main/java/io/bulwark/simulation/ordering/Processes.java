package io.bulwark.simulation.ordering;

import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.driver.StartReason;
import io.bulwark.protocol.state.MemoryPageStore;
import io.bulwark.simulation.engine.SimulatedRecords;
import io.bulwark.simulation.engine.Simulation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The processes of the replicas, by name: the running ones, the start of each next life, and their pages. */
final class Processes {
    private final OrderingWorld world;
    private final Simulation simulation;
    private final @Nullable ProtocolServer[] servers;
    private final StartReason[] starts;
    private final List<MemoryPageStore> stores = new ArrayList<>();

    Processes(OrderingWorld world, Simulation simulation, int count) {
        this.world = world;
        this.simulation = simulation;
        servers = new ProtocolServer[count];
        starts = new StartReason[count];
        Arrays.fill(starts, StartReason.NORMAL);
        for (int replica = 0; replica < count; replica++) {
            stores.add(new MemoryPageStore());
        }
    }

    ProtocolServer start(int self, ReplicaConfig config) {
        if (world.isAway(self)) {
            return (_, _, _, _) -> List.of();
        }
        StartReason why = reason(self);
        ProtocolServer server = world.isFaulty(self)
                ? new FaultyReplica(world.keys().of(self), () -> startFaulty(self, config, why))
                : member(self, config, why);
        servers[self] = server;
        return server;
    }

    /** Returns why the replica starts. A loss of everything is recorded beside the log until the log records it. */
    private StartReason reason(int replica) {
        StartReason why =
                isLost(replica) || starts[replica] != StartReason.FORGOTTEN ? starts[replica] : StartReason.NORMAL;
        starts[replica] = why == StartReason.FORGOTTEN ? why : StartReason.NORMAL;
        return why;
    }

    /** It has forgotten all, and its log does not say so yet. */
    private boolean isLost(int replica) {
        return starts[replica] == StartReason.FORGOTTEN && !ReplicaDisk.hasLog(records(replica));
    }

    private SimulatedRecords records(int replica) {
        return simulation.records(PrincipalId.replica(replica));
    }

    private OrderedMember member(int self, ReplicaConfig config, StartReason why) {
        return new OrderedMember(world, self, config, why, records(self), stores.get(self));
    }

    /**
     * Starts a faulty replica from its remaining promises, or from an empty disk if the corruption left too little of
     * them.
     */
    private OrderedMember startFaulty(int self, ReplicaConfig config, StartReason why) {
        try {
            return member(self, config, why);
        } catch (RuntimeException rotten) {
            ReplicaDisk.wipe(records(self));
            return member(self, config, StartReason.FORGOTTEN);
        }
    }

    /** The next life recovers. */
    void recover(int replica) {
        if (!isLost(replica)) {
            starts[replica] = StartReason.RECOVERING;
        }
    }

    void forget(int replica) {
        ReplicaDisk.forget(records(replica));
        starts[replica] = StartReason.FORGOTTEN;
    }

    /** Its log is forged: another life begins without it. */
    void forgets(int number) {
        if (!world.isFaulty(number)) {
            throw new IllegalStateException("replica " + number + " gives up a log that is right");
        }
    }

    /** A replica begins a life in another configuration. */
    void advances(int replica, StartReason start) {
        starts[replica] = start;
    }

    /** Returns the replica's reason to start, which is kept beside the log. */
    StartReason startOf(int replica) {
        return starts[replica];
    }

    @Nullable
    OrderedMember memberOf(int number) {
        return switch (servers[number]) {
            case OrderedMember correct -> correct;
            case FaultyReplica liar -> liar.member();
            case null, default -> null;
        };
    }

    /** The number of the last configuration that a correct one has heard of. */
    long lastConfiguration() {
        return correct().stream().mapToLong(OrderedMember::configuration).max().orElse(0);
    }

    /** All correct ones have come to the last configuration, with the state that it began with. */
    boolean areSettled() {
        long last = lastConfiguration();
        return correct().stream().allMatch(member -> member.hasBegun(last));
    }

    /** A correct one has executed something in the configuration with this number. */
    boolean hasExecutedIn(long configuration) {
        return correct().stream().anyMatch(member -> member.hasGoneOn(configuration));
    }

    private List<OrderedMember> correct() {
        List<OrderedMember> correct = new ArrayList<>();
        for (int name = 0; name < servers.length; name++) {
            OrderedMember member = memberOf(name);
            if (member != null && !world.isFaulty(name)) {
                correct.add(member);
            }
        }
        return correct;
    }
}
