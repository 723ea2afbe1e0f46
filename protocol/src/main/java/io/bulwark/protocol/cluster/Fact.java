package io.bulwark.protocol.cluster;

import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Optional;

/** Information that a node has from 2f+1 replicas. */
public sealed interface Fact {
    /** Answers {@link Question.OfSession}, and tells a closing unasked. */
    record OfSession(int volume, PrincipalId owner, long session, SessionState state) implements Fact {}

    /** Answers {@link Question.OfGrant}. */
    record OfGrant(int volume, PrincipalId principal, boolean mayRead, boolean mayWrite) implements Fact {}

    /** Answers {@link Question.OfVolume}; empty if there is no such volume. */
    record OfVolume(int volume, Optional<Volume> known) implements Fact {}

    /** The pin of a referenced extent: from now on only that version counts. */
    record OfPin(BlockId block, Bytes pin) implements Fact {}

    /**
     * A pending upload has registered these ids: what is stored under them counts as referenced, though no pin is known
     * yet, until they are named by an inode or freed.
     */
    record Pending(BlockRange range) implements Fact {}

    /** These extents are freed or abandoned for good; their ids stay refused. */
    record Freed(BlockRange range) implements Fact {}

    /** The principal is revoked, for good, and its sessions are closed: nothing that it says counts any more. */
    record Revoked(PrincipalId principal) implements Fact {}

    /** The session is closed, and of all its extents only these are referenced; the others are freed for good. */
    record ClosedWith(int volume, PrincipalId owner, long session, List<BlockRange> referenced) implements Fact {
        public ClosedWith {
            referenced = List.copyOf(referenced);
        }
    }

    /**
     * These sessions of the owner, in all volumes, are closed, and nothing of them is referenced. A server closes those
     * that it has in memory: earlier messages for them, or stores about to happen, must not outlive this.
     */
    record Collapsed(PrincipalId owner, long firstSession, long lastSession) implements Fact {
        public boolean covers(PrincipalId of, long session) {
            return owner.equals(of) && firstSession <= session && session <= lastSession;
        }
    }
}
