package io.bulwark.protocol.completion;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.completion.SlotDuties.Place;
import io.bulwark.protocol.id.BlockId;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What a node owes the metadata while holders of the placement groups of its registers change (docs/decisions/0016, registers): it has each
 * block of a group seen to in the epoch that has opened, and confirms it then.
 */
final class RegisterDuties {
    private final Calls calls;
    private final SlotDuties slots;
    private final int node;
    private final int atOnce;
    private final long retryMillis;
    private final Map<Place, Work> works =
            new TreeMap<>(Comparator.comparingInt(Place::volume).thenComparingInt(Place::group));
    private List<Volume> volumes = List.of();
    private int underWay;

    /** One group of which this node has not confirmed the epoch. */
    private static final class Work {
        private final Volume volume;
        private final int group;
        private final long epoch;
        private final Deque<Long> again = new ArrayDeque<>();
        private long next;
        private int underWay;
        private long againMillis;
        private boolean confirmed;

        Work(Volume volume, int group) {
            this.volume = volume;
            this.group = group;
            this.epoch = volume.groups().get(group).epoch();
            passOthers();
        }

        void passOthers() {
            while (next < volume.blocks() && volume.groupIndex(BlockId.register(volume.id(), next)) != group) {
                next++;
            }
        }

        /** The next block to be seen to, or -1. */
        long take(long nowMillis) {
            if (next < volume.blocks()) {
                long block = next++;
                passOthers();
                return block;
            }
            return again.isEmpty() || nowMillis < againMillis ? -1 : again.remove();
        }

        boolean done() {
            return next >= volume.blocks() && again.isEmpty() && underWay == 0;
        }
    }

    /**
     * Of a node that starts.
     *
     * @param atOnce blocks seen to at the same time
     * @param retryMillis what could not be done is tried again after so long
     */
    RegisterDuties(Calls calls, int node, int atOnce, long retryMillis) {
        this.calls = calls;
        this.slots = new SlotDuties(calls, node);
        this.node = node;
        this.atOnce = atOnce;
        this.retryMillis = retryMillis;
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
                if (group.unconfirmed().contains(group.slotOf(node))) {
                    Place place = new Place(volume.id(), index);
                    unconfirmed.add(place);
                    take(place, volume, group.epoch());
                }
            }
        }
        works.keySet().retainAll(unconfirmed);
    }

    private void take(Place place, Volume volume, long epoch) {
        Work known = works.get(place);
        if (known == null || known.epoch < epoch) {
            works.put(place, new Work(volume, place.group()));
        } else if (known.done()) {
            // What was said before may have been lost.
            slots.confirm(volume, place.group());
        }
    }

    /** Begins what may begin now. */
    void pump(long nowMillis) {
        works.forEach((place, work) -> {
            if (slots.refusesBefore(place, work.epoch)) {
                begin(nowMillis, work);
                if (work.done() && !work.confirmed) {
                    work.confirmed = true;
                    slots.confirm(work.volume, work.group);
                }
            }
        });
    }

    private void begin(long nowMillis, Work work) {
        while (underWay < atOnce) {
            long block = work.take(nowMillis);
            if (block < 0) {
                return;
            }
            underWay++;
            work.underWay++;
            calls.settle(BlockId.register(work.volume.id(), block), work.epoch, done -> {
                underWay--;
                work.underWay--;
                if (!done) {
                    work.again.add(block);
                    work.againMillis = nowMillis + retryMillis;
                }
            });
        }
    }
}
