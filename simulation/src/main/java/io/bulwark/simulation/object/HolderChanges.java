package io.bulwark.simulation.object;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.MetadataStateMachine;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.simulation.campaign.Invariant;
import io.bulwark.simulation.engine.Simulation;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;

/**
 * An operator who replaces holders of placement groups again and again, by former holders and by nodes that never held
 * a slot. The operator never exceeds the tolerance of the groups: at most f slots lie or have new holders.
 */
final class HolderChanges {
    static final PrincipalId OPERATOR = PrincipalId.client(8);

    /** Once all is well each change opens, and each correct holder confirms. */
    static final Invariant CHANGES_END = new Invariant("changes-end", "docs/epochs.md");

    private static final long SETTLE_MILLIS = 600_000;
    private static final int LOOKS_ONE_IN = 6;

    private final Simulation simulation;
    private final ObjectClient operator;
    private final Supplier<MetadataStateMachine> latest;
    private final Set<PrincipalId> faulty;
    private final int nodes;
    private final Random random;
    private final int changesOneIn;
    private Volume known;
    private boolean replaces = true;
    private boolean looking;
    /** Number of commands whose outcome is not known yet. */
    private int ordered;

    /**
     * @param known the volume as it was created
     * @param latest the most advanced state of a correct replica
     */
    HolderChanges(
            Simulation simulation,
            Replicas replicas,
            Volume known,
            Supplier<MetadataStateMachine> latest,
            Set<PrincipalId> faulty,
            int nodes,
            Random random) {
        this.simulation = simulation;
        this.operator =
                new ObjectClient(simulation, OPERATOR, replicas, random, ClientTraits.plain(), ObjectParts.PRODUCTION);
        this.known = known;
        this.latest = latest;
        this.faulty = faulty;
        this.nodes = nodes;
        this.random = random;
        this.changesOneIn = 2 + random.nextInt(12);
    }

    /** Lets all holders stay where they are: only the policy of the volume may change. */
    HolderChanges keepHolders() {
        replaces = false;
        return this;
    }

    /** Returns the volume as clients know it. */
    Volume known() {
        return known;
    }

    /** The volume as it is; as clients know it while all replicas start and have not executed its creation again. */
    Volume now() {
        Reply reply = Reply.decode(latest.get().query(OPERATOR, new Query.GetMap().encoded()));
        return ((Reply.Map) reply).map().volume(known.id()).orElse(known);
    }

    /** Returns the number of epochs that have opened beyond the first ones. */
    long opened() {
        return now().groups().stream().mapToLong(group -> group.epoch() - 1).sum();
    }

    void step() {
        if (!looking && random.nextInt(LOOKS_ONE_IN) == 0) {
            look();
        }
        if (replaces && random.nextInt(changesOneIn) == 0) {
            change();
        }
    }

    /** Asks for the map on behalf of all clients, unless somebody does. */
    void look() {
        if (looking) {
            return;
        }
        looking = true;
        operator.query(new Query.GetMap(), reply -> {
            looking = false;
            if (reply.orElse(null) instanceof Reply.Map(var map)) {
                known = map.volume(known.id()).orElse(known);
            }
        });
    }

    private void change() {
        Volume now = now();
        int index = random.nextInt(now.groups().size());
        PlacementGroup group = now.groups().get(index);
        if (group.change().isPresent()) {
            if (random.nextInt(5) == 0) {
                order(new Command.AbortChange(now.name(), index, group.epoch()));
            }
            return;
        }
        int slot = random.nextInt(group.holders().size());
        int to = random.nextInt(nodes);
        if (group.slotOf(to) < 0
                && mayChange(group, slot, to, now.policyOf(index).f())) {
            int from = group.holders().get(slot);
            order(new Command.ChangeHolder(now.name(), index, group.epoch(), from, to));
        }
    }

    private void order(Command command) {
        ordered++;
        operator.execute(command, _ -> ordered--);
    }

    private boolean mayChange(PlacementGroup group, int slot, int to, int f) {
        Set<Integer> bad = new HashSet<>(group.fresh());
        bad.add(slot);
        for (int other = 0; other < group.holders().size(); other++) {
            int holder = other == slot ? to : group.holders().get(other);
            if (faulty.contains(PrincipalId.node(holder))) {
                bad.add(other);
            }
        }
        return bad.size() <= f;
    }

    /** Waits until nothing changes any more and clients know it. */
    void settle() {
        if (!simulation.runUntil(this::settled, SETTLE_MILLIS)) {
            throw CHANGES_END.violation("", now().groups().toString());
        }
    }

    private boolean settled() {
        Volume now = now();
        if (!now.groups().equals(known.groups()) && !looking) {
            look();
        }
        return ordered == 0
                && now.groups().equals(known.groups())
                && now.groups().stream().allMatch(this::settled);
    }

    private boolean settled(PlacementGroup group) {
        return group.change().isEmpty()
                && group.unconfirmed().stream()
                        .allMatch(slot ->
                                faulty.contains(PrincipalId.node(group.holders().get(slot))));
    }
}
