package io.bulwark.protocol.cluster;

import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.HashSet;
import java.util.List;

/**
 * A fixed ordered list of slots and the nodes that hold them in this epoch.
 *
 * @param epoch counted per group from 1
 * @param holders the number of the node at each slot, all different
 */
public record PlacementGroup(long epoch, List<Integer> holders) {
    public PlacementGroup {
        holders = List.copyOf(holders);
        if (epoch < 1 || new HashSet<>(holders).size() != holders.size()) {
            throw new IllegalArgumentException("epoch " + epoch + ", holders " + holders);
        }
    }

    /** The slot that a node holds, or -1. */
    public int slotOf(int node) {
        return holders.indexOf(node);
    }

    public void write(WireWriter out) {
        out.i64(epoch).u8(holders.size());
        holders.forEach(out::i32);
    }

    public static PlacementGroup read(WireReader in) {
        long epoch = in.nonNegative64();
        Integer[] holders = new Integer[in.u8()];
        for (int i = 0; i < holders.length; i++) {
            holders[i] = in.i32(0, Integer.MAX_VALUE);
        }
        try {
            return new PlacementGroup(epoch, List.of(holders));
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        }
    }
}
