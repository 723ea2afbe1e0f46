package io.bulwark.simulation.object;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.MetadataStateMachine;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.campaign.Invariant;
import io.bulwark.simulation.engine.SimulatedRecords;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

/** Invariants of objects and of their extents. */
final class ObjectInvariants {
    /** A client that finds a correct writer's object gets all its bytes, unless it was deleted meanwhile. */
    static final Invariant WHOLE_OR_ABSENT =
            new Invariant("whole-or-absent", "docs/protocols/extents.md, the inode is the commit");

    /** All who get anything of a faulty writer's object get the same. */
    static final Invariant SAME_BYTES = new Invariant("same-bytes", "docs/protocols/extents.md, a pinned read");

    /**
     * Every version that was acknowledged or read once can be read with any f nodes and f replicas gone, whoever wrote
     * it.
     */
    static final Invariant STAYS_READABLE = new Invariant(
            "stays-readable",
            "docs/protocols/extents.md, writes and reads are done at m+f slots, which share m with any n-f");

    /** No inode gets what is not its submitter's. */
    static final Invariant OWN_RANGES_ONLY =
            new Invariant("own-ranges-only", "docs/protocols/extents.md, the ranges belong to the submitter");

    /** No node learns that an extent is freed if an inode names it, then or later. */
    static final Invariant NEVER_FREED_WHILE_NAMED =
            new Invariant("never-freed-while-named", "docs/protocols/extents.md, freeing");

    /** Once all is quiet, each correct node keeps exactly the referenced extents. */
    static final Invariant STORAGE_RETURNS = new Invariant("storage-returns", "docs/protocols/extents.md, freeing");

    /** A client that has some names for itself finds there what it put. */
    static final Invariant OWN_NAMES = new Invariant("own-names", "docs/protocols/metadata.md, deterministic replies");

    /** A version goes only when its lock has ended by the time that replicas agree on. */
    static final Invariant LOCKED_STAYS =
            new Invariant("locked-stays", "docs/decisions/0027-null-versions-and-locks.md, agreed time");

    /** A client without running reads holds no room for read-ahead. */
    static final Invariant ROOM_RETURNS = new Invariant("room-returns", "docs/protocols/extents.md, a pinned read");

    private final Supplier<MetadataStateMachine> latest;
    private final Map<Long, Bytes> ofFaulty = new HashMap<>();
    private final List<BlockRange> freed = new ArrayList<>();
    private final Map<String, Fact.ClosedWith> closed = new HashMap<>();

    /** @param latest the most advanced state of a correct replica */
    ObjectInvariants(Supplier<MetadataStateMachine> latest) {
        this.latest = latest;
    }

    /** Records that somebody got all the bytes of this inode of a faulty writer. */
    void recordFaultyRead(long inode, Bytes content) {
        Bytes before = ofFaulty.putIfAbsent(inode, content);
        if (before != null && !before.equals(content)) {
            throw SAME_BYTES.violation("inode " + inode, "two readers got different bytes");
        }
    }

    /** Returns whether a client has read all of it. */
    boolean isGot(long inode) {
        return ofFaulty.containsKey(inode);
    }

    /** A correct node's servers are told this. */
    void told(int volume, Fact fact) {
        switch (fact) {
            case Fact.Freed(BlockRange range) -> {
                freed.add(range);
                references(volume).forEach(named -> requireNotFreed(named, range));
            }
            case Fact.ClosedWith with -> {
                closed.put(with.volume() + " " + with.owner() + "." + with.session(), with);
                references(volume).forEach(named -> requireStillNamed(named, with));
            }
            case Fact.OfSession _,
                    Fact.OfGrant _,
                    Fact.OfVolume _,
                    Fact.OfPin _,
                    Fact.Pending _,
                    Fact.Collapsed _,
                    Fact.Revoked _ -> {}
        }
    }

    /** All that was ever told against all that is named now. */
    void checkFreed(int volume) {
        for (BlockRange named : references(volume)) {
            freed.forEach(range -> requireNotFreed(named, range));
            closed.values().forEach(with -> requireStillNamed(named, with));
        }
    }

    private static void requireNotFreed(BlockRange named, BlockRange range) {
        boolean overlap = named.volume() == range.volume()
                && named.owner().equals(range.owner())
                && named.session() == range.session()
                && named.first() < range.first() + range.count()
                && range.first() < named.first() + named.count();
        if (overlap) {
            throw NEVER_FREED_WHILE_NAMED.violation(
                    named.at(0).toString(), "freed are " + range + ", an inode names " + named);
        }
    }

    private static void requireStillNamed(BlockRange named, Fact.ClosedWith with) {
        if (named.volume() != with.volume()
                || named.session() != with.session()
                || !named.owner().equals(with.owner())) {
            return;
        }
        for (long index = 0; index < named.count(); index++) {
            BlockId block = named.at(index);
            if (with.referenced().stream().noneMatch(range -> range.contains(block))) {
                throw NEVER_FREED_WHILE_NAMED.violation(
                        block.toString(), "closed with " + with.referenced() + ", an inode names " + named);
            }
        }
    }

    /** Returns the ranges that inodes and pending uploads name. */
    List<BlockRange> references(int volume) {
        List<BlockRange> ranges = new ArrayList<>();
        for (Reply.Reference reference : inodes(volume)) {
            ranges.addAll(reference.pendingRanges());
            reference.layout().ifPresent(layout -> ranges.addAll(layout.ranges()));
        }
        return ranges;
    }

    List<Reply.Reference> inodes(int volume) {
        List<Reply.Reference> all = new ArrayList<>();
        long after = 0;
        while (true) {
            Bytes asked = new Query.References(volume, after, Query.PAGE_MAX).encoded();
            if (!(Reply.decode(latest.get().query(PrincipalId.node(0), asked)) instanceof Reply.References page)) {
                throw new IllegalStateException("no references");
            }
            all.addAll(page.references());
            if (!page.more()) {
                return all;
            }
            after = page.next();
        }
    }

    /** This client reads nothing now. */
    static void checkRoom(ObjectClient client) {
        int taken = client.habits().takenBytes();
        if (taken != 0) {
            throw ROOM_RETURNS.violation(client.self().toString(), taken + " bytes are still taken");
        }
    }

    /** Extents that a node keeps though nothing names them; empty if there are none. */
    String leftOver(PrincipalId node, int volume, SimulatedRecords records) {
        Set<BlockId> named = new HashSet<>();
        for (BlockRange range : references(volume)) {
            for (long index = 0; index < range.count(); index++) {
                named.add(range.at(index));
            }
        }
        Set<BlockId> left = new TreeSet<>();
        records.keys().stream()
                .filter(key -> key.kind() == RecordKind.EXTENT && !named.contains(key.block()))
                .forEach(key -> left.add(key.block()));
        return left.isEmpty() ? "" : node + " keeps " + left;
    }
}
