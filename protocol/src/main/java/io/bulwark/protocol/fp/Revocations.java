package io.bulwark.protocol.fp;

import io.bulwark.protocol.cluster.RevocationWatch;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.DeletedVolumes;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Revoked clients (thesis 3.4.3): nothing of them is accepted any more, and their staged versions are cleared.
 * Colluders may have had this node prove a version that only such a client has prepared, at some other node. So this
 * class also waits for the versions that earlier repairs have staged, until each is committed, or m + f slots have a
 * later one.
 */
final class Revocations {
    private static final long AGAIN_MILLIS = 2_000;
    /** Blocks that are repaired at a time, for all rounds together: readers and peers want repairs, too. */
    private static final int TURNS_PER_TICK = 2;
    /** Polls of what is overwritten at a time; while peers are away each takes as long as a repair. */
    private static final int CLAIMING_MAX = 64;

    /** Work to wait for since the node last heard of the revocation. */
    private static final class Round {
        /** Stores and repairs that were under way then. */
        private int inFlight;

        private boolean begun;
        /** It waits for what repairs had staged below this, once those were over. */
        private long mark;
        /** True once none of the client's staged versions remain, so that its index can be released. */
        private boolean cleared;

        private @Nullable Integer told;
    }

    private final FpNode node;
    private final OrphanedPrepares orphanedPrepares;
    private final RevocationWatch watch;
    private final DeletedVolumes deleted;
    private final Supplier<Collection<FpRegister>> inMemory;
    private final OrphanedPrepares.Blocks blocks;
    private final Map<PrincipalId, Round> rounds = new HashMap<>();
    /** Versions that repairs have staged and rounds wait for, each once. */
    private final LinkedHashSet<StagedIndex.Entry> turns = new LinkedHashSet<>();
    /** Versions overwritten here, while the node asks the others whether they have something later, too. */
    private final Set<StagedIndex.Entry> claiming = new HashSet<>();

    private long againMillis;

    /** @param inMemory the blocks that are in memory */
    Revocations(
            FpNode node,
            OrphanedPrepares orphanedPrepares,
            RevocationWatch watch,
            DeletedVolumes deleted,
            Supplier<Collection<FpRegister>> inMemory,
            OrphanedPrepares.Blocks blocks) {
        this.node = node;
        this.deleted = deleted;
        this.inMemory = inMemory;
        this.orphanedPrepares = orphanedPrepares;
        this.watch = watch;
        this.blocks = blocks;
    }

    /** Refuses the client from now on; a repeated call reports the state again. */
    void begin(long nowMillis, PrincipalId revoked) {
        watch.begins(revoked);
        Round round = new Round();
        rounds.put(revoked, round);
        for (FpRegister block : List.copyOf(inMemory.get())) {
            round.inFlight++;
            LongConsumer over = ignored -> round.inFlight--;
            block.enqueue(nowMillis, now -> {
                if (block.repair().running()) {
                    block.repair().runWhenOver(over);
                } else {
                    over.accept(now);
                }
            });
        }
        proceed(nowMillis, revoked, round);
    }

    void onTick(long nowMillis) {
        Map.copyOf(rounds).forEach((revoked, round) -> proceed(nowMillis, revoked, round));
        if (turns.isEmpty() && nowMillis >= againMillis) {
            againMillis = nowMillis + AGAIN_MILLIS;
            rounds.values().stream()
                    .mapToLong(round -> round.mark)
                    .max()
                    .ifPresent(last -> turns.addAll(node.index().repairs().before(last)));
            turns.addAll(node.index().overwritten());
        }
        for (int i = 0; i < TURNS_PER_TICK && !turns.isEmpty(); i++) {
            StagedIndex.Entry entry = turns.removeFirst();
            boolean held = blocks.with(nowMillis, entry.block(), register -> finish(nowMillis, register, entry));
            if (!held) {
                leave(entry);
            }
        }
    }

