package io.bulwark.protocol.kernel;

import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.Outbox;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Deletion of a node's data of deleted register volumes, under FP and under PASIS, and of a server's data of volumes of
 * other protocols. It deletes one page at a time and no longer charges the data to anybody. Soon after a restart and
 * from time to time, the node asks the replicas for the volumes of which it holds data. It believes a deletion once it
 * has heard of it, asked again, and heard the same. Ids are never used twice, but an answer may be older than the
 * volume.
 */
public final class DeletedVolumes {
    private static final long FIRST_ROUND_MILLIS = 3_000;
    private static final long ROUND_MILLIS = 30_000;
    private static final long ASK_MILLIS = 1_000;
    /** Time after which an absence is confirmed; longer than an answer is cached for others that ask. */
    private static final long CONFIRM_MILLIS = 500;

    private static final long NEVER_ABSENT = -1;
    private static final int PAGE = 256;
    /** No volume has this id. */
    private static final long NONE = Long.MAX_VALUE;

    /** Duties of the server in a deletion. */
    public interface VolumeCleanup {
        /** The volume is deleted: nothing of it is served, and nothing stays in memory. */
        void forget(int volume);

        /** Returns whether a record of one of the kinds is the server's: others may have records of the same kind. */
        default boolean owns(Loaded.Meta record) {
            return true;
        }

        /** Returns the deletions for a record, the record included. */
        List<Mutation> with(Loaded.Meta record);

        /** The record is deleted, and what was deleted with it. */
        void deleted(long nowMillis, Loaded.Meta record);
    }

    private final Outbox out;
    private final List<RecordKind> kinds;
    private final long patienceMillis;
    private final VolumeCleanup left;
    /** The volumes that the replicas are asked for, and when they have first said that there is no such volume. */
    private final Map<Integer, Long> asked = new LinkedHashMap<>();

    /** Volumes of which a restart found data, until the node knows them. */
    private final Set<Integer> untold = new HashSet<>();

    private final Deque<Integer> deleted = new ArrayDeque<>();
    /** Volumes of which a whole sweep found nothing more; the remaining records belong to other servers. */
    private final Set<Integer> clean = new HashSet<>();

    private long askedMillis;
    private long roundMillis = -1;
    /** Volume from which the round is to go on; -1 between two. */
    private int nextVolume = -1;
    /** Token of the load or store in flight, 0 if there is none; an answer that never comes is given up. */
    private long pending;

    private long pendingMillis;
    private long lastPending;

    /**
     * Creates the deletion of one server.
     *
     * @param kinds the records by which volumes are found and that are deleted, in this order
     * @param patienceMillis timeout for an answer of the disk
     */
    public DeletedVolumes(Outbox out, List<RecordKind> kinds, long patienceMillis, VolumeCleanup left) {
        this.out = out;
        this.kinds = List.copyOf(kinds);
        this.patienceMillis = patienceMillis;
        this.left = left;
    }

    /** Volumes of which a restart found something. */
    public void found(Collection<Integer> volumes) {
        untold.addAll(volumes);
        volumes.forEach(this::suspect);
    }

    /** Something of the volume is here, and the volume is not known. */
    public void suspect(int volume) {
        if (asked.putIfAbsent(volume, NEVER_ABSENT) == null) {
            ask(volume);
        }
    }

    private void ask(int volume) {
        out.ask(new Question.OfVolume(volume, 0, 1));
    }

    public void onTick(long nowMillis) {
        if (pending != 0 && nowMillis - pendingMillis >= patienceMillis) {
            pending = 0;
        }
        if (roundMillis < 0) {
            roundMillis = nowMillis + FIRST_ROUND_MILLIS;
        } else if (nextVolume < 0 && nowMillis >= roundMillis) {
            nextVolume = 0;
        }
        if (nowMillis - askedMillis >= ASK_MILLIS) {
            askedMillis = nowMillis;
            asked.keySet().forEach(this::ask);
            if (asked.isEmpty() && deleted.isEmpty() && pending == 0 && nextVolume >= 0) {
                findNext(nowMillis, 0, NONE);
            }
        }
        sweep(nowMillis);
    }

    /**
     * Takes the replicas' answer about a volume.
     *
     * @return whether a restart found data of the volume, and it is known only now
     */
    public boolean told(long nowMillis, int volume, boolean known) {
        Long absentMillis = asked.get(volume);
        if (absentMillis == null) {
            return false;
        }
        if (known) {
            asked.remove(volume);
        } else if (absentMillis == NEVER_ABSENT) {
            asked.put(volume, nowMillis);
        } else if (askedMillis - absentMillis >= CONFIRM_MILLIS) {
            // This answers a question that was sent to the replicas after the first answer. A node has one such
            // question open at a time, and the first answer ended it before it arrived here, in order. A request made
            // while another question is open gets that one's answer, which is later than the first. The first answer
            // itself, or one cached with it, is never served for as long as we have waited.
            asked.remove(volume);
            untold.remove(volume);
            deleted.add(volume);
            left.forget(volume);
            sweep(nowMillis);
        }
        return known && untold.remove(volume);
    }

