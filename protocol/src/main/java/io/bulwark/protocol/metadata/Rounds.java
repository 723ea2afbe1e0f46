package io.bulwark.protocol.metadata;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.locking.LogChain;
import io.bulwark.protocol.locking.LogEntry;
import io.bulwark.protocol.locking.LogHead;
import io.bulwark.protocol.locking.LogId;
import io.bulwark.protocol.locking.LogLimits;
import io.bulwark.protocol.metadata.Holder.Stage;
import io.bulwark.protocol.metadata.Tables.InSession;
import io.bulwark.protocol.metadata.Tables.OwnedKey;
import io.bulwark.protocol.metadata.Tables.PieceKey;
import io.bulwark.protocol.metadata.Tables.Supplier;
import io.bulwark.protocol.metadata.Tables.TimedSession;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Rounds that close logs (thesis, 5.3; docs/protocols/locking.md). Each log server says once where the log ends that it
 * has. This counts once ordered pieces link that end back to the beginning, so that an end that only liars know blocks
 * nobody. The first 2f+1 of them decide on the longest. Then the entries are executed in order.
 */
final class Rounds {
    /** Only the oldest rounds take pieces: the state holds no more logs at a time. */
    static final int ADMITTED_MAX = 16;

    /** Number of entries that one ordered command executes. */
    static final int ENTRIES_PER_COMMAND = 256;

    private final Tables tables;
    private final SessionTable sessions;
    private final LockTable locks;
    private final Inodes inodes;
    private final Replicas replicas;
    private final LogExecution execution;

    /**
     * An entry of a log that is being closed.
     *
     * @param previous hash of the entry before
     * @param bytes of all entries up to this one
     */
    record Piece(Bytes previous, int bytes, LogEntry entry) {
        void write(WireWriter out) {
            out.raw(previous).i32(bytes);
            entry.write(out);
        }

        static Piece read(WireReader in) {
            return new Piece(in.raw(Hashes.LENGTH), in.i32(0, LogLimits.BYTES_MAX), LogEntry.read(in));
        }

        int weight() {
            return Weight.PIECE_BYTES + entry.length();
        }
    }

    /** Entries that one server has added to a round. */
    record Supplied(int entries, int bytes) {
        void write(WireWriter out) {
            out.i32(entries).i32(bytes);
        }

        static Supplied read(WireReader in) {
            return new Supplied(in.i32(0, LogLimits.ENTRIES_MAX), in.i32(0, LogLimits.BYTES_MAX));
        }
    }

    Rounds(
            Tables tables,
            SessionTable sessions,
            LockTable locks,
            Inodes inodes,
            Replicas replicas,
            LogExecution execution) {
        this.tables = tables;
        this.sessions = sessions;
        this.locks = locks;
        this.inodes = inodes;
        this.replicas = replicas;
        this.execution = execution;
    }

    /** A log server's last words on logs. What is known, or over, changes nothing. */
    Reply accept(PrincipalId server, Submission.OfReplica submission) {
        Grants.require(replicas.ordering().placeOf(server) >= 0, server, "speak for a log server");
        switch (submission) {
            case Submission.Fetch fetch -> fetch(server, fetch);
            case Submission.Pieces pieces -> pieces(server, pieces);
        }
        execute();
        return new Reply.Done();
    }

    private void fetch(PrincipalId server, Submission.Fetch fetch) {
        List<Submission.Fetched> added = new ArrayList<>();
        for (Submission.Fetched fetched : fetch.logs()) {
            Optional<Holder> holder = collecting(fetched.log());
            if (holder.isPresent()
                    && !tables.fetches.contains(new Supplier(holder.get().id(), server))) {
                CommandRefusal.refuseUnless(
                        fetched.head().isSigned(replicas.cluster(), fetched.log(), holder.get().key),
                        MetadataError.BAD_SIGNATURE,
                        "the head of log " + fetched.log());
                added.add(fetched);
            }
        }
        for (Submission.Fetched fetched : added) {
            Holder holder = collecting(fetched.log()).orElseThrow();
            tables.fetches.put(new Supplier(holder.id(), server), fetched.head());
            tables.weight.add(holder.owner, Weight.FETCH_BYTES);
            decide(holder);
        }
    }

