package io.bulwark.transport;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;

/** Messages before a connection is authenticated, in the order of the records. */
sealed interface ControlMessage extends Message {
    /** Length of the longest body of this family. */
    int BODY_BYTES_MAX = 48;

    int NONCE_BYTES = 32;

    /** The connecting side says who it is and whom it wants. */
    record Hello(int version, PrincipalId from, PrincipalId to, Bytes nonce) implements ControlMessage {
        public Hello {
            requireLength(nonce, NONCE_BYTES);
        }
    }

    /** The accepting side proves that it is {@code to}. */
    record Challenge(Bytes nonce, Bytes mac) implements ControlMessage {
        public Challenge {
            requireLength(nonce, NONCE_BYTES);
            requireLength(mac, PairwiseKeys.MAC_BYTES);
        }
    }

    /** The connecting side proves that it is {@code from}. */
    record Proof(Bytes mac) implements ControlMessage {
        public Proof {
            requireLength(mac, PairwiseKeys.MAC_BYTES);
        }
    }

    /** The accepting side is satisfied: from now on the other families travel. */
    record Ready() implements ControlMessage {}

    private static void requireLength(Bytes bytes, int length) {
        if (bytes.length() != length) {
            throw new IllegalArgumentException(bytes.length() + " bytes instead of " + length);
        }
    }
}
