package io.bulwark.simulation.metadata;

import io.bulwark.protocol.metadata.MetadataError;
import io.bulwark.protocol.metadata.MetadataStateMachine;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.Submission;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.campaign.Invariant;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Invariants of correct replicas. */
public final class ReplicaInvariants {
    /** Replicas that executed the same prefix hold the same state, after a restart from a snapshot too. */
    public static final Invariant SAME_STATE = new Invariant("same-state", "docs/protocols/metadata.md, deterministic");

    /** They give the same replies, byte for byte. */
    public static final Invariant SAME_REPLY =
            new Invariant("same-reply", "docs/protocols/metadata.md, one canonical encoding");

    /** A command that is ordered again gets the stored result, or a refusal that changes nothing. */
    public static final Invariant EXECUTED_ONCE =
            new Invariant("executed-once", "docs/protocols/metadata.md, window of W outstanding numbers");

    private static final int COMPARED_EVERY = 8;
    private static final Set<MetadataError> NOT_EXECUTED = EnumSet.of(
            MetadataError.SESSION_CLOSED,
            MetadataError.SESSION_UNKNOWN,
            MetadataError.NUMBER_TOO_OLD,
            MetadataError.NUMBER_REUSED,
            // The client was revoked since.
            MetadataError.NOT_AUTHORISED,
            MetadataError.WINDOW_EXCEEDED);

    private final Map<Integer, Bytes> digests = new HashMap<>();
    private final Map<Integer, Bytes> replies = new HashMap<>();

    /** A correct replica has executed the entry at this place. */
    void executed(CommandOrder.Entry entry, int place, MetadataStateMachine machine, Bytes reply) {
        compare(SAME_REPLY, replies, place, reply);
        if (place % COMPARED_EVERY == 0) {
            compare(SAME_STATE, digests, place, machine.digest());
        }
        if (entry.first() != place && !entry.query()) {
            checkAgain(entry, place, reply);
        }
    }

    private void checkAgain(CommandOrder.Entry entry, int place, Bytes reply) {
        Bytes first = replies.get(entry.first());
        boolean same = first != null && reply.equals(first);
        boolean refused = isOfTheSession(reply) || (first != null && isOfTheSession(first));
        // An opening is done again once the session that it opened is closed, and fails with too many open ones.
        boolean opening = entry.body().length() == 1 + Submission.OpenSession.NONCE_BYTES + Integer.BYTES;
        if (!same && !refused && !opening) {
            throw EXECUTED_ONCE.violation(
                    "",
                    "place " + place + " gives " + Reply.decode(reply) + ", the first time "
                            + (first == null ? "nothing" : Reply.decode(first)));
        }
    }

    /** It was not executed. */
    private static boolean isOfTheSession(Bytes reply) {
        return Reply.decode(reply) instanceof Reply.Failed failed && NOT_EXECUTED.contains(failed.error());
    }

    private static void compare(Invariant invariant, Map<Integer, Bytes> known, int place, Bytes seen) {
        Bytes before = known.putIfAbsent(place, seen);
        if (before != null && !before.equals(seen)) {
            throw invariant.violation("", "after place " + place + ": " + before + " and " + seen);
        }
    }
}
