package io.bulwark.protocol.pasis;

import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.id.BlockId;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntConsumer;

/**
 * What this node holds of volumes that are no more is deleted, a page at a time, and charged to nobody any longer. After a restart and from
 * time to time the node asks the replicas for the volumes that it holds versions of. It believes that one is deleted once it was told
 * so, asked again, and was told so again: ids are never used twice, but an answer may be older than the volume.
 */
final class DeletedVolumes {
    private static final long ROUND_MILLIS = 30_000;
    private static final long ASK_MILLIS = 1_000;
    /** Longer than an answer is kept for others that ask. */
    private static final long CONFIRM_MILLIS = 500;

    private static final long NEVER_ABSENT = -1;
    private static final int PAGE = 256;
    /** Versions first: a crash in between leaves what a restart finds and asks for. */
    private static final List<RecordKind> KINDS = List.of(RecordKind.PASIS_VERSION, RecordKind.PASIS_POSSIBLE);

    private final PasisNode node;
    private final IntConsumer forget;
    /** The volumes that the replicas are asked for, and when they have first said that there is no such volume. */
    private final Map<Integer, Long> asked = new LinkedHashMap<>();

    /** Those of which a restart found possible versions, until they are known. */
    private final Set<Integer> untold = new HashSet<>();

    private final Deque<Integer> deleted = new ArrayDeque<>();
    private long askedMillis;
    private long roundMillis = -1;
    /** From which volume on the round is to go on; -1 between two. */
    private int nextVolume = -1;
    /** What is on its way to the disk or from it, 0 if nothing is; an answer that never comes is given up. */
    private long pending;

    private long pendingMillis;
    private long lastPending;

    /** @param forget told of a volume of which nothing is to stay in memory */
    DeletedVolumes(PasisNode node, IntConsumer forget) {
        this.node = node;
        this.forget = forget;
    }

    /** Volumes of which a restart found possible versions. */
    void found(Set<Integer> volumes) {
        untold.addAll(volumes);
        volumes.forEach(this::ask);
    }

    private void ask(int volume) {
        asked.put(volume, NEVER_ABSENT);
        node.out().ask(new Question.OfVolume(volume, 0, 1));
    }

    void onTick(long nowMillis) {
        if (pending != 0 && nowMillis - pendingMillis >= node.limits().verifyMillis()) {
            pending = 0;
        }
        if (roundMillis < 0) {
            roundMillis = nowMillis + ROUND_MILLIS;
        } else if (nextVolume < 0 && nowMillis >= roundMillis) {
            nextVolume = 0;
        }
        if (nowMillis - askedMillis >= ASK_MILLIS) {
            askedMillis = nowMillis;
            asked.keySet().forEach(volume -> node.out().ask(new Question.OfVolume(volume, 0, 1)));
            if (asked.isEmpty() && deleted.isEmpty() && pending == 0 && nextVolume >= 0) {
                findNext(nowMillis);
            }
        }
        sweep(nowMillis);
    }

    /**
     * What the replicas said of a volume.
     *
     * @return whether a restart found possible versions of the volume, and it is known only now
     */
    boolean told(long nowMillis, int volume, boolean known) {
        Long absentMillis = asked.get(volume);
        if (absentMillis == null) {
            return false;
        }
        if (known) {
            asked.remove(volume);
        } else if (absentMillis == NEVER_ABSENT) {
            asked.put(volume, nowMillis);
        } else if (askedMillis - absentMillis >= CONFIRM_MILLIS) {
            asked.remove(volume);
            untold.remove(volume);
            deleted.add(volume);
            node.access().deleted(volume);
            forget.accept(volume);
            sweep(nowMillis);
        }
        return known && untold.remove(volume);
    }

    /** The next volume of which anything is held here. */
    private void findNext(long nowMillis) {
        long mine = begin(nowMillis);
        BlockId from = BlockId.register(nextVolume, 0);
        node.out()
                .load(
                        token -> new Effect.Scan(token, RecordKind.PASIS_VERSION, from, last(Integer.MAX_VALUE), 1),
                        (now, loaded) -> {
                            if (pending == mine) {
                                pending = 0;
                                found(now, records(loaded));
                            }
                        });
    }

    private void found(long nowMillis, List<Loaded.Meta> first) {
        int volume = first.isEmpty() ? -1 : first.getFirst().key().block().volume();
        nextVolume = volume < 0 || volume == Integer.MAX_VALUE ? -1 : volume + 1;
        roundMillis = nowMillis + ROUND_MILLIS;
        if (volume >= 0) {
            ask(volume);
        }
    }

    private void sweep(long nowMillis) {
        if (pending == 0 && !deleted.isEmpty()) {
            page(nowMillis, deleted.getFirst(), 0);
        }
    }

    private void page(long nowMillis, int volume, int kind) {
        long mine = begin(nowMillis);
        node.out()
                .load(
                        token -> new Effect.Scan(
                                token, KINDS.get(kind), BlockId.register(volume, 0), last(volume), PAGE),
                        (now, loaded) -> {
                            List<Loaded.Meta> some = records(loaded);
                            if (pending != mine) {
                                return;
                            }
                            if (!some.isEmpty()) {
                                delete(
                                        now,
                                        volume,
                                        kind,
                                        some.stream().map(Loaded.Meta::key).toList());
                            } else if (kind + 1 < KINDS.size()) {
                                page(now, volume, kind + 1);
                            } else {
                                over(now);
                            }
                        });
    }

    private void delete(long nowMillis, int volume, int kind, List<RecordKey> keys) {
        long mine = begin(nowMillis);
        List<Mutation> deletions =
                keys.stream().<Mutation>map(Mutation.Delete::new).toList();
        node.out().store(deletions, (now, stored) -> {
            if (stored == Stored.DURABLE && KINDS.get(kind) == RecordKind.PASIS_POSSIBLE) {
                keys.forEach(key -> release(now, key));
            }
            if (pending == mine && stored == Stored.DURABLE) {
                page(now, volume, kind);
            } else if (pending == mine) {
                // The next round comes to it again.
                over(now);
            }
        });
    }

    private void release(long nowMillis, RecordKey possible) {
        BlockId block = possible.block();
        node.possible().release(possible);
        if (node.possible().of(block) == 0) {
            node.watch().possible(nowMillis, block, 0, false);
        }
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

    private static BlockId last(int volume) {
        return BlockId.register(volume, Long.MAX_VALUE);
    }
}
