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
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * All possible versions of this node (3.3): those that it holds and that are neither verified nor collected. Charged to their
 * senders and to the history pool, and found again after a restart: each has a small record of its own beside the version.
 */
final class PossibleVersions {
    private static final int PAGE = 1_024;
    private static final int PAGE_MAX = 1 << 20;

    /** A possible version. */
    private record Charge(PrincipalId sender, int bytes) {}

    private record Account(PrincipalId sender, BlockId block) {}

    private record Ranked(int versions, BlockId block) {}

    private final Map<BlockId, Map<VersionName, Charge>> blocks = new HashMap<>();
    /** The high-write-count table (section 4): most versions first. */
    private final NavigableSet<Ranked> ranking = new TreeSet<>(Comparator.comparingInt(Ranked::versions)
            .thenComparing(Ranked::block)
            .reversed());

    private final Map<PrincipalId, Integer> ofSender = new HashMap<>();
    private final Map<PrincipalId, Long> bytesOfSender = new HashMap<>();
    private final Map<Account, Integer> ofAccount = new HashMap<>();
    private final Tally tally;
    private long bytes;

    PossibleVersions(Tally tally) {
        this.tally = tally;
    }

    /** Reads what a former life left; to be done before anything is written. */
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
            Charge charge = new Charge(PrincipalId.read(meta), meta.i32(0, PasisCodec.FRAGMENT_BYTES_MAX));
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

    /** From the moment that the store is begun. */
    void charge(BlockId block, VersionName name, PrincipalId sender, int fragmentBytes) {
        charge(block, name, new Charge(sender, fragmentBytes));
    }

    private void charge(BlockId block, VersionName name, Charge charge) {
        Map<VersionName, Charge> of = blocks.computeIfAbsent(block, _ -> new HashMap<>());
        if (of.putIfAbsent(name, charge) == null) {
            rank(block, of.size() - 1, of.size());
            ofSender.merge(charge.sender(), 1, Integer::sum);
            bytesOfSender.merge(charge.sender(), (long) charge.bytes(), Long::sum);
            ofAccount.merge(new Account(charge.sender(), block), 1, Integer::sum);
            bytes += charge.bytes();
            tally.possible(block, 1, charge.bytes());
        }
    }

    void release(BlockId block, VersionName name) {
        Map<VersionName, Charge> of = blocks.get(block);
        Charge charge = of == null ? null : of.remove(name);
        if (of == null || charge == null) {
            return;
        }
        rank(block, of.size() + 1, of.size());
        bytesOfSender.computeIfPresent(
                charge.sender(), (_, known) -> known == charge.bytes() ? null : known - charge.bytes());
        if (of.isEmpty()) {
            blocks.remove(block);
        }
        ofSender.merge(charge.sender(), -1, PossibleVersions::orNothing);
        ofAccount.merge(new Account(charge.sender(), block), -1, PossibleVersions::orNothing);
        bytes -= charge.bytes();
        tally.possible(block, -1, -charge.bytes());
    }

    private void rank(BlockId block, int before, int after) {
        ranking.remove(new Ranked(before, block));
        if (after > 0) {
            ranking.add(new Ranked(after, block));
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
        return ofAccount.getOrDefault(new Account(sender, block), 0);
    }

    List<BlockId> blocksOf(PrincipalId sender) {
        return of(sender) == 0
                ? List.of()
                : ofAccount.keySet().stream()
                        .filter(account -> account.sender().equals(sender))
                        .map(Account::block)
                        .toList();
    }

    int of(BlockId block) {
        return blocks.getOrDefault(block, Map.of()).size();
    }

    long bytes() {
        return bytes;
    }

    Iterable<BlockId> all() {
        return List.copyOf(blocks.keySet());
    }

    /** Of these blocks the one with the most possible versions. */
    Optional<BlockId> most(Predicate<BlockId> which) {
        return ranking.stream().map(Ranked::block).filter(which).findFirst();
    }

    /** Of the blocks with possible versions of this sender the one with the most of them. */
    Optional<BlockId> mostOf(PrincipalId sender, Predicate<BlockId> which) {
        return ofAccount.entrySet().stream()
                .filter(entry -> entry.getKey().sender().equals(sender)
                        && which.test(entry.getKey().block()))
                .max(Map.Entry.<Account, Integer>comparingByValue()
                        .thenComparing(entry -> entry.getKey().block()))
                .map(entry -> entry.getKey().block());
    }
}
