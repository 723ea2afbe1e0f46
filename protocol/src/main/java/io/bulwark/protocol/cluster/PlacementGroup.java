package io.bulwark.protocol.cluster;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A fixed ordered list of slots, the nodes that hold them in this epoch, and their progress from the epoch before
 * (docs/epochs.md).
 *
 * @param epoch counted per group from 1
 * @param holders the number of the node at each slot, all different
 * @param fresh ascending slots whose holders took them in this epoch or an earlier one and have not confirmed any
 *     since; all of them unconfirmed
 * @param unconfirmed ascending slots whose holders have not confirmed this epoch
 * @param next the announced change; null if there is none
 * @param lowersTo the faults of the next policy, for which versions must be complete in this epoch; 0 if it is not to be
 *     lowered
 */
public record PlacementGroup(
        long epoch,
        List<Integer> holders,
        List<Integer> fresh,
        List<Integer> unconfirmed,
        @Nullable Change next,
        int lowersTo) {

    /**
     * Announced holder of a slot from the next epoch on.
     *
     * @param node another node, or the present holder if the change was aborted
     * @param sealed slots whose holders have said that they refuse this epoch, ascending
     */
    public record Change(int slot, int node, List<Integer> sealed) {
        public Change {
            sealed = List.copyOf(sealed);
        }
    }

    public PlacementGroup {
        holders = List.copyOf(holders);
        fresh = List.copyOf(fresh);
        unconfirmed = List.copyOf(unconfirmed);
        boolean right = epoch >= 1
                && lowersTo >= 0
                && new HashSet<>(holders).size() == holders.size()
                && areSlots(unconfirmed, holders)
                && areSlots(fresh, holders)
                && unconfirmed.containsAll(fresh);
        if (right && next != null) {
            int at = holders.indexOf(next.node);
            right = next.node >= 0
                    && next.slot >= 0
                    && next.slot < holders.size()
                    && (at < 0 || at == next.slot)
                    && areSlots(next.sealed, holders);
        }
        if (!right) {
            throw new IllegalArgumentException("epoch " + epoch + ", holders " + holders + ", fresh " + fresh
                    + ", unconfirmed " + unconfirmed + ", next " + next + ", lowers to " + lowersTo);
        }
    }

    /** One whose policy is not to be lowered. */
    public PlacementGroup(
            long epoch, List<Integer> holders, List<Integer> fresh, List<Integer> unconfirmed, @Nullable Change next) {
        this(epoch, holders, fresh, unconfirmed, next, 0);
    }

    /** One whose holders have all confirmed, and that nobody changes. */
    public PlacementGroup(long epoch, List<Integer> holders) {
        this(epoch, holders, List.of(), List.of(), null);
    }

    /** The change that is announced. */
    public Optional<Change> change() {
        return Optional.ofNullable(next);
    }

    /** The slot that a node holds, or -1. */
    public int slotOf(int node) {
        return holders.indexOf(node);
    }

    /** The slot that this principal holds as a node, or -1. */
    public int slotOf(PrincipalId principal) {
        return principal.kind() == PrincipalKind.NODE ? slotOf(principal.number()) : -1;
    }

    /** Returns whether this node holds a slot without necessarily having the data stored there before. */
    public boolean isFresh(int node) {
        return fresh.contains(slotOf(node));
    }

    /** Announces that a node is to hold a slot, or gives an announced change up in favour of its holder. */
    public PlacementGroup announced(int slot, int node) {
        return with(new Change(slot, node, next == null ? List.of() : next.sealed));
    }

    /** The holder of a slot refuses this epoch from now on. */
    public PlacementGroup sealed(int slot) {
        Change change = change().orElseThrow();
        return with(new Change(change.slot, change.node, with(change.sealed, slot)));
    }

    private PlacementGroup with(Change change) {
        return new PlacementGroup(epoch, holders, fresh, unconfirmed, change, lowersTo);
    }

    /** The next epoch: nobody has confirmed it. */
    public PlacementGroup opened() {
        return opened(0);
    }

    /** The next epoch, in which versions must be complete for fewer faults than the policy has. */
    public PlacementGroup opened(int lowered) {
        Change change = change().orElseThrow();
        List<Integer> later = new ArrayList<>(holders);
        boolean same = later.set(change.slot, change.node) == change.node;
        List<Integer> all = new ArrayList<>();
        for (int slot = 0; slot < later.size(); slot++) {
            all.add(slot);
        }
        return new PlacementGroup(epoch + 1, later, same ? fresh : with(fresh, change.slot), all, null, lowered);
    }

    /** The holder of a slot has all that it is to have. */
    public PlacementGroup confirmed(int slot) {
        return new PlacementGroup(epoch, holders, without(fresh, slot), without(unconfirmed, slot), next, lowersTo);
    }

    public void write(WireWriter out) {
        out.i64(epoch).u8(holders.size());
        holders.forEach(out::i32);
        writeSlots(fresh, out);
        writeSlots(unconfirmed, out);
        out.bool(next != null);
        if (next != null) {
            writeSlots(next.sealed, out.u8(next.slot).i32(next.node));
        }
        out.u8(lowersTo);
    }

    public static PlacementGroup read(WireReader in) {
        long epoch = in.nonNegative64();
        Integer[] holders = new Integer[in.u8()];
        for (int i = 0; i < holders.length; i++) {
            holders[i] = in.i32(0, Integer.MAX_VALUE);
        }
        try {
            List<Integer> fresh = readSlots(in);
            List<Integer> unconfirmed = readSlots(in);
            Change next = in.bool() ? new Change(in.u8(), in.i32(0, Integer.MAX_VALUE), readSlots(in)) : null;
            return new PlacementGroup(epoch, List.of(holders), fresh, unconfirmed, next, in.u8());
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        }
    }

    private static boolean areSlots(List<Integer> slots, List<Integer> holders) {
        int before = -1;
        for (int slot : slots) {
            if (slot <= before || slot >= holders.size()) {
                return false;
            }
            before = slot;
        }
        return true;
    }

    private static List<Integer> with(List<Integer> slots, int slot) {
        TreeSet<Integer> more = new TreeSet<>(slots);
        more.add(slot);
        return List.copyOf(more);
    }

    private static List<Integer> without(List<Integer> slots, int slot) {
        return slots.stream().filter(each -> each != slot).toList();
    }

    private static void writeSlots(List<Integer> slots, WireWriter out) {
        out.u8(slots.size());
        slots.forEach(out::u8);
    }

    private static List<Integer> readSlots(WireReader in) {
        Integer[] slots = new Integer[in.u8()];
        for (int i = 0; i < slots.length; i++) {
            slots[i] = in.u8();
        }
        return List.of(slots);
    }
}
