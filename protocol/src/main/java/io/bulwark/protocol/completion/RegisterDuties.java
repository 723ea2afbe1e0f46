package io.bulwark.protocol.completion;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.completion.SlotDuties.Place;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Duties of a node towards the metadata while holders of the placement groups of its registers change
 * (docs/decisions/0016, registers). In the epoch that has opened, the node has each block of which it keeps anything
 * settled, and then confirms the epoch. The groups take turns.
 */
final class RegisterDuties {
    private final PendingSteps calls;
    private final SlotDuties slots;
    private final int node;
    private final CompletionPace pace;
    private final RebuildRate rebuild;
    private final LongSupplier clock;
    /** Work by group, next in turn first. */
    private final LinkedHashMap<Place, RegisterWork> works = new LinkedHashMap<>();

    private final Set<Place> confirmed = new HashSet<>();
    private List<Volume> volumes = List.of();
    private int inFlight;

    /**
     * Creates the duties with nothing pending.
     *
     * @param rebuild charged with the fragment of each handled block: the new holder is asked to make it, and perhaps
     *     this node makes its own
     * @param clock the current time
     */
    RegisterDuties(PendingSteps calls, int node, CompletionPace pace, RebuildRate rebuild, LongSupplier clock) {
        this.calls = calls;
        this.slots = new SlotDuties(calls, node);
        this.node = node;
        this.pace = pace;
        this.rebuild = rebuild;
        this.clock = clock;
    }

    void onRefuses(int volume, int group, long before) {
        if (slots.onRefuses(volume, group, before)) {
            volumes.stream()
                    .filter(each -> each.id() == volume && group < each.groups().size())
                    .forEach(each -> slots.seal(each, group));
        }
    }

    /** 2f+1 replicas say that this is how things are. */
    void onMap(List<Volume> registers) {
        volumes = registers;
        Set<Place> unconfirmed = new HashSet<>();
        for (Volume volume : volumes) {
            slots.tell(volume);
            for (int index = 0; index < volume.groups().size(); index++) {
                slots.seal(volume, index);
                PlacementGroup group = volume.groups().get(index);
                Place place = new Place(volume.id(), index);
                if (group.unconfirmed().contains(group.slotOf(node))) {
                    unconfirmed.add(place);
                    take(place, volume, group);
                }
            }
        }
        works.keySet().retainAll(unconfirmed);
        confirmed.retainAll(unconfirmed);
    }

    private void take(Place place, Volume volume, PlacementGroup group) {
        RegisterWork known = works.get(place);
        if (known == null || known.epoch() < group.epoch()) {
            confirmed.remove(place);
            works.put(place, new RegisterWork(calls, volume, place.group(), pace.retryMillis(), clock));
            return;
        }
        known.hear(group);
        if (known.done()) {
            // An earlier confirmation may have been lost.
            slots.confirm(volume, place.group());
        }
    }

    /** Begins what may begin now. */
    void pump(long nowMillis) {
        int idle = 0;
        while (inFlight < pace.atOnce() && idle < works.size() && rebuild.open(nowMillis)) {
            Map.Entry<Place, RegisterWork> turn = works.firstEntry();
            works.putLast(turn.getKey(), turn.getValue());
            boolean begun =
                    slots.hasRefusedBefore(turn.getKey(), turn.getValue().epoch())
                            && turn.getValue().begin(nowMillis, () -> inFlight--);
            if (begun) {
                ProtectionPolicy policy =
                        turn.getValue().volume().policyOf(turn.getKey().group());
                rebuild.charge(nowMillis, policy.fragmentBytes(policy.blockBytes()));
            }
            inFlight += begun ? 1 : 0;
            idle = begun ? 0 : idle + 1;
        }
        works.forEach((place, work) -> {
            if (work.done() && confirmed.add(place)) {
                slots.confirm(work.volume(), place.group());
            }
        });
    }
}
