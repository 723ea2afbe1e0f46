package io.bulwark.simulation.object;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.extent.Delivery;
import io.bulwark.protocol.extent.StoredExtent;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.campaign.Invariant;
import io.bulwark.simulation.engine.SimulatedRecords;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Stages of delivery on the disks of correct nodes, whoever wrote the extents. */
final class DeliveredExtents {
    /** A correct node never takes back its word on an extent. */
    static final Invariant DELIVERED_STAYS =
            new Invariant("delivered-stays", "thesis figure 2.3.2: verified is set once");

    /**
     * Once one correct node has delivered an extent, all correct holders keep it, and deliver it; unless one of them has decoded it
     * and found another hash than the segment's, since nobody ever reads such an extent.
     */
    static final Invariant ALL_OR_NONE = new Invariant("all-or-none", "thesis definition 2.3.1, agreement");

    private final Set<PrincipalId> faulty;
    private final List<PrincipalId> nodes;
    private final Function<PrincipalId, SimulatedRecords> disks;
    private final Map<Kept, Delivery> reached = new HashMap<>();
    private final Map<BlockId, Bytes> delivered = new HashMap<>();

    private record Kept(PrincipalId node, BlockId block, Bytes pin) {}

    /** @param disks those of the nodes */
    DeliveredExtents(Set<PrincipalId> faulty, List<PrincipalId> nodes, Function<PrincipalId, SimulatedRecords> disks) {
        this.faulty = faulty;
        this.nodes = nodes;
        this.disks = disks;
    }

    /** Compares the disks with what stood there before. */
    void look() {
        for (PrincipalId node : nodes) {
            if (!faulty.contains(node)) {
                disks.apply(node).keys().stream()
                        .filter(key -> key.kind() == RecordKind.EXTENT)
                        .forEach(key -> stored(node, key.block()).ifPresent(kept -> look(node, key.block(), kept)));
            }
        }
    }

    private void look(PrincipalId node, BlockId block, StoredExtent kept) {
        Bytes pin = kept.checksum().pin();
        Delivery before = reached.put(new Kept(node, block, pin), kept.delivery());
        if (before != null && before.compareTo(kept.delivery()) > 0) {
            throw DELIVERED_STAYS.violation(
                    block.toString(), node + " was at " + before + ", and is at " + kept.delivery());
        }
        if (kept.delivery() == Delivery.DELIVERED) {
            Bytes other = delivered.putIfAbsent(block, pin);
            if (other != null && !other.equals(pin)) {
                throw ALL_OR_NONE.violation(block.toString(), "delivered with two contents");
            }
        }
    }

    /** Returns a referenced extent that one node has delivered and another correct holder has not; empty if there is none. */
    String undelivered(Volume now, List<BlockRange> named) {
        look();
        for (Map.Entry<BlockId, Bytes> extent : delivered.entrySet()) {
            BlockId block = extent.getKey();
            PlacementGroup group = now.group(block);
            boolean neverRead = group.holders().stream()
                    .map(PrincipalId::node)
                    .anyMatch(holder -> !faulty.contains(holder) && isPoisonous(holder, block, extent.getValue()));
            if (neverRead || named.stream().noneMatch(range -> range.contains(block))) {
                continue;
            }
            for (int slot = 0; slot < group.holders().size(); slot++) {
                PrincipalId holder = PrincipalId.node(group.holders().get(slot));
                int own = slot;
                boolean done = faulty.contains(holder)
                        || stored(holder, block)
                                .filter(kept -> kept.slot() == own
                                        && kept.delivery() == Delivery.DELIVERED
                                        && kept.checksum().pin().equals(extent.getValue()))
                                .isPresent();
                if (!done) {
                    return holder + " has not delivered " + block;
                }
            }
        }
        return "";
    }

    /** Returns the number of extents that a correct node has delivered. */
    int count() {
        return delivered.size();
    }

    private boolean isPoisonous(PrincipalId node, BlockId block, Bytes pin) {
        SimulatedRecords.Content record = disks.apply(node).get(RecordKey.of(RecordKind.EXTENT, block));
        return record != null
                && StoredExtent.poisonousPin(block, record.meta())
                        .filter(pin::equals)
                        .isPresent();
    }

    private Optional<StoredExtent> stored(PrincipalId node, BlockId block) {
        SimulatedRecords.Content record = disks.apply(node).get(RecordKey.of(RecordKind.EXTENT, block));
        return record == null || record.fragment() == null
                ? Optional.empty()
                : StoredExtent.unchecked(block, record.meta(), record.fragment());
    }
}
