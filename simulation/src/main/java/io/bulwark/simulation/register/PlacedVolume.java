package io.bulwark.simulation.register;

import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.Volume.Generation;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.metadata.Command;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A register volume as the replicas have it: who holds its slots, and how many of these may be faulty. */
public final class PlacedVolume {
    private Volume volume;
    /** b from the next epoch on; 0 if no other is announced. */
    private int nextFaults;
    /** Number of times that the volume has come to tolerate fewer faults. */
    private int lowered;

    public PlacedVolume(Volume first) {
        this.volume = first;
    }

    /** At first fewer nodes may be faulty. */
    public void beginWith(int faults) {
        volume = withFaults(faults, volume.groups());
    }

    private Volume withFaults(int faults, List<PlacementGroup> groups) {
        ProtectionPolicy policy = volume.policy().withFaults(faults);
        return new Volume(volume.id(), volume.name(), volume.kind(), policy, volume.blocks(), groups, volume.older());
    }

    /** Returns the current volume. */
    public Volume now() {
        return volume;
    }

    public boolean has(BlockId block) {
        return volume.hasRegister(block);
    }

    /** Returns the replicas' answer to a request for the map. */
    ClusterMap map() {
        return new ClusterMap(1, List.of(), List.of(volume));
    }

    /** Returns the replicas' answer to a request for a volume. */
    public Fact answer(int id) {
        return new Fact.OfVolume(id, id == volume.id() ? Optional.of(volume) : Optional.empty());
    }

    /** Executes a holder's command, and ignores one that no longer applies. */
    boolean execute(int node, Command command) {
        switch (command) {
            case Command.SealEpoch seal -> {
                PlacementGroup group = volume.groups().get(seal.group());
                int slot = group.slotOf(node);
                if (slot >= 0 && seal.epoch() == group.epoch() && group.change().isPresent()) {
                    PlacementGroup sealed = group.sealed(slot);
                    boolean opens = volume.opening() && volume.generationOf(seal.group()) == volume.written();
                    boolean alone = nextFaults == 0 && !opens && isSealed(seal.group(), sealed);
                    set(seal.group(), alone ? sealed.opened() : sealed);
                    openWithFaults();
                    openGeneration();
                }
            }
            case Command.ConfirmEpoch confirm -> {
                PlacementGroup group = volume.groups().get(confirm.group());
                int slot = group.slotOf(node);
                if (slot >= 0 && confirm.epoch() == group.epoch()) {
                    set(confirm.group(), group.confirmed(slot));
                    lower();
                }
            }
            default -> throw new IllegalStateException(command.toString());
        }
        return true;
    }

    private boolean isSealed(PlacementGroup group) {
        return isSealed(volume.groups().size() - 1, group);
    }

    private boolean isSealed(int index, PlacementGroup group) {
        return group.change()
                .filter(change ->
                        change.sealed().size() >= volume.policyOf(index).writeQuorum())
                .isPresent();
    }

    /** From the next epoch of the groups of now on, blocks are written in others, under another policy. */
    void announceGeneration(ProtectionPolicy policy, List<PlacementGroup> added) {
        int from = volume.firstGroup(volume.generation());
        List<Generation> older = new ArrayList<>(volume.older());
        older.add(new Generation(volume.policy(), volume.groups().size() - from));
        List<PlacementGroup> groups = new ArrayList<>(volume.groups());
        groups.addAll(added);
        int end = volume.groups().size();
        volume = new Volume(volume.id(), volume.name(), volume.kind(), policy, volume.blocks(), groups, older, true);
        for (int index = from; index < end; index++) {
            announce(index, 0, volume.groups().get(index).holders().getFirst());
        }
    }

    private void openGeneration() {
        int from = volume.opening() ? volume.firstGroup(volume.written()) : 0;
        int end = volume.opening() ? volume.firstGroup(volume.generation()) : 0;
        for (int index = from; index < end; index++) {
            if (!isSealed(index, volume.groups().get(index))) {
                return;
            }
        }
        for (int index = from; index < end; index++) {
            set(index, volume.groups().get(index).opened());
        }
        volume = new Volume(
                volume.id(),
                volume.name(),
                volume.kind(),
                volume.policy(),
                volume.blocks(),
                volume.groups(),
                volume.older());
    }

    private void openWithFaults() {
        if (nextFaults == 0 || !volume.groups().stream().allMatch(this::isSealed)) {
            return;
        }
        boolean prepares =
                nextFaults < volume.policy().f() && volume.groups().stream().allMatch(group -> group.lowersTo() == 0);
        int lowersTo = prepares ? nextFaults : 0;
        lowered += nextFaults < volume.policy().f() && !prepares ? 1 : 0;
        volume = withFaults(
                prepares ? volume.policy().f() : nextFaults,
                volume.groups().stream().map(group -> group.opened(lowersTo)).toList());
        nextFaults = lowersTo;
    }

    private void lower() {
        boolean ready = nextFaults != 0
                && volume.groups().stream()
                        .allMatch(group -> group.lowersTo() == nextFaults
                                && group.change().isEmpty()
                                && group.unconfirmed().size() <= nextFaults);
        if (ready) {
            announceSameHolders();
        }
    }

    /** From one of the next epochs on another number of nodes may be faulty; the holders stay. */
    void announceFaults(int faults) {
        nextFaults = faults;
        announceSameHolders();
    }

    /** Gives the announced number of faults up. */
    void giveFaultsUp() {
        nextFaults = 0;
        for (int index = 0; index < volume.groups().size(); index++) {
            PlacementGroup group = volume.groups().get(index);
            if (isSealed(group)) {
                set(index, group.opened());
            } else if (group.lowersTo() != 0 && group.change().isEmpty()) {
                announce(index, 0, group.holders().getFirst());
            }
        }
    }

    private void announceSameHolders() {
        for (int index = 0; index < volume.groups().size(); index++) {
            announce(index, 0, volume.groups().get(index).holders().getFirst());
        }
    }

    /** Returns whether another number of faults is announced. */
    boolean isFaultsAnnounced() {
        return nextFaults != 0;
    }

    /** Another holder for a slot, or the same again where a change is given up. */
    void announce(int index, int slot, int node) {
        set(index, volume.groups().get(index).announced(slot, node));
    }

    /** The same holders in a later epoch, which none of them has to confirm; what the replicas tell of it. */
    public Fact nextEpoch(int index) {
        PlacementGroup old = volume.groups().get(index);
        set(index, new PlacementGroup(old.epoch() + 1, old.holders()));
        return answer(volume.id());
    }

    /** Returns the number of times that the volume has come to tolerate fewer faults. */
    public int lowered() {
        return lowered;
    }

    /** Returns the number of epochs that have opened beyond the first ones. */
    public long epochsOpened() {
        return volume.groups().stream().mapToLong(group -> group.epoch() - 1).sum();
    }

    private void set(int index, PlacementGroup group) {
        List<PlacementGroup> groups = new ArrayList<>(volume.groups());
        groups.set(index, group);
        volume = volume.with(groups);
    }
}
