package io.bulwark.protocol.ordering.membership;

import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;

/**
 * Messages by which any party learns of configurations. None of them needs an authenticated sender: signatures decide.
 */
public sealed interface MembershipMessage extends Message {
    /**
     * To the others of the configuration: it has ended at the sender with this checkpoint.
     *
     * @param configuration its number
     * @param signature the sender's, of the {@link Handover}
     */
    record Ended(long configuration, Numbered checkpoint, Bytes signature) implements MembershipMessage {}

    /** Asks which configuration follows the one with this number. */
    record AskSuccessor(long configuration) implements MembershipMessage {}

    /**
     * This one does.
     *
     * @param authorization of an operator, as {@link OperatorAuthorizations} has it; empty if the sender has none
     */
    record Successor(HandoverProof proof, Bytes authorization) implements MembershipMessage {}
}
