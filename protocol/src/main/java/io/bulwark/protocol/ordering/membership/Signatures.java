package io.bulwark.protocol.ordering.membership;

import io.bulwark.protocol.wire.Bytes;

/** The port to the keys that handovers are signed with, and checked. */
public interface Signatures {
    /** Signs as this principal. */
    Bytes sign(Bytes content);

    /** Whether the holder of the member's key has signed this. Any bytes may come as the signature. */
    boolean verify(Member member, Bytes content, Bytes signature);
}
