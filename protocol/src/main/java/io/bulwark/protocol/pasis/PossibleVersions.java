package io.bulwark.protocol.pasis;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.Outbox;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * All possible versions of this node (3.3): those that it holds and that are neither verified nor collected. Charged to their
 * senders, or the peers for which they were made, and to the history pool, and found again after a restart: each has a small record of its
 * own beside the version.
 */
final class PossibleVersions {
    private static final int PAGE = 1_024;
    private static final int PAGE_MAX = 1 << 20;

    /** A possible version. */
    private record VersionCharge(PrincipalId sender, int fragmentBytes) {
        long bytes() {
            return PasisLimits.charge(fragmentBytes);
        }
    }

    private record SenderBlock(PrincipalId sender, BlockId block) implements Comparable<SenderBlock> {
        private static final Comparator<SenderBlock> ORDER =
                Comparator.comparing(SenderBlock::sender).thenComparing(SenderBlock::block);

        @Override
        public int compareTo(SenderBlock other) {
            return ORDER.compare(this, other);
        }
    }

    /** A block with so many possible versions. */
    record RankedBlock(int versions, BlockId block) {}

    /** The high-write-count table (section 4): most versions first. */
    private static final class Ranking {
        private final NavigableSet<RankedBlock> blocks = new TreeSet<>(Comparator.comparingInt(RankedBlock::versions)
                .thenComparing(RankedBlock::block)
                .reversed());

        private void move(BlockId block, int before, int after) {
            blocks.remove(new RankedBlock(before, block));
            if (after > 0) {
                blocks.add(new RankedBlock(after, block));
            }
        }
    }

    private final NavigableMap<BlockId, Map<VersionName, VersionCharge>> blocks = new TreeMap<>();
    private final Ranking ranking = new Ranking();
    private final Map<PrincipalId, Ranking> rankingOfSender = new HashMap<>();
    private final Map<PrincipalId, Integer> ofSender = new HashMap<>();
    private final Map<PrincipalId, Long> bytesOfSender = new HashMap<>();
    private final Map<SenderBlock, Integer> ofAccount = new HashMap<>();
    private final VolumeCounters tally;
    private long bytes;

    PossibleVersions(VolumeCounters tally) {
        this.tally = tally;
    }

    /** Reads the possible versions on disk after a start; call it before any write. */
    void load(Outbox out, LongConsumer then) {
        loadFrom(out, first(), PAGE, then);
    }

    private static BlockId first() {
        return BlockId.register(0, 0);
    }

    private static BlockId last() {
        return new BlockId(Integer.MAX_VALUE, PrincipalId.client(Integer.MAX_VALUE), Long.MAX_VALUE, Long.MAX_VALUE);
    }

    private void loadFrom(Outbox out, BlockId from, int max, LongConsumer then) {
        out.load(token -> new Effect.Scan(token, RecordKind.PASIS_POSSIBLE, from, last(), max), (now, loaded) -> {
            List<Loaded.Meta> records = loaded instanceof Loaded.Metas metas ? metas.records() : List.of();
            records.forEach(this::restore);
            if (records.size() < max) {
                then.accept(now);
                return;
            }
            // The last block's records may go on: they are read once more.
            BlockId next = records.getLast().key().block();
            loadFrom(out, next, next.equals(from) ? Math.min(2 * max, PAGE_MAX) : PAGE, then);
        });
    }

    private void restore(Loaded.Meta record) {
        BlockId block = record.key().block();
        try {
            WireReader suffix = new WireReader(record.key().suffix());
            VersionName name = VersionName.read(suffix);
            suffix.end();
            WireReader meta = new WireReader(record.meta());
            VersionCharge charge =
                    new VersionCharge(PrincipalId.read(meta), meta.i32(0, PasisCodec.FRAGMENT_BYTES_MAX));
            meta.end();
            charge(block, name, charge);
        } catch (MalformedException e) {
            // Not written by this code: nobody is charged for it.
        }
    }

    static Mutation put(BlockId block, VersionName name, PrincipalId sender, int bytes) {
        WireWriter meta = new WireWriter(16);
        sender.write(meta);
        return new Mutation.Put(key(block, name), meta.i32(bytes).toBytes(), Bytes.EMPTY);
    }

    static Mutation delete(BlockId block, VersionName name) {
        return new Mutation.Delete(key(block, name));
    }

    private static RecordKey key(BlockId block, VersionName name) {
        return new RecordKey(RecordKind.PASIS_POSSIBLE, block, name.encoded());
    }

