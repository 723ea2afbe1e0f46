package io.bulwark.simulation.register;

import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.metadata.Command;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A register volume as the replicas have it: who holds its slots. */
public final class PlacedVolume {
    private Volume volume;

    public PlacedVolume(Volume first) {
        this.volume = first;
    }

    /** Returns the current volume. */
    public Volume now() {
        return volume;
    }

    public boolean has(BlockId block) {
        return block.equals(BlockId.register(volume.id(), block.counter())) && block.counter() < volume.blocks();
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
                    boolean opens = sealed.change().orElseThrow().sealed().size()
                            >= volume.policy().writeQuorum();
                    set(seal.group(), opens ? sealed.opened() : sealed);
                }
            }
            case Command.ConfirmEpoch confirm -> {
                PlacementGroup group = volume.groups().get(confirm.group());
                int slot = group.slotOf(node);
                if (slot >= 0 && confirm.epoch() == group.epoch()) {
                    set(confirm.group(), group.confirmed(slot));
                }
            }
            default -> throw new IllegalStateException(command.toString());
        }
        return true;
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

    /** Returns the number of epochs that have opened beyond the first ones. */
    public long epochsOpened() {
        return volume.groups().stream().mapToLong(group -> group.epoch() - 1).sum();
    }

    private void set(int index, PlacementGroup group) {
        List<PlacementGroup> groups = new ArrayList<>(volume.groups());
        groups.set(index, group);
        volume = new Volume(volume.id(), volume.name(), volume.kind(), volume.policy(), volume.blocks(), groups);
    }
}
