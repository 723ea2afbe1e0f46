package io.bulwark.protocol.fp;

import io.bulwark.protocol.fingerprint.Fpcc;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Target;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Messages between clients and nodes of the FP register (thesis 4.2.3, docs/protocols/fp.md). */
public sealed interface FpMessage extends Message {
    Target target();

    /** Request of a client or a peer to a node. */
    sealed interface Request extends FpMessage {
        /** Returns the kind of request that a refusal of this one names. */
        RequestKind asked();
    }

    /** Answer of a node. */
    sealed interface Answer extends FpMessage {}

    /** PREPARE_FRAGMENT or PREPARE_BLOCK. */
    sealed interface Prepare extends Request {
        /** The writer's session for the volume. */
        long session();

        /** Unsigned; 0 is "none": the node chooses latest.ts + 1. */
        long ts();

        Fpcc fpcc();

        @Override
        default RequestKind asked() {
            return RequestKind.PREPARE;
        }
    }

    /** Line 1106: the fragment of the target's slot, one of the first m + f. */
    record PrepareFragment(Target target, long session, long ts, Fpcc fpcc, Bytes fragment) implements Prepare {}

    /** Line 1107: the whole block, padded to m fragments, for a node outside the first m + f or a refused fragment. */
    record PrepareBlock(Target target, long session, long ts, Fpcc fpcc, Bytes block) implements Prepare {}

    /**
     * Line 1405.
     *
     * @param macs MAC_ij for each slot j, 16 bytes each, n of them
     */
    record Prepared(Target target, Version version, Bytes nonce, List<Bytes> macs) implements Answer {
        public Prepared {
            macs = List.copyOf(macs);
        }
    }

    /** Answer to PREPARE of the node at a slot, as forwarded to one other node: only the MAC meant for that one. */
    record PrepareMac(int slot, Bytes nonce, Bytes mac) {}

    /**
     * Line 1128.
     *
     * @param session the one in which the sender prepared: the MACs are good for no other
     * @param prepares of distinct slots, in ascending order
     */
    record Commit(Target target, long session, long ts, Fpcc fpcc, List<PrepareMac> prepares) implements Request {
        public Commit {
            prepares = List.copyOf(prepares);
        }

        @Override
        public RequestKind asked() {
            return RequestKind.COMMIT;
        }
    }

    /** The node has committed this version or a later one. */
    record Committed(Target target, Version version) implements Answer {}

    /** Line 1605; with the fragment of the node's latest in the same round where asked. */
    record FindTimestamp(Target target, boolean withFragment) implements Request {
        @Override
        public RequestKind asked() {
            return RequestKind.FIND_TIMESTAMP;
        }
    }

    /** Line 1700. {@code holding} is there if it was asked for and the block was ever written. */
    record FoundTimestamp(
            Target target, Timestamp latest, @Nullable HeldVersion holding) implements Answer {}

    /** Line 1620. */
    record Read(Target target, Version version) implements Request {
        @Override
        public RequestKind asked() {
            return RequestKind.READ;
        }
    }

    /**
     * Lines 1900 to 1902.
     *
     * @param latest the node's latest; a redirect if it is later than the version
     * @param holding null if the node keeps nothing of the version
     */
    record ReadAnswer(
            Target target,
            Version version,
            Timestamp latest,
            @Nullable HeldVersion holding) implements Answer {}

    /** Asks the node to bring itself to the version, or a later one. */
    record Repair(Target target, Timestamp wanted) implements Request {
        @Override
        public RequestKind asked() {
            return RequestKind.REPAIR;
        }
    }

    /** The repair has ended, or was not begun; this is the node's latest now. */
    record RepairAnswer(Target target, Timestamp latest) implements Answer {}

    /** A repairing node, which has proven the version, asks a peer whether it has proven it, too. */
    record AskRepairMac(Target target, Timestamp version) implements Request {
        @Override
        public RequestKind asked() {
            return RequestKind.REPAIR_MAC;
        }
    }

    /** The peer has proven the version and keeps its fragment: its nonce, and its {@code repair} MAC for the asker. */
    record RepairMac(Target target, Version version, Bytes nonce, Bytes mac) implements Answer {}

    /**
     * Answer of a peer that knows the version to be proven, and has no room to stage it yet. It vouches for the version
     * once m + f - 1 others have answered the same.
     */
    record Proven(Target target, Version version) implements Answer {}

    /** Question of a node to a peer about a version that a session left staged. */
    record AskLeftover(Target target, PrincipalId owner, long session, Timestamp version) implements Request {
        @Override
        public RequestKind asked() {
            return RequestKind.LEFTOVER;
        }
    }

    /** State of the version at the answering node, whose latest this is. */
    record Leftover(Target target, Version version, LeftoverState state, Timestamp latest) implements Answer {}

    /** The order is part of the wire format. */
    enum LeftoverState {
        /** The node has not been told that the session is closed. */
        SESSION_NOT_CLOSED,
        /** The node has proven it: a repair may commit it yet. */
        PROVEN,
        /** The node durably refuses the session, and has not prepared the version: it never will. */
        NEVER_PREPARED,
        /** The node's latest is this version or a later one. */
        COMMITTED_OR_OVERWRITTEN,
        /** The node has it staged and not committed, and durably refuses the session, its COMMIT too: it never will commit it for that. */
        REFUSED
    }

    /**
     * The node refuses.
     *
     * @param ts the ts of the PREPARE, COMMIT or READ that is refused; 0 where it had none, but of a PREPARE without ts at the
     *     limit the one that it would have got: latest.ts + 1
     * @param epoch the epoch of the group that the node serves; 0 if it knows none
     */
    record Refused(Target target, RequestKind asked, long ts, FpRefusal refusal, long epoch) implements Answer {}
}
