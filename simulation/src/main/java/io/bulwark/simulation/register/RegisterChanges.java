package io.bulwark.simulation.register;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.simulation.campaign.Invariant;
import io.bulwark.simulation.engine.Simulation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * An operator who replaces holders of placement groups of registers again and again, and never asks for more than the groups can do
 * without: the slots that lie or have not confirmed are f at most.
 */
public final class RegisterChanges {
    /** Once all is well each change opens, and each correct holder confirms. */
    public static final Invariant CHANGES_END = new Invariant("changes-end", "docs/epochs.md");

    private static final long SETTLE_MILLIS = 600_000;
    private static final int PAUSES_ONE_IN = 4;
    private static final int PAUSE_MILLIS_MAX = 1_500;
    private static final int POLICIES_ONE_IN = 6;
    private static final int GENERATIONS_LAST = 4;

    private final PlacedVolume volume;
    private final Set<PrincipalId> faulty;
    private final int nodes;
    private final int faults;
    private final Random random;
    /** Number of times that fewer faults are to be tolerated, before more are for good. */
    private int lowerings;

    private final int oneIn;
    /** Policies of later generations; empty if the volume stays in its first one. */
    private List<ProtectionPolicy> policies = List.of();

    /** By group, the holders that had not confirmed when the last change was announced. */
    private final Map<Integer, Set<Integer>> late = new HashMap<>();

    /**
     * Creates an operator who has done nothing yet.
     *
     * @param faults to which the volume is raised where it begins below
     * @param lowerings number of times that the operator first lowers it by one
     */
    public RegisterChanges(
            PlacedVolume volume, Set<PrincipalId> faulty, int nodes, int faults, int lowerings, Random random) {
        this.faults = faults;
        this.lowerings = lowerings;
        this.volume = volume;
        this.faulty = faulty;
        this.nodes = nodes;
        this.random = random;
        this.oneIn = 1 + random.nextInt(8);
    }

    /** From now on the operator gives the volume these policies, too, again and again. */
    public void changePolicies(List<ProtectionPolicy> among) {
        policies = List.copyOf(among);
    }

    /**
     * Returns how long nothing else begins. Nodes read the map only every two seconds, and without pauses clients would
     * finish before many epochs had opened.
     */
    public long pauseMillis() {
        return random.nextInt(PAUSES_ONE_IN) == 0 ? random.nextInt(PAUSE_MILLIS_MAX) : 0;
    }

    public void step() {
        if (random.nextInt(oneIn) != 0) {
            return;
        }
        if (changesFaults() || changesPolicy()) {
            return;
        }
        int index = random.nextInt(volume.now().groups().size());
        PlacementGroup group = volume.now().groups().get(index);
        if (group.change().isPresent()) {
            if (random.nextInt(20) == 0) {
                int slot = group.change().get().slot();
                volume.announce(index, slot, group.holders().get(slot));
            }
            return;
        }
        int slot = random.nextInt(group.holders().size());
        int to = random.nextInt(nodes);
        if (group.slotOf(to) < 0 && mayChange(index, group, slot, to) && hasNobodyToAwait(index, group, slot)) {
            Set<Integer> holders = new HashSet<>();
            group.unconfirmed().forEach(each -> holders.add(group.holders().get(each)));
            late.put(index, holders);
            volume.announce(index, slot, to);
        }
    }

    /** Returns whether it is, or was, the number of faults that changes: no holder does then. */
    private boolean changesFaults() {
        if (volume.isFaultsAnnounced()) {
            if (random.nextInt(40) == 0) {
                volume.giveFaultsUp();
            }
            return true;
        }
        int now = volume.now().policy().f();
        boolean lowers = now == faults && lowerings > 0;
        int unconfirmedMax = lowers ? faults - 1 : now;
        boolean may = (lowers || now < faults)
                && volume.now().groups().stream()
                        .allMatch(group -> group.change().isEmpty()
                                && group.fresh().isEmpty()
                                && group.unconfirmed().size() <= unconfirmedMax);
        if (!may || random.nextBoolean()) {
            return false;
        }
        lowerings -= lowers ? 1 : 0;
        volume.announceFaults(lowers ? faults - 1 : faults);
        return true;
    }

    /** Returns whether the volume tolerates the greater number for good, and all may lie that it tolerates. */
    public boolean isRaisedForGood() {
        return lowerings == 0
                && !volume.isFaultsAnnounced()
                && volume.now().policy().f() == faults;
    }

    /**
     * Returns whether no other unconfirmed holder must be replaced first. A holder unconfirmed for two epochs may have
     * the only remaining fragments.
     */
    private boolean hasNobodyToAwait(int index, PlacementGroup group, int slot) {
        return group.unconfirmed().stream()
                .filter(each -> each != slot && !group.fresh().contains(each))
                .noneMatch(each -> late.getOrDefault(index, Set.of())
                        .contains(group.holders().get(each)));
    }

    /** Gives the volume another policy now and then, where no holder of the groups of now changes. */
    private boolean changesPolicy() {
        Volume now = volume.now();
        if (policies.isEmpty() || now.opening() || random.nextInt(POLICIES_ONE_IN) != 0) {
            return now.opening();
        }
        ProtectionPolicy policy = policies.get(random.nextInt(policies.size()));
        boolean may = now.generation() < GENERATIONS_LAST
                && now.newestGroups().stream()
                        .allMatch(group -> group.change().isEmpty()
                                && group.fresh().isEmpty()
                                && group.unconfirmed().size() <= now.policy().f());
        if (may) {
            List<PlacementGroup> added = new ArrayList<>();
            for (int group = 0; group <= random.nextInt(2); group++) {
                List<Integer> holders =
                        new ArrayList<>(IntStream.range(0, nodes).boxed().toList());
                Collections.shuffle(holders, random);
                added.add(new PlacementGroup(1, holders.subList(0, policy.n())));
            }
            volume.announceGeneration(policy, added);
        }
        return may;
    }

    private boolean mayChange(int index, PlacementGroup group, int slot, int to) {
        Set<Integer> bad = new HashSet<>(group.unconfirmed());
        bad.add(slot);
        for (int other = 0; other < group.holders().size(); other++) {
            int holder = other == slot ? to : group.holders().get(other);
            if (faulty.contains(PrincipalId.node(holder))) {
                bad.add(other);
            }
        }
        return bad.size() <= volume.now().policyOf(index).f();
    }

    /** Waits until nothing changes any more. */
    public void settle(Simulation simulation) {
        if (!simulation.runUntil(() -> volume.now().groups().stream().allMatch(this::settled), SETTLE_MILLIS)) {
            throw CHANGES_END.violation("", volume.now().groups().toString());
        }
    }

    private boolean settled(PlacementGroup group) {
        return group.change().isEmpty()
                && group.unconfirmed().stream()
                        .allMatch(slot ->
                                faulty.contains(PrincipalId.node(group.holders().get(slot))));
    }
}
