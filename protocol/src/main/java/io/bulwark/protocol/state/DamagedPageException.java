package io.bulwark.protocol.state;

import io.bulwark.protocol.wire.Bytes;

/**
 * A page of the tree cannot be read: it is missing, or not what its parent says. The tree is as it was before the call;
 * the call succeeds once the page is back in the store.
 */
public final class DamagedPageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Bytes digest;

    DamagedPageException(Bytes digest, String what) {
        super("page " + digest.toHex() + " " + what);
        this.digest = digest;
    }

    /** The digest of the page, by which others have it. */
    public Bytes digest() {
        return digest;
    }
}
