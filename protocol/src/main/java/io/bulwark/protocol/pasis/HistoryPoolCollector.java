package io.bulwark.protocol.pasis;

import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Forced collection (3.4 and section 4) where the history pool or a client's bound is full. It verifies the blocks with
 * the most possible versions, first those that this node is responsible for, until something was freed. For a client,
 * one of its own versions must be freed. The cost of one attempt is bounded. After a fruitless one the next attempt
 * resumes where it ended, after a pause that grows.
 */
final class HistoryPoolCollector implements PasisNode.Collector {
    /** Maximum number of blocks that one effort tries. */
    static final int TRIES_MAX = 64;
    /** Among how many that it has not tried it looks for one that this node leads. */
    private static final int LOOKS_MAX = 32;

    private static final long PAUSE_MILLIS_MIN = 50;
    private static final long PAUSE_MILLIS_MAX = 3_200;

    private record Key(Optional<PrincipalId> sender, boolean repair) implements Comparable<Key> {
        private static final Comparator<Key> ORDER = Comparator.comparing(
                        (Key key) -> key.sender().orElse(PrincipalId.NOBODY))
                .thenComparing(Key::repair);

        @Override
        public int compareTo(Key other) {
            return ORDER.compare(this, other);
        }
    }

    /**
     * State after an effort that freed nothing.
     *
     * @param after where the next begins
     */
    private record FailedAttempt(long untilMillis, long pauseMillis, PossibleVersions.@Nullable RankedBlock after) {}

    private static final class CollectionAttempt {
        final Key key;
        final Set<BlockId> tried = new HashSet<>();
        final List<PasisNode.CollectionCallback> waiting = new ArrayList<>();
        /** Number of the sender's versions at the start. */
        final int before;

        PossibleVersions.@Nullable RankedBlock after;
        PossibleVersions.@Nullable RankedBlock last;
        int running;
        boolean over;

        CollectionAttempt(Key key, int before, PossibleVersions.@Nullable RankedBlock after) {
            this.key = key;
            this.before = before;
            this.after = after;
        }
    }

    private final PasisLimits limits;
    private final PossibleVersions possible;
    private final Function<BlockId, Optional<PasisBlock>> blocks;
    private final Predicate<BlockId> mine;
    private final Map<Key, CollectionAttempt> efforts = new HashMap<>();
    /** No more than there are senders with possible versions, and some that had. */
    private final Map<Key, FailedAttempt> fruitless = new HashMap<>();

    /**
     * @param mine whether this node leads the block's verification: other leaders will probably report on their blocks
     *     soon
     */
    HistoryPoolCollector(
            PasisLimits limits,
            PossibleVersions possible,
            Predicate<BlockId> mine,
            Function<BlockId, Optional<PasisBlock>> blocks) {
        this.limits = limits;
        this.possible = possible;
        this.mine = mine;
        this.blocks = blocks;
    }

    @Override
    public void makeRoom(
            long nowMillis, @Nullable PrincipalId sender, boolean repair, PasisNode.CollectionCallback room) {
        Key key = new Key(Optional.ofNullable(sender), repair);
        CollectionAttempt effort = efforts.get(key);
        if (effort == null) {
            FailedAttempt before = fruitless.get(key);
            if (before != null && nowMillis < before.untilMillis()) {
                room.made(nowMillis, false);
                return;
            }
            effort = new CollectionAttempt(key, ofSender(key), before == null ? null : before.after());
            efforts.put(key, effort);
        } else if (effort.waiting.size() >= limits.waitingMax()) {
            room.made(nowMillis, false);
            return;
        }
        effort.waiting.add(room);
        pump(nowMillis, effort);
    }

    private void pump(long nowMillis, CollectionAttempt effort) {
        while (!effort.over && effort.running < limits.poolVerifications()) {
            PossibleVersions.RankedBlock next = pick(effort);
            if (next == null) {
                break;
            }
            effort.tried.add(next.block());
            PasisBlock block = blocks.apply(next.block()).orElse(null);
            if (block != null) {
                effort.running++;
                VerificationGoal wish = VerificationGoal.DEMANDED.withRepair(effort.key.repair());
                block.verifier().request(nowMillis, wish, (now, ignored, freed) -> done(now, effort, freed));
            }
        }
        if (!effort.over && effort.running == 0) {
            end(nowMillis, effort, false);
        }
    }

    private PossibleVersions.@Nullable RankedBlock pick(CollectionAttempt effort) {
        if (effort.tried.size() >= TRIES_MAX) {
            return null;
        }
        PossibleVersions.RankedBlock first = null;
        int looked = 0;
        Iterator<PossibleVersions.RankedBlock> most =
                possible.most(effort.key.sender().orElse(null), effort.after);
        while (most.hasNext() && looked < LOOKS_MAX) {
            PossibleVersions.RankedBlock next = most.next();
            if (!effort.tried.contains(next.block())) {
                looked++;
                first = first == null ? next : first;
                if (mine.test(next.block())) {
                    effort.last = next;
                    return next;
                }
            }
        }
        if (first == null && effort.after != null) {
            effort.after = null;
            return pick(effort);
        }
        effort.last = first;
        return first;
    }

    private void done(long nowMillis, CollectionAttempt effort, int freed) {
        effort.running--;
        boolean room = effort.key.sender().isEmpty() ? freed > 0 : ofSender(effort.key) < effort.before;
        if (room && !effort.over) {
            end(nowMillis, effort, true);
        }
        pump(nowMillis, effort);
    }

    private int ofSender(Key key) {
        return key.sender().map(possible::of).orElse(0);
    }

    private void end(long nowMillis, CollectionAttempt effort, boolean freed) {
        effort.over = true;
        efforts.remove(effort.key, effort);
        fruitless.values().removeIf(old -> old.untilMillis() + PAUSE_MILLIS_MAX < nowMillis);
        FailedAttempt before = fruitless.remove(effort.key);
        if (!freed) {
            long pause = before == null ? PAUSE_MILLIS_MIN : Math.min(PAUSE_MILLIS_MAX, 2 * before.pauseMillis());
            fruitless.put(effort.key, new FailedAttempt(nowMillis + pause, pause, effort.last));
        }
        List.copyOf(effort.waiting).forEach(room -> room.made(nowMillis, freed));
    }
}
