package io.bulwark.protocol.agreement;

import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;

/** Messages between storage nodes about the keys of their MACs. */
public sealed interface AgreementMessage extends Message {
    /** Length in bytes of a nonce. */
    int NONCE_BYTES = 16;

    /** Length in bytes of what names a life of a node. */
    int LIFE_BYTES = 16;

    /** Request for the nonce that the sender's NEW-KEY for the receiver must sign. */
    record AskNonce() implements AgreementMessage {}

    /** This one, until a NEW-KEY has used it. */
    record GiveNonce(Bytes nonce) implements AgreementMessage {}

    /**
     * NEW-KEY (4.1): the key under which the receiver shall make its MACs for the sender from now on.
     *
     * @param nonce the receiver's
     * @param life of the sender: if the receiver knows another one, it no longer trusts anything that the sender
     *     vouched for before
     * @param sealed the key, encrypted for the receiver
     * @param signature of both nodes, nonce, life and encrypted key
     */
    record NewKey(Bytes nonce, Bytes life, Bytes sealed, Bytes signature) implements AgreementMessage {}

    /** The NEW-KEY over this nonce is in force at its receiver. */
    record KeyAccepted(Bytes nonce) implements AgreementMessage {}
}
