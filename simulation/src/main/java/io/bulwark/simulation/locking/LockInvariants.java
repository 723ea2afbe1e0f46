package io.bulwark.simulation.locking;

import io.bulwark.protocol.locking.LogId;
import io.bulwark.protocol.metadata.MetadataStateMachine;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.campaign.Invariant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/** Invariants of Byzantine Locking, beside the linearizability of the namespace. */
public final class LockInvariants {
    /** An entry that 2f+1 log servers acknowledged to a correct holder is executed when the log is closed. */
    public static final Invariant ACKNOWLEDGED_SURVIVES = new Invariant(
            "acknowledged-survives", "docs/protocols/locking.md, why nothing acknowledged is lost; thesis 5.2.3");

    /** The reply that the holder got is the one at replay. */
    public static final Invariant OVERLAY_EQUALS_REPLAY =
            new Invariant("overlay-equals-replay", "docs/protocols/locking.md, why an overlay tells what replay will");

    /** A round ends without the help of any client, while 2f+1 replicas are well. */
    public static final Invariant ROUND_ENDS =
            new Invariant("round-ends", "docs/protocols/locking.md, limits; PROTOCOLS 5, close");

    /** No two versions of one volume have one number, whoever made them, in a log or not (rule 2). */
    public static final Invariant VERSION_GIVEN_ONCE =
            new Invariant("version-given-once", "docs/protocols/locking.md, supply; PROTOCOLS 5, LOCK");

    private final Set<Long> versions = new HashSet<>();
    private final NavigableMap<LogId, NavigableMap<Long, Bytes>> open = new TreeMap<>();
    private final Map<LogId, Reply.LogOutcome> closed = new TreeMap<>();
    private long acknowledged;
    private long checked;

    /** A correct client has made a version. */
    void made(long version) {
        if (!versions.add(version)) {
            throw VERSION_GIVEN_ONCE.violation("", "version " + version + " was made twice");
        }
    }

    /** A correct holder begins a log. */
    void begun(LogId log) {
        open.put(log, new TreeMap<>());
    }

    /** A correct holder got this reply to an entry. */
    void acknowledged(LogId log, long number, Bytes reply) {
        acknowledged++;
        NavigableMap<Long, Bytes> entries = open.get(log);
        if (entries != null) {
            entries.put(number, reply);
        } else if (closed.containsKey(log)) {
            check(log, number, reply, closed.get(log));
        }
    }

    /** A command was executed: logs may have ended. */
    void executed(MetadataStateMachine machine) {
        List<LogId> ended = open.keySet().stream()
                .filter(log -> machine.locks()
                        .log(log.holder(), log.session())
                        .filter(found -> found.id().equals(log))
                        .isEmpty())
                .toList();
        for (LogId log : ended) {
            NavigableMap<Long, Bytes> entries = Objects.requireNonNull(open.remove(log));
            Query query = new Query.LogOutcome(log.session(), log.lock(), 1);
            // A session that has ended with its log keeps no outcome.
            if (Reply.decode(machine.query(log.holder(), query.encoded())) instanceof Reply.LogOutcome outcome) {
                closed.put(log, outcome);
                entries.forEach((number, reply) -> check(log, number, reply, outcome));
            }
        }
    }

    private void check(LogId log, long number, Bytes reply, Reply.LogOutcome outcome) {
        if (number > outcome.length()) {
            throw ACKNOWLEDGED_SURVIVES.violation(
                    "", "entry " + number + " of " + log + ", which was closed at " + outcome.length());
        }
        if (number >= outcome.first()) {
            checked++;
            Bytes replayed = outcome.replies().get((int) (number - outcome.first()));
            if (!replayed.equals(reply)) {
                throw OVERLAY_EQUALS_REPLAY.violation(
                        "",
                        "entry " + number + " of " + log + ": " + Reply.decode(reply) + ", at replay "
                                + Reply.decode(replayed));
            }
        }
    }

    /** Returns how many entries log servers have acknowledged to correct holders. */
    long acknowledged() {
        return acknowledged;
    }

    /** Returns how many of them were compared with the replay. */
    long checked() {
        return checked;
    }
}