    /** Charges the sender from the moment that the store is begun. */
    void charge(BlockId block, VersionName name, PrincipalId sender, int fragmentBytes) {
        charge(block, name, new VersionCharge(sender, fragmentBytes));
    }

    private void charge(BlockId block, VersionName name, VersionCharge charge) {
        Map<VersionName, VersionCharge> of = blocks.computeIfAbsent(block, ignored -> new HashMap<>());
        if (of.putIfAbsent(name, charge) == null) {
            ofSender.merge(charge.sender(), 1, Integer::sum);
            bytesOfSender.merge(charge.sender(), charge.bytes(), Long::sum);
            int own = of(charge.sender(), block);
            ofAccount.put(new SenderBlock(charge.sender(), block), own + 1);
            rank(block, charge.sender(), of.size() - 1, own, 1);
            bytes += charge.bytes();
            tally.possible(block, 1, charge.bytes());
        }
    }

    void release(BlockId block, VersionName name) {
        Map<VersionName, VersionCharge> of = blocks.get(block);
        VersionCharge charge = of == null ? null : of.remove(name);
        if (of == null || charge == null) {
            return;
        }
        rank(block, charge.sender(), of.size() + 1, of(charge.sender(), block), -1);
        bytesOfSender.computeIfPresent(
                charge.sender(), (ignored, known) -> known == charge.bytes() ? null : known - charge.bytes());
        if (of.isEmpty()) {
            blocks.remove(block);
        }
        ofSender.merge(charge.sender(), -1, PossibleVersions::orNothing);
        ofAccount.merge(new SenderBlock(charge.sender(), block), -1, PossibleVersions::orNothing);
        bytes -= charge.bytes();
        tally.possible(block, -1, -charge.bytes());
    }

    private void rank(BlockId block, PrincipalId sender, int before, int ofSenderBefore, int more) {
        ranking.move(block, before, before + more);
        Ranking own = rankingOfSender.computeIfAbsent(sender, ignored -> new Ranking());
        own.move(block, ofSenderBefore, ofSenderBefore + more);
        if (own.blocks.isEmpty()) {
            rankingOfSender.remove(sender);
        }
    }

    /** The record of such a version was deleted, as its volume was. */
    void release(RecordKey deleted) {
        try {
            WireReader suffix = new WireReader(deleted.suffix());
            release(deleted.block(), VersionName.read(suffix));
        } catch (MalformedException e) {
            // Nobody was charged for it.
        }
    }

    private static @Nullable Integer orNothing(Integer a, Integer b) {
        return a + b == 0 ? null : Integer.valueOf(a + b);
    }

    int of(PrincipalId sender) {
        return ofSender.getOrDefault(sender, 0);
    }

    long bytesOf(PrincipalId sender) {
        return bytesOfSender.getOrDefault(sender, 0L);
    }

    int of(PrincipalId sender, BlockId block) {
        return ofAccount.getOrDefault(new SenderBlock(sender, block), 0);
    }

    List<BlockId> blocksOf(PrincipalId sender) {
        Ranking own = rankingOfSender.get(sender);
        return own == null
                ? List.of()
                : own.blocks.stream().map(RankedBlock::block).toList();
    }

    int of(BlockId block) {
        return blocks.getOrDefault(block, Map.of()).size();
    }

    long bytes() {
        return bytes;
    }

    /** Returns at most so many blocks, by rising id, from one on. */
    List<BlockId> from(BlockId first, int max) {
        return blocks.tailMap(first, true).keySet().stream().limit(max).toList();
    }

    /** The volumes of all of them. */
    Set<Integer> volumes() {
        Set<Integer> volumes = new TreeSet<>();
        for (BlockId next = blocks.isEmpty() ? null : blocks.firstKey(); next != null; ) {
            volumes.add(next.volume());
            next = next.volume() == Integer.MAX_VALUE
                    ? null
                    : blocks.ceilingKey(BlockId.register(next.volume() + 1, 0));
        }
        return volumes;
    }

    /**
     * The blocks with possible versions, those with most first; with a sender, its own versions count alone.
     *
     * @param after where to begin; null for the first
     */
    Iterator<RankedBlock> most(@Nullable PrincipalId sender, @Nullable RankedBlock after) {
        Ranking of = sender == null ? ranking : rankingOfSender.get(sender);
        if (of == null) {
            return Collections.emptyIterator();
        }
        return after == null
                ? of.blocks.iterator()
                : of.blocks.tailSet(after, false).iterator();
    }
}
