package io.bulwark.protocol.fp;

import io.bulwark.protocol.cluster.RevocationWatch;
import io.bulwark.protocol.id.BlockId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Settlement of staged versions left by closed sessions (docs/protocols/revocation.md, orphaned prepares). REPAIR adopts versions that
 * READ proves. It drops a version that all nodes refuse for good and have not committed, or 2f + 1 refuse for good and
 * have not prepared. This must hold for all clients that have this node's MACs for the version. The other versions
 * stay; the node retries them with growing pauses, and reports the nodes that it waits for.
 */
final class OrphanedPrepares {
    private static final long AGAIN_MILLIS_MIN = 2_000;
    private static final long AGAIN_MILLIS_MAX = 300_000;

    /** Reaches a block. */
    interface Blocks {
        /** Runs the task for the block when its state is loaded; false if the block is not this node's. */
        boolean with(long nowMillis, BlockId block, Consumer<FpRegister> task);
    }

    private record RetryTime(long atMillis, long pauseMillis) {}

    private final FpNode node;
    private final RevocationWatch watch;
    private final Blocks blocks;
    private final Map<FpAccess.SessionKey, RetryTime> open = new HashMap<>();
    private final Set<StagedIndex.Entry> repairing = new HashSet<>();

    OrphanedPrepares(FpNode node, RevocationWatch watch, Blocks blocks) {
        this.node = node;
        this.watch = watch;
        this.blocks = blocks;
    }

    /** The session is durably refused here. */
    void onClosed(long nowMillis, FpAccess.SessionKey session) {
        open.put(session, new RetryTime(nowMillis, AGAIN_MILLIS_MIN));
        onTick(nowMillis);
    }

    void onTick(long nowMillis) {
        for (Map.Entry<FpAccess.SessionKey, RetryTime> entry : List.copyOf(open.entrySet())) {
            RetryTime due = entry.getValue();
            if (nowMillis >= due.atMillis()) {
                // Somebody waits for the end of a revocation.
                boolean revoked = node.access().revoked(entry.getKey().owner());
                long pause = Math.min(revoked ? AGAIN_MILLIS_MIN : AGAIN_MILLIS_MAX, 2 * due.pauseMillis());
                open.put(entry.getKey(), new RetryTime(nowMillis + due.pauseMillis(), pause));
                resolve(nowMillis, entry.getKey());
            }
        }
    }

    private void resolve(long nowMillis, FpAccess.SessionKey session) {
        if (!node.index().ready(session.owner())) {
            node.index().load(session.owner(), now -> resolve(now, session));
            return;
        }
        List<StagedIndex.Entry> left = node.index().of(session.owner(), session.session()).stream()
                .filter(entry -> entry.block().volume() == session.volume())
                .toList();
        if (left.isEmpty()) {
            open.remove(session);
        }
        for (StagedIndex.Entry entry : left) {
            blocks.with(nowMillis, entry.block(), register -> {
                VersionRecord record = register.versions().byName(entry.version());
                if (record == null || !record.isChargedTo(session.owner())) {
                    node.index().clear(register, session.owner(), entry);
                } else {
                    repair(nowMillis, register, entry, record, session);
                }
            });
        }
    }

    /** Nothing waits twice for the same: a repair may take longer than it takes until the next one is wanted. */
    private void repair(
            long nowMillis,
            FpRegister register,
            StagedIndex.Entry entry,
            VersionRecord record,
            FpAccess.SessionKey session) {
        if (!repairing.add(entry)) {
            return;
        }
        boolean begun = register.repair().request(nowMillis, node.self(), record.version(), false, now -> {
            repairing.remove(entry);
            register.enqueue(now, later -> poll(register, parties(record, session.volume()), record));
        });
        if (!begun) {
            repairing.remove(entry);
        }
    }

    private static List<FpAccess.SessionKey> parties(VersionRecord record, int volume) {
        return record.parties().stream()
                .map(party -> new FpAccess.SessionKey(volume, party.client(), party.session()))
                .toList();
    }

    /**
     * Polls the peers, after the repair, about a version that is still staged, vouched for to nobody, and not shared;
     * one party at a time.
     */
    private void poll(FpRegister register, List<FpAccess.SessionKey> parties, VersionRecord record) {
        boolean serves = register.serves(register.group().placement().epoch());
        if (!serves || !record.equals(register.versions().get(record.version()))) {
            return;
        }
        if (record.shared() || record.isVouchedFor()) {
            if (record.isVouchedFor() && node.access().revoked(record.writer())) {
                register.repair().takeOver(record);
            }
            return;
        }
        if (parties.isEmpty()) {
            register.dropLeftover(record);
            return;
        }
        FpAccess.SessionKey session = parties.getFirst();
        OrphanPoll operation = new OrphanPoll(
                register.group(),
                register.target().slot(),
                session,
                record.version(),
                node.access()::revoked,
                node.times());
        LongConsumer over = register.once(ignored -> {});
        node.out().run(operation, (now, outcome) -> {
            over.accept(now);
            if (outcome == OrphanPoll.Outcome.NEVER) {
                register.enqueue(now, ignored -> poll(register, parties.subList(1, parties.size()), record));
            } else {
                watch.waitsFor(register.block(), record.version().ts(), operation.missing());
            }
        });
    }
}
