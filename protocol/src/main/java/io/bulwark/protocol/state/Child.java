package io.bulwark.protocol.state;

import io.bulwark.protocol.wire.Bytes;

/** Child of an interior page: a page that has a digest, or one that was modified after the last checkpoint. */
sealed interface Child permits Child.Ref, Node {
    /** The lm of a root of which only the digest is known. */
    long LM_UNKNOWN = -1;

    /**
     * A page that belongs to a checkpoint.
     *
     * @param digest SHA-256 of its bytes
     * @param lm the number of the checkpoint at the end of the last interval in which it was modified (4.6.2)
     */
    record Ref(Bytes digest, long lm) implements Child {}
}
