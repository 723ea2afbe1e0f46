package io.bulwark.simulation.locking;

import io.bulwark.protocol.locking.LogId;
import io.bulwark.protocol.metadata.MetadataStateMachine;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.campaign.Invariant;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/** Invariants of Byzantine Locking, beside the linearizability of the namespace. */
public final class LockInvariants {
    /** An entry that 2f+1 log servers acknowledged to a correct holder is executed when the log is closed. */
    public static final Invariant ACKNOWLEDGED_SURVIVES = new Invariant(
            "acknowledged-survives", "docs/protocols/locking.md, why nothing acknowledged is lost; thesis 5.2.3");

    /** The reply that the holder got is the one at replay. */
    public static final Invariant OVERLAY_EQUALS_REPLAY = new Invariant(
            "overlay-equals-replay", "docs/protocols/locking.md, why an overlay tells what replay will");

    /** A round ends without the help of any client, while 2f+1 replicas are well. */
    public static final Invariant ROUND_ENDS =
            new Invariant("round-ends", "docs/protocols/locking.md, limits; PROTOCOLS 5, close");

    private final NavigableMap<LogId, NavigableMap<Long, Bytes>> open = new TreeMap<>();
    private long acknowledged;
    private long checked;

    /** A correct holder got this reply to an entry. */
    void acknowledged(LogId log, long number, Bytes reply) {
        acknowledged++;
        open.computeIfAbsent(log, id -> new TreeMap<>()).put(number, reply);
    }

    /** A replica has executed something: logs may have ended. */
    void executed(MetadataStateMachine machine) {
        if (open.isEmpty()) {
            return;
        }
        List<LogId> ended = new ArrayList<>();
        for (LogId log : open.keySet()) {
            boolean isOpen = machine.locks()
                    .log(log.holder(), log.session())
                    .filter(found -> found.id().equals(log))
                    .isPresent();
            if (!isOpen && machine.commands() >= log.lock()) {
                ended.add(log);
            }
        }
        for (LogId log : ended) {
            Query query = new Query.LogOutcome(log.session(), log.lock(), 1);
            if (Reply.decode(machine.query(log.holder(), query.encoded())) instanceof Reply.LogOutcome outcome) {
                check(log, outcome);
                open.remove(log);
            }
        }
    }

    private void check(LogId log, Reply.LogOutcome outcome) {
        NavigableMap<Long, Bytes> entries = open.get(log);
        if (entries.lastKey() > outcome.length()) {
            throw ACKNOWLEDGED_SURVIVES.violation(
                    "", "entry " + entries.lastKey() + " of " + log + ", which was closed at " + outcome.length());
        }
        entries.tailMap(outcome.first()).forEach((number, reply) -> {
            Bytes replayed = outcome.replies().get((int) (number - outcome.first()));
            checked++;
            if (!replayed.equals(reply)) {
                throw OVERLAY_EQUALS_REPLAY.violation(
                        "",
                        "entry " + number + " of " + log + ": " + Reply.decode(reply) + ", at replay "
                                + Reply.decode(replayed));
            }
        });
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
