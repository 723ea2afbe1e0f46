package io.bulwark.simulation.object;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.extent.ExtentCoding;
import io.bulwark.protocol.extent.ExtentCoding.DecodeResult;
import io.bulwark.protocol.extent.StoredExtent;
import io.bulwark.protocol.fingerprint.Checksum;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.object.ObjectLayout;
import io.bulwark.protocol.object.PinLists;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.campaign.Invariant;
import io.bulwark.simulation.engine.SimulatedRecords;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/** Check that disks hold the fragments of correct writers' objects, with the right slot, version and hash. */
final class ReferencedExtents {
    /** Each correct node has its fragment of every complete extent once completion has caught up. */
    static final Invariant COMPLETED = new Invariant("completed", "docs/protocols/extents.md, completion and repair");

    /** All correct nodes keep a fragment of referenced content, except for f less the nodes that may lack it. */
    static final Invariant KEPT = new Invariant("kept", "docs/epochs.md: confirmed slots");

    private final Set<PrincipalId> faulty;
    private final int firstFaultyClient;
    private final Function<PrincipalId, SimulatedRecords> disks;
    /** Lists that were read before, by their pins. */
    private final Map<Bytes, Bytes> lists = new HashMap<>();

    private record PinnedExtent(BlockId block, Bytes pin) {}

    /** @param disks those of the nodes */
    ReferencedExtents(Set<PrincipalId> faulty, int firstFaultyClient, Function<PrincipalId, SimulatedRecords> disks) {
        this.faulty = faulty;
        this.firstFaultyClient = firstFaultyClient;
        this.disks = disks;
    }

    /**
     * Checks that enough whole slots keep each extent to tolerate f faulty ones. The lying slots, and those whose new
     * holders have not confirmed, are known and count among the f.
     */
    void checkKept(Volume now, List<Reply.Reference> references) {
        for (PinnedExtent extent : extents(now, references)) {
            PlacementGroup group = now.group(extent.block);
            int bad = 0;
            int kept = 0;
            for (int slot = 0; slot < group.holders().size(); slot++) {
                int holder = group.holders().get(slot);
                if (faulty.contains(PrincipalId.node(holder)) || group.isFresh(holder)) {
                    bad++;
                } else if (share(now, extent, slot).isPresent()) {
                    kept++;
                }
            }
            ProtectionPolicy policy = now.policyOf(extent.block);
            int needed = policy.protocol().isVersioned() ? policy.writeQuorum() : policy.readHolders();
            if (kept + bad < needed) {
                throw KEPT.violation(
                        extent.block.toString(),
                        "only " + kept + " whole slots keep it, and " + bad + " may lie or be without it: " + group);
            }
        }
    }

    /** Returns a fragment that completion has not made yet; empty if none is missing. */
    String missing(Volume now, List<Reply.Reference> references) {
        for (PinnedExtent extent : extents(now, references)) {
            List<Integer> holders = now.group(extent.block).holders();
            for (int slot = 0; slot < holders.size(); slot++) {
                PrincipalId node = PrincipalId.node(holders.get(slot));
                if (!faulty.contains(node) && share(now, extent, slot).isEmpty()) {
                    return node + " lacks " + extent.block;
                }
            }
        }
        return "";
    }

    /** Correct nodes keep enough of an extent that a reader has got. */
    void requireReadable(Volume now, BlockId block, Bytes pin) {
        int kept = 0;
        for (int slot = 0; slot < now.policyOf(block).n(); slot++) {
            PrincipalId holder = PrincipalId.node(now.group(block).holders().get(slot));
            boolean keeps = share(now, new PinnedExtent(block, pin), slot).isPresent();
            kept += keeps && !faulty.contains(holder) ? 1 : 0;
        }
        if (kept < now.policyOf(block).m()) {
            throw ObjectInvariants.STAYS_READABLE.violation(
                    block.toString(), "was read, and only " + kept + " correct nodes keep it");
        }
    }

    private List<PinnedExtent> extents(Volume now, List<Reply.Reference> references) {
        List<PinnedExtent> extents = new ArrayList<>();
        for (Reply.Reference reference : references) {
            reference
                    .layout()
                    .filter(layout -> layout.ranges().stream()
                            .allMatch(range -> range.owner().number() < firstFaultyClient))
                    .ifPresent(layout -> addExtents(now, layout, extents));
        }
        return extents;
    }

    private void addExtents(Volume now, ObjectLayout layout, List<PinnedExtent> extents) {
        PinLists read = new PinLists(layout);
        for (long extent = layout.extents() - 1; extent >= 0; extent--) {
            for (OptionalLong next = read.missing(extent); next.isPresent(); next = read.missing(extent)) {
                long list = next.getAsLong();
                PinnedExtent pinned =
                        new PinnedExtent(layout.block(list), read.pin(list).orElseThrow());
                Bytes content = lists.computeIfAbsent(pinned.pin, _ -> content(now, pinned));
                read.loaded(list, content.slice(0, layout.lengthOf(list)));
            }
            extents.add(new PinnedExtent(layout.block(extent), read.pin(extent).orElseThrow()));
        }
    }

    /** Returns the content decoded from the fragments of an extent on correct nodes' disks. */
    private Bytes content(Volume now, PinnedExtent extent) {
        Map<Integer, Bytes> fragments = new TreeMap<>();
        Checksum checksum = null;
        for (int slot = 0; slot < now.policyOf(extent.block).n(); slot++) {
            Optional<StoredExtent> stored = share(now, extent, slot);
            boolean lies = faulty.contains(
                    PrincipalId.node(now.group(extent.block).holders().get(slot)));
            if (stored.isPresent() && !lies) {
                checksum = stored.get().checksum();
                fragments.put(slot, stored.get().fragment());
            }
        }
        DecodeResult decoded = checksum == null
                ? new DecodeResult.None()
                : ExtentCoding.of(now.policyOf(extent.block)).decode(checksum, fragments, false);
        if (decoded instanceof DecodeResult.Block(Bytes content)) {
            return content;
        }
        throw KEPT.violation(extent.block.toString(), "correct nodes keep too little of a list: " + fragments.keySet());
    }

    /** The fragment of this slot and version on the disk of the slot's holder, if it is there and good. */
    private Optional<StoredExtent> share(Volume now, PinnedExtent extent, int slot) {
        PrincipalId holder = PrincipalId.node(now.group(extent.block).holders().get(slot));
        SimulatedRecords.Content record = disks.apply(holder).get(RecordKey.of(RecordKind.EXTENT, extent.block));
        return record == null || record.fragment() == null
                ? Optional.empty()
                : StoredExtent.read(extent.block, record.meta(), record.fragment())
                        .filter(stored -> stored.slot() == slot
                                && stored.checksum().pin().equals(extent.pin)
                                && ExtentCoding.of(now.policyOf(extent.block))
                                        .isFragmentOf(stored.checksum(), slot, stored.fragment()));
    }
}