    private void proceed(long nowMillis, PrincipalId revoked, Round round) {
        boolean outdated = rounds.get(revoked) != round;
        if (outdated || round.inFlight > 0) {
            return;
        }
        for (PrincipalId account : List.of(PrepareTag.REPAIR, revoked)) {
            if (!node.index().ready(account) && !round.cleared) {
                node.index().load(account, now -> proceed(now, revoked, round));
                return;
            }
        }
        boolean begins = !round.begun;
        round.begun = true;
        if (begins) {
            round.mark = node.index().repairs().mark();
            // The node settles the new versions as soon as the waiting ones have had their turn.
            againMillis = nowMillis;
        }
        int ofItself = round.cleared ? 0 : staged(revoked, begins);
        round.cleared = ofItself == 0;
        int left = ofItself + repaired(round, begins);
        if (begins) {
            node.index().sessionsOf(revoked).forEach(session -> orphanedPrepares.onClosed(nowMillis, session));
        }
        if (round.told == null || round.told != left) {
            round.told = left;
            watch.refuses(revoked, left);
        }
        if (left == 0) {
            rounds.remove(revoked, round);
        }
    }

    /** Returns how many of the revoked client's own staged versions are left here. */
    private int staged(PrincipalId revoked, boolean begins) {
        int left = 0;
        for (StagedIndex.Entry entry : node.index().of(revoked, -1)) {
            left += counts(entry.block().volume(), begins) ? 1 : 0;
        }
        return left;
    }

    private boolean counts(int volume, boolean begins) {
        // The node's knowledge of the volume may be older than its deletion.
        if (begins || node.access().isUnknown(volume)) {
            deleted.suspect(volume);
        }
        return !node.access().gone(volume);
    }

    /**
     * Returns how many versions staged by repairs are left that, as far as is known, only revoked clients have prepared
     * here.
     */
    private int repaired(Round round, boolean begins) {
        OutstandingRepairs all = node.index().repairs();
        int left = 0;
        for (int volume : all.volumes()) {
            int here = all.before(volume, round.mark);
            left += here > 0 && counts(volume, begins) ? here : 0;
        }
        return left;
    }

    private void finish(long nowMillis, FpRegister register, StagedIndex.Entry entry) {
        VersionRecord record = register.versions().byName(entry.version());
        if (record == null || !record.isChargedTo(PrepareTag.REPAIR)) {
            claim(register, entry);
            return;
        }
        // It is not overwritten, even if that was begun: the store has failed.
        node.index().onAdded(PrepareTag.REPAIR, 0, entry);
        if (record.isAlsoOf(node.access()::revoked)) {
            node.index().repairs().renew(entry);
        } else {
            name(entry);
            register.repair().run(nowMillis, record.version());
        }
    }

    /** Removes a version that is no longer staged here from the account, once nobody can report it again. */
    private void claim(FpRegister register, StagedIndex.Entry entry) {
        Timestamp latest = register.versions().latest();
        long epoch = register.group().placement().epoch();
        boolean overwritten = Long.compareUnsigned(latest.ts(), entry.version().ts()) >= 0
                && !latest.version().equals(entry.version());
        if (!overwritten) {
            node.index().clear(register, PrepareTag.REPAIR, entry);
        } else if (register.serves(epoch) && claiming.size() < CLAIMING_MAX && claiming.add(entry)) {
            name(entry);
            ClaimPoll operation =
                    new ClaimPoll(register.group(), register.target().slot(), latest, node.times());
            LongConsumer over = register.once(ignored -> {});
            node.out().run(operation, (now, outcome) -> {
                over.accept(now);
                claiming.remove(entry);
                if (outcome == ClaimPoll.Outcome.CLAIMED && register.serves(epoch)) {
                    register.enqueue(now, ignored -> node.index().clear(register, PrepareTag.REPAIR, entry));
                }
            });
        }
    }

    private void name(StagedIndex.Entry entry) {
        if (!rounds.isEmpty()) {
            watch.waitsFor(entry.block(), entry.version().ts());
        }
    }

    /** Stops counting an overwritten version if its volume is deleted, or this node has lost its slot since. */
    private void leave(StagedIndex.Entry entry) {
        long taken = node.index().overwrittenIn(entry);
        boolean lost = node.access()
                .group(entry.block())
                .filter(group -> group.placement().epoch() >= taken)
                .isPresent();
        boolean deletedSince = !counts(entry.block().volume(), false);
        if (taken > 0 && (lost || deletedSince)) {
            node.out().store(List.of(node.index().delete(PrepareTag.REPAIR, entry)), (ignored, stored) -> {
                if (stored == Stored.DURABLE) {
                    node.index().onRemoved(PrepareTag.REPAIR, entry);
                }
            });
        }
    }
}
