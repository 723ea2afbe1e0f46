package io.bulwark.protocol.completion;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.metadata.Command;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What a node owes the metadata while holders of its placement groups change (PROTOCOLS section 4, epochs): its servers hear of
 * each change, it says so once they refuse the epoch that is to end, and confirms the one that has opened. Where it took a slot
 * it first goes through all that is referenced once more, from the beginning.
 */
final class EpochDuties {
    private record Key(int volume, int group) {}

    private final Calls calls;
    private final int node;
    private final ReferenceWalk walk;
    private final Map<Key, Long> refuses = new HashMap<>();
    /** Slots that this node took and has not confirmed, for which the walk has begun anew. */
    private final Set<Key> rebuilding = new HashSet<>();

    /** In which epoch they were when a round last began. */
    private final Map<Key, Long> rebuiltIn = new HashMap<>();

    private final Map<Integer, List<PlacementGroup>> told = new HashMap<>();
    private List<Volume> volumes = List.of();

    EpochDuties(Calls calls, int node, ReferenceWalk walk) {
        this.calls = calls;
        this.node = node;
        this.walk = walk;
    }

    void onRefuses(int volume, int group, long before) {
        Key key = new Key(volume, group);
        if (before > refuses.getOrDefault(key, 1L)) {
            refuses.put(key, before);
            volumes.stream()
                    .filter(each -> each.id() == volume && group < each.groups().size())
                    .forEach(each -> promised(each, group, each.groups().get(group)));
        }
    }

    private void promised(Volume volume, int index, PlacementGroup group) {
        seal(volume, index, group);
        if (!group.isFresh(node)) {
            confirm(volume, index, group);
        }
    }

    /** 2f+1 replicas say that this is how things are; at any time. */
    void onMap(List<Volume> objects) {
        volumes = objects;
        for (Volume volume : volumes) {
            boolean awaited = false;
            for (PlacementGroup group : volume.groups()) {
                int slot = group.slotOf(node);
                awaited |= slot >= 0
                        && (group.change().isPresent() || group.unconfirmed().contains(slot));
            }
            tell(volume, awaited);
            for (int index = 0; index < volume.groups().size(); index++) {
                promised(volume, index, volume.groups().get(index));
            }
        }
    }

    /**
     * Completion goes through what is referenced by the last map: what was referenced before its epochs opened can be learned from now
     * on. A slot that this node took lately is confirmed here only: within a round, what could not be read is not counted while it is
     * being tried again.
     */
    void beginRound() {
        Set<Key> fresh = new HashSet<>();
        for (Volume volume : volumes) {
            for (int index = 0; index < volume.groups().size(); index++) {
                PlacementGroup group = volume.groups().get(index);
                if (group.isFresh(node)) {
                    Key key = new Key(volume.id(), index);
                    fresh.add(key);
                    Long before = rebuiltIn.put(key, group.epoch());
                    if (before != null && group.epoch() > before + 1) {
                        // In an epoch that was missed another one may have held the slot.
                        rebuilding.remove(key);
                    }
                    if (rebuilding.contains(key) && walk.isDone(volume.id())) {
                        confirm(volume, index, group);
                    }
                }
            }
        }
        rebuilding.retainAll(fresh);
        rebuiltIn.keySet().retainAll(fresh);
        for (Key key : fresh) {
            if (rebuilding.add(key)) {
                walk.restart(key.volume);
            }
        }
    }

    /** Also again, for as long as something is awaited of this node: what its servers could not store is stored then. */
    private void tell(Volume volume, boolean awaited) {
        List<PlacementGroup> before = told.put(volume.id(), volume.groups());
        boolean changed = before != null
                ? !before.equals(volume.groups())
                : volume.groups().stream()
                        .anyMatch(group -> group.epoch() > 1 || group.change().isPresent());
        if (awaited || changed) {
            calls.tell(new Fact.OfVolume(volume.id(), Optional.of(volume)));
        }
    }

    private void seal(Volume volume, int index, PlacementGroup group) {
        int slot = group.slotOf(node);
        long before = refuses.getOrDefault(new Key(volume.id(), index), 1L);
        boolean seals = slot >= 0
                && group.change()
                        .filter(change -> !change.sealed().contains(slot))
                        .isPresent();
        if (seals && before > group.epoch()) {
            calls.submit(new Command.SealEpoch(volume.id(), index, group.epoch()));
        }
    }

    private void confirm(Volume volume, int index, PlacementGroup group) {
        long before = refuses.getOrDefault(new Key(volume.id(), index), 1L);
        if (group.unconfirmed().contains(group.slotOf(node)) && before >= group.epoch()) {
            calls.submit(new Command.ConfirmEpoch(volume.id(), index, group.epoch()));
        }
    }
}
