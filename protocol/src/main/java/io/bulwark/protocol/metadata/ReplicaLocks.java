package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.locking.LockView;
import io.bulwark.protocol.locking.LogId;
import io.bulwark.protocol.metadata.Tables.OwnedKey;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** View of a replica's log server on the lock table. */
final class ReplicaLocks implements LockView {
    private final Tables tables;
    private final Rounds rounds;
    private final Function<LogId, Overlay> overlays;

    /** @param overlays makes the overlay of a log */
    ReplicaLocks(Tables tables, Rounds rounds, Function<LogId, Overlay> overlays) {
        this.tables = tables;
        this.rounds = rounds;
        this.overlays = overlays;
    }

    @Override
    public Optional<OpenLog> log(PrincipalId holder, long session) {
        tables.begin();
        return tables.holders
                .find(new OwnedKey(holder, session))
                .filter(Holder::hasLog)
                .map(ReplicaLocks::openLog);
    }

    @Override
    public List<OpenLog> fetchesOwed(PrincipalId replica) {
        tables.begin();
        return rounds.admitted().stream()
                .filter(holder -> rounds.isOwed(holder, replica))
                .map(ReplicaLocks::openLog)
                .toList();
    }

    @Override
    public int backedLength(LogId log, List<Bytes> hashes) {
        tables.begin();
        Optional<Holder> holder = holderOf(log).filter(Holder::isClosing);
        int backed = 0;
        int above = holder.isPresent() ? hashes.size() + 1 : 1;
        // A hash is backed only if all hashes before it are.
        while (backed + 1 < above) {
            int middle = (backed + above) >>> 1;
            if (rounds.isBacked(holder.orElseThrow(), middle, hashes.get(middle - 1))) {
                backed = middle;
            } else {
                above = middle;
            }
        }
        return backed;
    }

    @Override
    public boolean isReplaying() {
        tables.begin();
        return rounds.isReplaying();
    }

    @Override
    public long commands() {
        tables.begin();
        return tables.totals().commands;
    }

    @Override
    public Overlay overlay(LogId log) {
        tables.begin();
        if (holderOf(log).filter(holder -> !holder.isClosing()).isEmpty()) {
            throw new IllegalStateException("log " + log + " takes no entries");
        }
        return overlays.apply(log);
    }

    /** Returns why the round of a log was opened; empty if none is open. */
    Optional<RoundReason> reason(LogId log) {
        tables.begin();
        return holderOf(log).filter(Holder::isClosing).map(holder -> holder.reason);
    }

    private Optional<Holder> holderOf(LogId log) {
        return tables.holders
                .find(new OwnedKey(log.holder(), log.session()))
                .filter(holder -> holder.hasLog() && holder.log().equals(log));
    }

    private static OpenLog openLog(Holder holder) {
        return new OpenLog(holder.log(), holder.key, holder.isClosing());
    }
}
