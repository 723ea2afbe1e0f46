package io.bulwark.protocol.fp;

import io.bulwark.protocol.cluster.RevocationWatch;
import io.bulwark.protocol.id.PrincipalId;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** The revoked clients (thesis 3.4.3): nothing of them is taken any more, and what they have staged here is cleared away. */
final class Revocations {
    private static final int UNTOLD = -1;

    private final FpNode node;
    private final Leftovers leftovers;
    private final RevocationWatch watch;
    private final DeletedVolumes deleted;
    private final Supplier<Collection<FpRegister>> blocks;
    /** How many blocks have a store under way that was let in before. */
    private final Map<PrincipalId, int[]> finishing = new HashMap<>();
    /** What was told last, of those of whom something is left. */
    private final Map<PrincipalId, Integer> told = new HashMap<>();

    /** @param blocks those in memory */
    Revocations(
            FpNode node,
            Leftovers leftovers,
            RevocationWatch watch,
            DeletedVolumes deleted,
            Supplier<Collection<FpRegister>> blocks) {
        this.node = node;
        this.deleted = deleted;
        this.blocks = blocks;
        this.leftovers = leftovers;
        this.watch = watch;
    }

    /** The client is refused from now on: told again, it says again where things stand. */
    void begin(long nowMillis, PrincipalId revoked) {
        int[] left = {0};
        finishing.put(revoked, left);
        for (FpRegister block : List.copyOf(blocks.get())) {
            left[0]++;
            block.enqueue(nowMillis, _ -> left[0]--);
        }
        told.put(revoked, UNTOLD);
        goOn(nowMillis, revoked);
    }

    void onTick(long nowMillis) {
        List.copyOf(told.keySet()).forEach(revoked -> goOn(nowMillis, revoked));
    }

    private void goOn(long nowMillis, PrincipalId revoked) {
        StagedIndex index = node.index();
        if (!index.ready(revoked)) {
            index.load(revoked, now -> goOn(now, revoked));
            return;
        }
        int[] busy = finishing.get(revoked);
        if (busy != null && busy[0] > 0) {
            return;
        }
        finishing.remove(revoked);
        Integer before = told.get(revoked);
        boolean begins = before != null && before == UNTOLD;
        int left = 0;
        for (StagedIndex.Entry entry : index.of(revoked, -1)) {
            int volume = entry.block().volume();
            // What the node knows of it may be older than its deletion.
            if (begins || node.access().unknown(volume)) {
                deleted.suspect(volume);
            }
            left += node.access().gone(volume) ? 0 : 1;
        }
        if (begins) {
            index.sessionsOf(revoked).forEach(session -> leftovers.onClosed(nowMillis, session));
        }
        if (before == null || before != left) {
            watch.refuses(revoked, left);
        }
        if (left == 0) {
            told.remove(revoked);
        } else {
            told.put(revoked, left);
        }
    }
}
