package io.bulwark.protocol.pasis;

import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Forced collection (3.4 and section 4): where the history pool or a client's bound is full, blocks with the most possible
 * versions are verified, first those that this node is responsible for, until something was freed.
 */
final class RoomMaker implements PasisNode.Collector {
    private record Key(Optional<PrincipalId> sender, boolean repair) {}

    private static final class Effort {
        final Key key;
        final Set<BlockId> tried = new HashSet<>();
        final List<PasisNode.Room> waiting = new ArrayList<>();
        int running;
        boolean over;

        Effort(Key key) {
            this.key = key;
        }
    }

    private final int atOnce;
    private final PossibleVersions possible;
    private final Function<BlockId, Optional<PasisBlock>> blocks;
    private final Predicate<BlockId> mine;
    private final Map<Key, Effort> efforts = new HashMap<>();

    /** @param mine whether this node leads the block's verification: what others lead is likely to be told by them soon */
    RoomMaker(
            int atOnce,
            PossibleVersions possible,
            Predicate<BlockId> mine,
            Function<BlockId, Optional<PasisBlock>> blocks) {
        this.atOnce = atOnce;
        this.possible = possible;
        this.mine = mine;
        this.blocks = blocks;
    }

    @Override
    public void makeRoom(long nowMillis, @Nullable PrincipalId sender, boolean repair, PasisNode.Room room) {
        Effort effort = efforts.computeIfAbsent(new Key(Optional.ofNullable(sender), repair), Effort::new);
        effort.waiting.add(room);
        pump(nowMillis, effort);
    }

    private void pump(long nowMillis, Effort effort) {
        while (!effort.over && effort.running < atOnce) {
            BlockId next = pick(effort).orElse(null);
            if (next == null) {
                break;
            }
            effort.tried.add(next);
            PasisBlock block = blocks.apply(next).orElse(null);
            if (block != null) {
                effort.running++;
                Verifier.Cause cause = effort.key.repair() ? Verifier.Cause.ROOM_BY_REPAIR : Verifier.Cause.ROOM;
                block.verifier().request(nowMillis, cause, null, (now, _, freed) -> done(now, effort, freed));
            }
        }
        if (!effort.over && effort.running == 0) {
            end(nowMillis, effort, false);
        }
    }

    private Optional<BlockId> pick(Effort effort) {
        if (effort.key.sender().isPresent()) {
            return possible.mostOf(effort.key.sender().get(), block -> !effort.tried.contains(block));
        }
        return possible.most(block -> !effort.tried.contains(block) && mine.test(block))
                .or(() -> possible.most(block -> !effort.tried.contains(block)));
    }

    private void done(long nowMillis, Effort effort, int freed) {
        effort.running--;
        if (freed > 0 && !effort.over) {
            end(nowMillis, effort, true);
        }
        pump(nowMillis, effort);
    }

    private void end(long nowMillis, Effort effort, boolean freed) {
        effort.over = true;
        efforts.remove(effort.key, effort);
        List.copyOf(effort.waiting).forEach(room -> room.made(nowMillis, freed));
    }
}
