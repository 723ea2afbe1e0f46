package io.bulwark.protocol.pasis;

import io.bulwark.protocol.cluster.RevocationWatch;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The revoked clients (thesis 3.3.2): nothing of them is taken any more. What they have brought here and what may become complete
 * later is verified, with repair, until it is complete, poisonous, or below something complete.
 */
final class Revocations {
    private static final long LOOK_MILLIS = 200;
    private static final long AGAIN_MILLIS_MIN = 2_000;
    private static final long AGAIN_MILLIS_MAX = 32_000;

    private record RetryTime(long atMillis, long pauseMillis) {}

    private static final class Effort {
        private final Map<BlockId, RetryTime> tried = new HashMap<>();
        private boolean begun;
        /** Number of blocks with a store in flight that was admitted before. */
        private int finishing;

        private int running;
        private long lookMillis;
        private @Nullable Integer told;
    }

    private final PasisNode node;
    private final RevocationWatch watch;
    private final BooleanSupplier ready;
    private final Supplier<Collection<PasisBlock>> blocks;
    private final Function<BlockId, Optional<PasisBlock>> held;
    private final Map<PrincipalId, Effort> efforts = new HashMap<>();

    /**
     * Creates the revocations of one server.
     *
     * @param ready whether it has listed the possible versions
     * @param blocks those in memory
     * @param held the block, if this node holds it
     */
    Revocations(
            PasisNode node,
            RevocationWatch watch,
            BooleanSupplier ready,
            Supplier<Collection<PasisBlock>> blocks,
            Function<BlockId, Optional<PasisBlock>> held) {
        this.node = node;
        this.watch = watch;
        this.ready = ready;
        this.blocks = blocks;
        this.held = held;
    }

    /** Refuses the client from now on; a repeated call reports the state again. */
    void begin(long nowMillis, PrincipalId revoked) {
        watch.begins(revoked);
        Effort effort = new Effort();
        efforts.put(revoked, effort);
        proceed(nowMillis, revoked, effort);
    }

    void onTick(long nowMillis) {
        Map.copyOf(efforts).forEach((revoked, effort) -> {
            if (nowMillis >= effort.lookMillis) {
                proceed(nowMillis, revoked, effort);
            }
        });
    }

    private void proceed(long nowMillis, PrincipalId revoked, Effort effort) {
        if (!ready.getAsBoolean()) {
            return;
        }
        if (!effort.begun) {
            effort.begun = true;
            for (PasisBlock block : List.copyOf(blocks.get())) {
                effort.finishing++;
                block.enqueue(nowMillis, ignored -> effort.finishing--);
            }
        }
        if (effort.finishing > 0) {
            return;
        }
        effort.lookMillis = nowMillis + LOOK_MILLIS;
        Set<BlockId> open = open(revoked);
        int left = open.stream()
                .mapToInt(block -> node.possible().of(revoked, block))
                .sum();
        if (effort.told == null || effort.told != left) {
            effort.told = left;
            watch.refuses(revoked, left);
        }
        effort.tried.keySet().retainAll(open);
        open.forEach(block -> verify(nowMillis, effort, block));
        if (node.possible().of(revoked) == 0) {
            efforts.remove(revoked);
        }
    }

    /**
     * Returns the blocks with a version of this client that is neither verified nor collected, and still counts for
     * some party.
     */
    private Set<BlockId> open(PrincipalId revoked) {
        Set<BlockId> open = new HashSet<>();
        for (BlockId block : node.possible().blocksOf(revoked)) {
            if (!node.access().gone(block.volume())) {
                open.add(block);
            }
        }
        return open;
    }

    private void verify(long nowMillis, Effort effort, BlockId id) {
        RetryTime due = effort.tried.getOrDefault(id, new RetryTime(nowMillis, AGAIN_MILLIS_MIN));
        if (effort.running >= node.limits().poolVerifications() || nowMillis < due.atMillis()) {
            return;
        }
        held.apply(id).ifPresent(block -> {
            effort.running++;
            long pause = due.pauseMillis();
            effort.tried.put(id, new RetryTime(nowMillis + pause, Math.min(AGAIN_MILLIS_MAX, 2 * pause)));
            block.verifier()
                    .request(
                            nowMillis,
                            VerificationGoal.BACKGROUND.withRepair(true),
                            (ignored1, ignored2, ignored3) -> effort.running--);
        });
    }
}
