package io.bulwark.protocol.ordering.membership;

import io.bulwark.protocol.wire.Bytes;

/** The port to the keys that handovers are signed with, and checked. */
public interface Signatures {
    /** Nobody signs, and nothing is signed right. */
    Signatures NONE = new Signatures() {
        @Override
        public Bytes sign(Bytes content) {
            throw new IllegalStateException("signatures are not supported here");
        }

        @Override
        public boolean verify(Member member, Bytes content, Bytes signature) {
            return false;
        }
    };

    /** Signs as this principal. */
    Bytes sign(Bytes content);

    /** Returns whether the holder of the member's key signed this content. The signature may be any bytes. */
    boolean verify(Member member, Bytes content, Bytes signature);
}
