package io.bulwark.protocol.epoch;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The epochs that one server of a node refuses. It refuses an epoch as soon as it has heard that another is announced,
 * or open. It serves the other only once that is open and the refusal is durable. Replicas that are behind may tell a
 * restarted node of the old one.
 *
 * <p>The records of one volume are under one block, one for each group and epoch, so that concurrent writes of one
 * node's servers undo nothing.
 */
public final class Seals {
    private static final int SUFFIX_BYTES = 12;
    private static final int TAKEN_BYTES = SUFFIX_BYTES + 1;
    private static final byte FORMAT = 1;

    private final int node;
    /** By volume, then by group; a volume is in it once its records were read. */
    private final Map<Integer, Map<Integer, Floor>> volumes = new HashMap<>();

    private static final class Floor {
        /** All epochs before this one are refused. */
        private long from = 1;
        /** Durable value of the epoch above. */
        private long durable = 1;
        /** Epoch in which its slot of registers counted as taken lately, as far as has been heard. */
        private long taken = 1;
        /** Durable value of the epoch above. */
        private long takenDurable = 1;

        boolean isDurable() {
            return durable >= from && takenDurable >= taken;
        }
    }

    /**
     * A group of a volume whose epochs before this one are to be refused for good.
     *
     * @param taken in which epoch the slot counted as taken lately; 1 if it has been this node's from the first
     */
    public record Seal(int volume, int group, long before, long taken) {
        Stream<Mutation> mutations() {
            WireWriter seal = new WireWriter(SUFFIX_BYTES).i32(group).i64(before);
            return taken == 1
                    ? Stream.of(mutation(seal))
                    : Stream.of(
                            mutation(seal),
                            mutation(new WireWriter(TAKEN_BYTES)
                                    .i32(group)
                                    .i64(taken)
                                    .bool(true)));
        }

        private Mutation mutation(WireWriter suffix) {
            RecordKey key = new RecordKey(RecordKind.SEAL, block(volume), suffix.toBytes());
            return new Mutation.Put(key, Bytes.of(FORMAT), Bytes.EMPTY);
        }
    }

    /** @param node the number of this node */
    public Seals(int node) {
        this.node = node;
    }

    /** Returns the key of a volume's records; their kind is {@link RecordKind#SEAL}. */
    public static BlockId block(int volume) {
        return new BlockId(volume, PrincipalId.NOBODY, 0, 0);
    }

    /** Returns whether the volume's records were read. */
    public boolean knows(int volume) {
        return volumes.containsKey(volume);
    }

    /** The volume's records were read. */
    public void loaded(int volume, List<Loaded.Meta> records) {
        Map<Integer, Floor> floors = volumes.computeIfAbsent(volume, ignored -> new TreeMap<>());
        for (Loaded.Meta record : records) {
            try {
                WireReader in = new WireReader(record.key().suffix());
                int group = in.i32(0, Integer.MAX_VALUE);
                long epoch = in.nonNegative64();
                boolean taken = record.key().suffix().length() == TAKEN_BYTES && in.bool();
                in.end();
                Floor floor = floors.computeIfAbsent(group, ignored -> new Floor());
                if (taken) {
                    floor.taken = Math.max(floor.taken, epoch);
                    floor.takenDurable = floor.taken;
                } else {
                    floor.from = Math.max(floor.from, epoch);
                    floor.durable = Math.max(floor.durable, epoch);
                }
            } catch (MalformedException e) {
                // Not written by this code: as if it was lost, which is within what f nodes may do.
            }
        }
    }

    /** Refuses what is over, or is to be; what must be stored for it, and handed in again once that is durable. */
    public List<Seal> learn(Volume known) {
        Map<Integer, Floor> floors = volumes.computeIfAbsent(known.id(), ignored -> new TreeMap<>());
        List<Seal> seals = new ArrayList<>();
        for (int index = 0; index < known.groups().size(); index++) {
            PlacementGroup group = known.groups().get(index);
            long from = group.change().isPresent() ? group.epoch() + 1 : group.epoch();
            if (group.slotOf(node) >= 0 && from > 1) {
                Floor floor = floors.computeIfAbsent(index, ignored -> new Floor());
                floor.from = Math.max(floor.from, from);
                if (known.kind() == VolumeKind.REGISTER && group.isFresh(node)) {
                    floor.taken = Math.max(floor.taken, group.epoch());
                }
                if (!floor.isDurable()) {
                    seals.add(new Seal(known.id(), index, floor.from, floor.taken));
                }
            }
        }
        return seals;
    }

    /** Returns the mutations for these seals, in one store. */
    public static List<Mutation> mutations(List<Seal> seals) {
        return seals.stream().flatMap(Seal::mutations).toList();
    }

    /** They are durable. */
    public void stored(List<Seal> seals) {
        for (Seal seal : seals) {
            Floor floor = volumes.getOrDefault(seal.volume, Map.of()).get(seal.group);
            if (floor != null) {
                floor.durable = Math.max(floor.durable, seal.before);
                floor.takenDurable = Math.max(floor.takenDurable, seal.taken);
            }
        }
    }

    /** Returns the promises that the metadata awaits from this node and that the node may give. */
    public List<Effect> promises(Volume known) {
        List<Effect> promises = new ArrayList<>();
        Map<Integer, Floor> floors = volumes.getOrDefault(known.id(), Map.of());
        for (int index = 0; index < known.groups().size(); index++) {
            PlacementGroup group = known.groups().get(index);
            int slot = group.slotOf(node);
            Floor floor = floors.get(index);
            boolean awaited = slot >= 0
                    && (group.change().isPresent() || group.unconfirmed().contains(slot));
            if (awaited && floor != null && floor.durable > 1) {
                promises.add(new Effect.Refuses(known.id(), index, floor.durable));
            }
        }
        return promises;
    }

    /** Returns whether the node serves a group in the epoch that is open. */
    public boolean serves(int volume, int group, long epoch) {
        Floor floor = volumes.getOrDefault(volume, Map.of()).get(group);
        return floor == null ? epoch == 1 : floor.from == epoch && floor.isDurable();
    }

    /**
     * Returns the epoch in which this node's slot of a group of registers counted as recently taken. Older records here
     * may be of another slot, or of a version that can be read nowhere any more. A node that took a slot counts so in
     * each epoch until it has confirmed one, which it does when it has heard of it. So no slot is lost and taken again
     * unnoticed.
     */
    public long taken(int volume, int group) {
        Floor floor = volumes.getOrDefault(volume, Map.of()).get(group);
        return floor == null ? 1 : floor.taken;
    }

    /** Returns whether this epoch of a group, or a later one, is over or about to end. */
    public boolean sealed(int volume, int group, long epoch) {
        Floor floor = volumes.getOrDefault(volume, Map.of()).get(group);
        return floor != null && floor.from > epoch;
    }
}
