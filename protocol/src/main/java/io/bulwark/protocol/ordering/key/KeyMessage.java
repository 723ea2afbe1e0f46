package io.bulwark.protocol.ordering.key;

import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;

/**
 * Messages that replicas exchange about session keys, and under them. Only {@link Authentic} is protected by a session
 * key.
 */
public sealed interface KeyMessage extends Message {
    /** Length in bytes of a nonce. */
    int NONCE_BYTES = 16;

    /** The longest message that travels under a session key, in bytes. */
    int BODY_BYTES_MAX = 16 << 20;

    /**
     * Asks for the nonce that the sender's NEW-KEY for the receiver must sign.
     *
     * @param watchdogMillis the sender's T_w, which influences execution: a replica with another value is no member of
     *     the group
     * @param configuration the number of the configuration of replicas that the sender is in
     */
    record AskNonce(long watchdogMillis, long configuration) implements KeyMessage {}

    /** This one, until a NEW-KEY has used it. */
    record GiveNonce(Bytes nonce) implements KeyMessage {}

    /**
     * NEW-KEY (4.1): under this key the receiver shall speak to the sender from now on.
     *
     * @param nonce the receiver's
     * @param sealed the key, encrypted for the receiver
     * @param signature of both replicas, their configuration, nonce and encrypted key
     */
    record NewKey(Bytes nonce, Bytes sealed, Bytes signature) implements KeyMessage {}

    /** The sender has no key under which to speak to the receiver. */
    record NoKey() implements KeyMessage {}

    /**
     * A message under a session key.
     *
     * @param type its type number
     * @param mac of sender, receiver, type and body
     */
    record Authentic(int type, Bytes body, Bytes mac) implements KeyMessage {}
}
