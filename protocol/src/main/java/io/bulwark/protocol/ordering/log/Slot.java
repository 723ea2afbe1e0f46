package io.bulwark.protocol.ordering.log;

import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.wire.Bytes;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One sequence number in the log: how far it got in the view that the replica is in, and what is decided for it. */
public final class Slot {
    public final long sequence;

    /** The fresh proposal of the view's primary, from its PRE-PREPARE until it is accepted. */
    public @Nullable Batch proposal;

    /** The digest of the proposal, or of what NEW-VIEW chose: the only one that can be accepted in this view. */
    public @Nullable Bytes proposed;

    /** Index of the proposal's request at which the last check stopped, as it was missing or not acceptable. */
    public int lookedAt;

    /** All requests of the proposal were here, and their operations are too long for a batch. */
    public boolean tooLong;

    /** Chosen by NEW-VIEW: accepted without checks. */
    public boolean chosen;

    /** Pre-prepared: the own PREPARE has been appended at {@link #prepareIndex}. */
    public boolean accepted;

    public long prepareIndex;
    public long acceptedMillis;

    /** The own COMMIT has been appended at {@link #commitIndex}. */
    public boolean prepared;

    public long commitIndex;

    /** PREPAREs and COMMITs of this view, one of each replica, the own included. */
    public final Map<Integer, Bytes> prepares = new HashMap<>();

    public final Map<Integer, Bytes> commits = new HashMap<>();

    /** Claims to have executed the number, whatever the view. */
    public final Map<Integer, Bytes> claims = new HashMap<>();

    /** Committed, or learned: executed once {@link #decidedIndex} is durable. Holds in all later views. */
    public @Nullable Bytes decided;

    public long decidedIndex;

    Slot(long sequence) {
        this.sequence = sequence;
    }

    public boolean isProposed(Bytes digest) {
        Bytes here = proposed;
        return here != null && here.equals(digest);
    }

    /** A new view begins. */
    public void leaveView() {
        forgetProposal();
        chosen = false;
        accepted = false;
        prepared = false;
        prepares.clear();
        commits.clear();
    }

    private void forgetProposal() {
        proposal = null;
        proposed = null;
        lookedAt = 0;
        tooLong = false;
    }

    /**
     * Drops what the peer said and is not part of a complete certificate (4.1). A PRE-PREPARE that is accepted stays:
     * this replica's own PREPARE rests on it. So does what the disk has of a PREPARE, and what NEW-VIEW chose.
     *
     * @param isPrimary whether the peer is the primary of the view
     */
    public void onKeyChange(int peer, boolean isPrimary) {
        if (isPrimary && proposal != null && !accepted && !chosen) {
            forgetProposal();
        }
        if (!prepared) {
            prepares.remove(peer);
        }
        Bytes certain = decided;
        if (certain == null) {
            commits.remove(peer);
            claims.remove(peer);
        } else {
            keepOnly(certain, commits, peer);
            keepOnly(certain, claims, peer);
        }
    }

    private static void keepOnly(Bytes digest, Map<Integer, Bytes> said, int peer) {
        said.entrySet()
                .removeIf(each -> each.getKey() == peer && !each.getValue().equals(digest));
    }

    public static int count(Map<Integer, Bytes> said, Bytes digest) {
        int count = 0;
        for (Bytes each : said.values()) {
            count += each.equals(digest) ? 1 : 0;
        }
        return count;
    }
}