    private void pieces(PrincipalId server, Submission.Pieces pieces) {
        Optional<Holder> found = collecting(pieces.log());
        if (found.isEmpty()) {
            return;
        }
        Holder holder = found.get();
        Bytes previous = pieces.previous();
        int bytes = lengthAt(holder, pieces.first() - 1, previous)
                .orElseThrow(() ->
                        new CommandRefusal(MetadataError.BAD_ARGUMENT, "nothing leads to entry " + pieces.first()));
        Supplier key = new Supplier(holder.id(), server);
        Supplied supplied = tables.supplied.get(key).orElse(new Supplied(0, 0));
        int entries = supplied.entries;
        int added = supplied.bytes;
        boolean mayBeKnown = hasPieces(holder, pieces.first());
        List<Table.Entry<PieceKey, Piece>> chain = new ArrayList<>();
        long number = pieces.first();
        for (LogEntry entry : pieces.entries()) {
            Bytes hash = LogChain.next(previous, number, entry);
            bytes += entry.length();
            PieceKey at = new PieceKey(holder.id(), number, hash);
            boolean isNew = !mayBeKnown || !tables.pieces.contains(at);
            entries += isNew ? 1 : 0;
            added += isNew ? entry.length() : 0;
            CommandRefusal.refuseUnless(
                    number <= LogLimits.ENTRIES_MAX
                            && bytes <= LogLimits.BYTES_MAX
                            && entries <= LogLimits.ENTRIES_MAX
                            && added <= LogLimits.BYTES_MAX,
                    MetadataError.LIMIT_REACHED,
                    "entry " + number + " of a log, with " + bytes + " bytes");
            if (isNew) {
                chain.add(new Table.Entry<>(at, new Piece(previous, bytes, entry)));
            }
            previous = hash;
            number++;
        }
        chain.forEach(piece -> {
            tables.pieces.put(piece.key(), piece.value());
            tables.weight.add(holder.owner, piece.value().weight());
        });
        tables.supplied.put(key, new Supplied(entries, added));
        decide(holder);
    }

    private boolean hasPieces(Holder holder, long fromNumber) {
        return tables.pieces
                .first(PieceKey.firstOf(holder.id(), fromNumber), PieceKey.firstOf(holder.id(), Long.MAX_VALUE))
                .isPresent();
    }

    /** Returns the length in bytes of the log up to a number, if pieces link this hash of it to the beginning. */
    private Optional<Integer> lengthAt(Holder holder, long number, Bytes hash) {
        return number == 0
                ? Optional.of(0).filter(ignored -> hash.equals(LogChain.root(replicas.cluster(), holder.log())))
                : tables.pieces.get(new PieceKey(holder.id(), number, hash)).map(Piece::bytes);
    }

    boolean isBacked(Holder holder, long number, Bytes hash) {
        return lengthAt(holder, number, hash).isPresent();
    }

    private void decide(Holder holder) {
        List<LogHead> backed = new ArrayList<>();
        for (Table.Entry<Supplier, LogHead> fetch : fetchesOf(holder)) {
            LogHead head = fetch.value();
            if (isBacked(holder, head.length(), head.hash())) {
                backed.add(head);
            }
        }
        if (holder.stage != Stage.COLLECTING
                || backed.size() < replicas.ordering().quorum()) {
            return;
        }
        // Only a faulty holder signs two heads of one length: any will do for it.
        LogHead chosen = backed.getFirst();
        for (LogHead head : backed) {
            chosen = head.length() > chosen.length() ? head : chosen;
        }
        List<Table.Entry<Supplier, Supplied>> supplied =
                tables.supplied.list(Supplier.firstOf(holder.id()), Supplier.lastOf(holder.id()));
        // Each piece was counted once, for the server that was first: as many as the chain has are the chain.
        if (supplied.stream().mapToLong(each -> each.value().entries).sum() != chosen.length()) {
            keepChain(holder, chosen);
        }
        for (Table.Entry<Supplier, LogHead> fetch : fetchesOf(holder)) {
            tables.fetches.remove(fetch.key());
            tables.weight.add(holder.owner, -Weight.FETCH_BYTES);
        }
        supplied.forEach(each -> tables.supplied.remove(each.key()));
        holder.stage = Stage.REPLAYING;
        holder.length = Math.toIntExact(chosen.length());
        holder.executed = 0;
    }

    private List<Table.Entry<Supplier, LogHead>> fetchesOf(Holder holder) {
        return tables.fetches.list(Supplier.firstOf(holder.id()), Supplier.lastOf(holder.id()));
    }

