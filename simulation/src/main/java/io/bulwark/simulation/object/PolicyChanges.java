package io.bulwark.simulation.object;

import io.bulwark.protocol.bucket.ObjectVersion;
import io.bulwark.protocol.bucket.PutOutcome;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Protocol;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.object.Inode;
import io.bulwark.protocol.object.ObjectLayout;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;

/**
 * An operator who gives the volume other policies while it is used, and rewrites what stands under older ones. No policy
 * tolerates fewer faults than there are.
 */
final class PolicyChanges {
    private static final int CHANGES_ONE_IN = 8;
    private static final int REFILLS_ONE_IN = 2;
    private static final int CHANGES_MAX = 2;
    private static final int TRIES = 30;
    private static final int PAGE = 20;
    private static final int REFILLS_AT_ONCE = 6;

    private final ObjectClient operator;
    private final Supplier<Volume> known;
    private final Runnable learn;
    private final int liars;
    private final int faults;
    private final int nodes;
    private final Random random;
    private boolean ordering;
    private boolean refilling;
    private int changes;
    private long cursor;
    private long refilled;

    /**
     * @param known the volume as clients know it
     * @param learn lets clients ask for the map
     * @param liars number of nodes that lie
     * @param faults f of the first policy
     */
    PolicyChanges(
            ObjectClient operator,
            Supplier<Volume> known,
            Runnable learn,
            int liars,
            int faults,
            int nodes,
            Random random) {
        this.operator = operator;
        this.known = known;
        this.learn = learn;
        this.liars = liars;
        this.faults = faults;
        this.nodes = nodes;
        this.random = random;
    }

    /** Returns the number of inodes that were given extents of the newest policy. */
    long refilled() {
        return refilled;
    }

    /** Returns whether nothing is under way. */
    boolean isIdle() {
        return !ordering && !refilling;
    }

    /** Closes the sessions, so that what a refill left unfinished is freed. */
    void close() {
        operator.close();
    }

    void step() {
        operator.renew();
        if (isIdle() && changes < CHANGES_MAX && random.nextInt(CHANGES_ONE_IN) == 0) {
            anyPolicy().ifPresent(policy -> {
                ordering = true;
                changes++;
                operator.execute(new Command.SetVolumePolicy(known.get().name(), policy), _ -> {
                    ordering = false;
                    learn.run();
                });
            });
        }
        if (!refilling && known.get().generation() > 0 && random.nextInt(REFILLS_ONE_IN) == 0) {
            refilling = true;
            refillNext(REFILLS_AT_ONCE);
        }
    }

    private Optional<ProtectionPolicy> anyPolicy() {
        ProtectionPolicy now = known.get().policy();
        for (int tried = 0; tried < TRIES; tried++) {
            int f = Math.max(1, liars) + random.nextInt(Math.max(1, faults + 2 - Math.max(1, liars)));
            int m = now.protocol() == Protocol.MASKING ? 1 : 1 + random.nextInt(nodes);
            int n = now.protocol() == Protocol.FP ? m + 2 * f : 1 + random.nextInt(nodes);
            if (n <= nodes) {
                try {
                    ProtectionPolicy policy =
                            new ProtectionPolicy(now.protocol(), f, m, n, now.blockBytes(), now.verification());
                    if (!policy.equals(now)) {
                        return Optional.of(policy);
                    }
                } catch (IllegalArgumentException ignored) {
                    // The sums fail: another one may do.
                }
            }
        }
        return Optional.empty();
    }

    /** Rewrites the next inode with extents of an older generation, and so many more after it. */
    private void refillNext(int left) {
        if (left == 0) {
            refilling = false;
            return;
        }
        Volume volume = known.get();
        operator.query(new Query.References(volume.id(), cursor, PAGE), reply -> {
            if (!(reply.orElse(null) instanceof Reply.References page)) {
                refilling = false;
                return;
            }
            List<Reply.Reference> older = page.references().stream()
                    .filter(reference -> reference.layout().stream()
                            .flatMap(layout -> layout.ranges().stream())
                            .anyMatch(range -> range.generation() < volume.generation()))
                    .toList();
            if (older.isEmpty()) {
                cursor = page.more() ? page.next() : 0;
                refilling = false;
                return;
            }
            cursor = older.getFirst().arrival();
            refill(volume, older.getFirst().inode(), older.getFirst().layout().orElseThrow(), left);
        });
    }

    private void refill(Volume volume, long inode, ObjectLayout layout, int left) {
        ObjectVersion old = new ObjectVersion("", "", 0, new Inode(inode, layout, 0));
        operator.get(volume, old, 0, layout.length(), got -> {
            if (!(got instanceof ObjectClient.RangeResult.Content(var content))) {
                // A faulty client may have put it.
                refillNext(left - 1);
                return;
            }
            operator.put(
                    volume,
                    (replaced, epochs, pending) -> new Command.RefillInode(inode, replaced, epochs, pending),
                    content,
                    random.nextBoolean(),
                    outcome -> {
                        refilled += outcome instanceof PutOutcome.Stored ? 1 : 0;
                        refillNext(left - 1);
                    });
        });
    }
}