    /**
     * Finds the next volume with any record of these kinds here, unless the kinds before have a sooner one. Records in
     * memory may be deleted before they reach the disk, so the scan leaves them there; a later round finds them.
     */
    private void findNext(long nowMillis, int kind, long sooner) {
        long mine = begin(nowMillis);
        BlockId from = BlockId.register(nextVolume, 0);
        out.load(
                token -> new Effect.Scan(token, kinds.get(kind), from, last(Integer.MAX_VALUE), 1, true),
                (now, loaded) -> {
                    if (pending != mine) {
                        return;
                    }
                    pending = 0;
                    List<Loaded.Meta> first = records(loaded);
                    long next = first.isEmpty()
                            ? sooner
                            : Math.min(sooner, first.getFirst().key().block().volume());
                    if (kind + 1 < kinds.size()) {
                        findNext(now, kind + 1, next);
                    } else {
                        found(now, next);
                    }
                });
    }

    private void found(long nowMillis, long volume) {
        nextVolume = volume >= Integer.MAX_VALUE ? -1 : (int) volume + 1;
        roundMillis = nowMillis + ROUND_MILLIS;
        if (volume != NONE && !clean.contains((int) volume)) {
            suspect((int) volume);
        }
    }

    private void sweep(long nowMillis) {
        if (pending == 0 && !deleted.isEmpty()) {
            page(nowMillis, new SweepPosition(deleted.getFirst(), 0, BlockId.register(deleted.getFirst(), 0), true));
        }
    }

    /**
     * Progress of the sweep of a volume.
     *
     * @param clean whether it has met nothing that was the server's
     */
    private record SweepPosition(int volume, int kind, BlockId from, boolean clean) {
        SweepPosition nextKind() {
            return new SweepPosition(volume, kind + 1, BlockId.register(volume, 0), clean);
        }

        /** Returns the place behind a record of another server, which stays. */
        SweepPosition behind(BlockId block) {
            BlockId next = new BlockId(volume, block.owner(), block.session(), block.counter() + 1);
            return new SweepPosition(volume, kind, next, clean);
        }

        SweepPosition deleted() {
            return new SweepPosition(volume, kind, from, false);
        }
    }

    private void page(long nowMillis, SweepPosition place) {
        long mine = begin(nowMillis);
        out.load(
                token -> new Effect.Scan(token, kinds.get(place.kind()), place.from(), last(place.volume()), PAGE),
                (now, loaded) -> {
                    if (pending != mine) {
                        return;
                    }
                    List<Loaded.Meta> page = records(loaded);
                    List<Loaded.Meta> some = page.stream().filter(left::owns).toList();
                    SweepPosition next = page.isEmpty() || (page.size() < PAGE && some.isEmpty())
                            ? place.nextKind()
                            : page.size() == some.size()
                                    ? place
                                    : place.behind(page.getLast().key().block());
                    if (some.isEmpty()) {
                        proceed(now, next);
                    } else {
                        delete(now, next.deleted(), some);
                    }
                });
    }

    private void proceed(long nowMillis, SweepPosition place) {
        if (place.kind() < kinds.size()) {
            page(nowMillis, place);
        } else {
            if (place.clean()) {
                clean.add(place.volume());
            }
            over(nowMillis);
        }
    }

    private void delete(long nowMillis, SweepPosition next, List<Loaded.Meta> records) {
        long mine = begin(nowMillis);
        List<Mutation> deletions =
                records.stream().flatMap(record -> left.with(record).stream()).toList();
        out.store(deletions, (now, stored) -> {
            if (stored == Stored.DURABLE) {
                records.forEach(record -> left.deleted(now, record));
            }
            if (pending == mine && stored == Stored.DURABLE) {
                proceed(now, next);
            } else if (pending == mine) {
                // The next round comes to it again.
                over(now);
            }
        });
    }

    private void over(long nowMillis) {
        pending = 0;
        deleted.removeFirst();
        sweep(nowMillis);
    }

    private long begin(long nowMillis) {
        pending = ++lastPending;
        pendingMillis = nowMillis;
        return pending;
    }

    private static List<Loaded.Meta> records(Loaded loaded) {
        return loaded instanceof Loaded.Metas metas ? metas.records() : List.of();
    }

    /** No block id of the volume is greater. */
    private static BlockId last(int volume) {
        return new BlockId(volume, PrincipalId.client(Integer.MAX_VALUE), Long.MAX_VALUE, Long.MAX_VALUE);
    }
}