    /** Removes all pieces but those that lead to the chosen head. */
    private void keepChain(Holder holder, LogHead chosen) {
        Set<Bytes> chain = new HashSet<>();
        Bytes hash = chosen.hash();
        for (long number = chosen.length(); number > 0; number--) {
            chain.add(hash);
            hash = tables.pieces
                    .get(new PieceKey(holder.id(), number, hash))
                    .orElseThrow()
                    .previous();
        }
        for (Table.Entry<PieceKey, Piece> piece :
                tables.pieces.list(PieceKey.firstOf(holder.id(), 1), PieceKey.firstOf(holder.id(), Long.MAX_VALUE))) {
            if (!chain.contains(piece.key().hash())) {
                remove(holder, piece);
            }
        }
    }

    private void remove(Holder holder, Table.Entry<PieceKey, Piece> piece) {
        tables.pieces.remove(piece.key());
        tables.weight.add(holder.owner, -piece.value().weight());
    }

    /** Executes entries of logs whose ends are chosen, up to a bound. */
    void execute() {
        if (tables.totals().locks == 0) {
            return;
        }
        int left = ENTRIES_PER_COMMAND;
        for (Holder holder : admitted()) {
            while (holder.stage == Stage.REPLAYING) {
                if (holder.executed == holder.length) {
                    end(holder);
                } else if (left > 0) {
                    left -= execute(holder, left);
                } else {
                    return;
                }
            }
        }
    }

    /** Executes the next entries of a log, at most so many; returns how many. */
    private int execute(Holder holder, int max) {
        int count = Math.min(max, holder.length - holder.executed);
        long first = holder.executed + 1L;
        Iterator<Table.Entry<PieceKey, Piece>> pieces = tables.pieces
                .range(PieceKey.firstOf(holder.id(), first), PieceKey.firstOf(holder.id(), first + count))
                .iterator();
        for (int i = 0; i < count; i++) {
            execute(holder, pieces.next());
        }
        return count;
    }

    private void execute(Holder holder, Table.Entry<PieceKey, Piece> piece) {
        int number = holder.executed + 1;
        Bytes reply = execution.execute(holder, piece.value().entry());
        remove(holder, piece);
        holder.executed = number;
        if (number >= LockTable.outcomesFrom(holder)) {
            tables.outcomes.put(new InSession(holder.owner, holder.session, number), reply);
            tables.weight.add(holder.owner, Weight.OUTCOME_BYTES + reply.length());
        }
    }

    private void end(Holder holder) {
        locks.release(holder);
        if (holder.closing) {
            inodes.close(sessions.require(holder.owner, holder.session));
        }
    }

    /** Returns the oldest holders with open rounds, oldest first. */
    List<Holder> admitted() {
        List<Holder> admitted = new ArrayList<>();
        for (Table.Entry<TimedSession, Boolean> round : tables.rounds.all()) {
            if (admitted.size() == ADMITTED_MAX) {
                break;
            }
            OwnedKey key = new OwnedKey(round.key().owner(), round.key().session());
            admitted.add(tables.holders.find(key).orElseThrow());
        }
        return admitted;
    }

    private Optional<Holder> collecting(LogId log) {
        return admitted().stream()
                .filter(holder ->
                        holder.stage == Stage.COLLECTING && holder.log().equals(log))
                .findFirst();
    }

    /** Returns whether a server still owes its FETCH to this round, or pieces with which it counts. */
    boolean isOwed(Holder holder, PrincipalId server) {
        return holder.stage == Stage.COLLECTING
                && tables.fetches
                        .get(new Supplier(holder.id(), server))
                        .filter(head -> isBacked(holder, head.length(), head.hash()))
                        .isEmpty();
    }

    /** Returns whether ordered commands execute entries of logs now. */
    boolean isReplaying() {
        return tables.totals().locks > 0 && admitted().stream().anyMatch(holder -> holder.stage == Stage.REPLAYING);
    }

    /** Answers a holder about its last log. */
    Reply outcome(PrincipalId asker, Query.LogOutcome query) {
        Holder holder = tables.holders
                .find(new OwnedKey(asker, query.session()))
                .filter(found -> !found.hasLog() && found.lock == query.lock())
                .orElseThrow(() -> new CommandRefusal(
                        MetadataError.NO_SUCH_LOG, asker + "." + query.session() + "@" + query.lock()));
        long first = Math.max(query.fromNumber(), LockTable.outcomesFrom(holder));
        List<Bytes> replies = new ArrayList<>();
        tables.outcomes
                .range(new InSession(asker, query.session(), first), new InSession(asker, query.session() + 1, 0))
                .forEach(outcome -> replies.add(outcome.value()));
        return new Reply.LogOutcome(holder.length, first, replies);
    }
}
