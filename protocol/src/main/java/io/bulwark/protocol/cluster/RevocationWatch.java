package io.bulwark.protocol.cluster;

import io.bulwark.protocol.id.PrincipalId;

/** Told by a node's server of a register protocol how far it has put revoked clients out. */
public interface RevocationWatch {
    /** For servers that nobody asks. */
    RevocationWatch NONE = (_, _) -> {};

    /**
     * From now on this server takes nothing of the client; told again whenever the number has changed.
     *
     * @param undecided versions that it has prepared here and of which it is not decided yet whether they ever take effect
     */
    void refuses(PrincipalId revoked, int undecided);
}
