package io.bulwark.protocol.cluster;

import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import java.util.List;

/** Told by a node's server of a register protocol how far it has put revoked clients out. */
public interface RevocationWatch {
    /** For servers that nobody asks. */
    RevocationWatch NONE = (_, _) -> {};

    /** The server has been told of the revocation, for the first time or again: what it has said before is no answer to that. */
    default void begins(PrincipalId revoked) {}

    /**
     * From now on this server takes nothing of the client; told again whenever the number has changed.
     *
     * @param undecided versions that it has prepared here, or may have elsewhere, and of which it is not decided yet whether they ever
     *     take effect
     */
    void refuses(PrincipalId revoked, int undecided);

    /**
     * A version that a repair has staged is neither committed nor overwritten by what enough others have: rounds wait for it, whoever prepared it, and
     * are done with it at the latest once the block is written beyond it. Told again and again as long as that is so.
     *
     * @param timestamp counts the writes of the block
     */
    default void waitsFor(BlockId block, long timestamp) {}

    /**
     * A version that a closed session has left staged is not decided, since these nodes have not said that they have closed the session and do not have
     * the version. Told again and again as long as that is so; it ends, too, once the block is written beyond the version.
     */
    default void waitsFor(BlockId block, long timestamp, List<PrincipalId> peers) {}
}
