package io.bulwark.simulation.extent;

import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.extent.ExtentLimits;
import io.bulwark.protocol.extent.ExtentMessage;
import io.bulwark.protocol.extent.ReadOutcome;
import io.bulwark.protocol.fingerprint.Checksum;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.campaign.Invariant;
import io.bulwark.simulation.campaign.InvariantViolation;
import io.bulwark.simulation.engine.SimulatedRecords;
import io.bulwark.simulation.engine.Simulation;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Invariants of extents, judged by an observer that sees everything. */
final class ExtentInvariants {
    static final Invariant RIGHT_OR_REFUSED =
            new Invariant("right-or-refused", "docs/protocols/extents.md, a pinned read; thesis theorem 2.2.4");
    static final Invariant SAME_TO_ALL =
            new Invariant("same-to-all-readers", "docs/protocols/extents.md: one pin, one content; theorem 2.2.4");
    static final Invariant STAYS_READABLE = new Invariant(
            "stays-readable", "docs/protocols/extents.md: writes and reads end with m good fragments beyond f");
    static final Invariant ONE_CONTENT_PER_ID = new Invariant(
            "one-content-per-id", "docs/protocols/extents.md: two sets of m+f share m slots, hence a correct node");
    static final Invariant FREED_STAYS_FREED = new Invariant("freed-stays-freed", "docs/protocols/extents.md, freeing");
    static final Invariant NEVER_REFUSED =
            new Invariant("never-refused", "docs/protocols/extents.md: the writer waits for no faulty node");
    static final Invariant NEVER_ACCUSED = new Invariant("never-accused", "docs/protocols/access.md, verdicts");
    static final Invariant BOUNDED =
            new Invariant("bounded", "docs/protocols/extents.md: a node bounds each client's unreferenced bytes");

    private record PinnedExtent(BlockId block, Bytes pin) {}

    private record NodeOwner(PrincipalId node, PrincipalId owner) {}

    private final Simulation simulation;
    private final ExtentVolume volume;
    private final Set<PrincipalId> faulty;
    private final Set<PrincipalId> attackers = new HashSet<>();
    private final ExtentLimits limits;
    private final Map<PinnedExtent, Bytes> read = new HashMap<>();
    private final Map<Bytes, Checksum> named = new HashMap<>();
    private final Map<BlockId, Bytes> complete = new HashMap<>();
    private final Set<BlockId> referenced = new HashSet<>();
    private final Set<BlockId> dropped = new HashSet<>();
    private int sightingsSeen;
    private int checks;

    ExtentInvariants(Simulation simulation, ExtentVolume volume, Set<PrincipalId> faulty, ExtentLimits limits) {
        this.simulation = simulation;
        this.volume = volume;
        this.faulty = faulty;
        this.limits = limits;
        simulation.observe((_, _, _, message) -> {
            switch (message) {
                case ExtentMessage.Store store ->
                    named.putIfAbsent(store.checksum().pin(), store.checksum());
                case ExtentMessage.StoreBlock store ->
                    named.putIfAbsent(store.checksum().pin(), store.checksum());
                default -> {}
            }
        });
    }

    /**
     * A client, correct or not, that follows the protocol has been told that its extent is complete. Once an inode has named a
     * pin, nodes drop any other content for it.
     */
    void complete(BlockId block, Bytes pin) {
        if (referenced.contains(block)) {
            return;
        }
        Bytes before = complete.putIfAbsent(block, pin);
        if (before != null && !before.equals(pin)) {
            throw ONE_CONTENT_PER_ID.violation(block.toString(), "complete as " + before + " and as " + pin);
        }
    }

    /** This client does not follow the protocol. */
    void attacks(PrincipalId client) {
        attackers.add(client);
    }

    void referenced(BlockId block) {
        referenced.add(block);
    }

    /** Records that an inode names the block with an arbitrary pin: its nodes may drop their fragments. */
    void referencedAnyhow(BlockId block) {
        referenced(block);
        dropped.add(block);
    }

    /** Returns whether a client has read it. Under FP every client can then read it for ever. */
    boolean wasRead(BlockId block, Bytes pin) {
        return volume.policy().checksFragments()
                && read.containsKey(new PinnedExtent(block, pin))
                && !dropped.contains(block);
    }

    /** @param meant what its correct writer wrote, padded; empty if the writer is faulty */
    void whole(BlockId block, Bytes pin, Bytes meant, Bytes content) {
        if (!meant.isEmpty() && !meant.equals(content)) {
            throw RIGHT_OR_REFUSED.violation(block.toString(), "read " + content + " where " + meant + " was written");
        }
        Bytes before = read.putIfAbsent(new PinnedExtent(block, pin), content);
        if (before != null && !before.equals(content)) {
            throw SAME_TO_ALL.violation(block.toString(), "read as " + before + " and as " + content);
        }
        Checksum checksum = named.get(pin);
        if (checksum == null || fitting(checksum, content) < volume.policy().m()) {
            throw RIGHT_OR_REFUSED.violation(
                    block.toString(), "fewer than m fragments of what was read are consistent with " + checksum);
        }
    }

    /** Returns how many fragments of a block match the checksum. */
    private int fitting(Checksum checksum, Bytes content) {
        List<Bytes> fragments = volume.coding().encode(content).fragments();
        int fitting = 0;
        for (int slot = 0; slot < fragments.size(); slot++) {
            fitting += volume.coding().isFragmentOf(checksum, slot, fragments.get(slot)) ? 1 : 0;
        }
        return fitting;
    }

    /** A read of something that a correct client had completed, or somebody had read, came to nothing. */
    static InvariantViolation missing(BlockId block, ReadOutcome outcome) {
        return STAYS_READABLE.violation(block.toString(), outcome.toString());
    }

    void check() {
        List<Simulation.Sighting> sightings = simulation.sightingsSince(sightingsSeen);
        sightingsSeen += sightings.size();
        for (Simulation.Sighting sighting : sightings) {
            Verdict verdict = sighting.evidence().verdict();
            boolean accuses =
                    verdict == Verdict.CORRUPT || verdict == Verdict.MISBEHAVED || verdict == Verdict.POISONOUS;
            PrincipalId about = sighting.evidence().about();
            if (accuses && !faulty.contains(about) && !attackers.contains(about)) {
                throw NEVER_ACCUSED.violation(sighting.evidence().block().toString(), sighting.toString());
            }
        }
        if (checks++ % 16 == 0) {
            checkBounds();
        }
    }

    private void checkBounds() {
        for (int number = 0; number < volume.volume().groups().size(); number++) {
            for (int holder : volume.volume().groups().get(number).holders()) {
                PrincipalId node = PrincipalId.node(holder);
                if (!faulty.contains(node)) {
                    checkBounds(node);
                }
            }
        }
    }

    private void checkBounds(PrincipalId node) {
        Map<NodeOwner, Long> kept = new HashMap<>();
        SimulatedRecords records = simulation.records(node);
        for (RecordKey key : records.keys()) {
            SimulatedRecords.Content content = records.get(key);
            Bytes fragment = content == null ? null : content.fragment();
            if (key.kind() == RecordKind.EXTENT && fragment != null && !referenced.contains(key.block())) {
                kept.merge(new NodeOwner(node, key.block().owner()), (long) fragment.length(), Long::sum);
            }
        }
        kept.forEach((account, bytes) -> {
            if (bytes > limits.unreferencedBytesMax()) {
                throw BOUNDED.violation(account.owner().toString(), bytes + " unreferenced bytes at " + account.node());
            }
        });
    }
}
