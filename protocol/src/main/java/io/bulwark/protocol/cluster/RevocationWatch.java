package io.bulwark.protocol.cluster;

import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import java.util.List;

/** Receives from a node's server of a register protocol how far it has put revoked clients out. */
public interface RevocationWatch {
    /** Watch of servers that nobody asks. */
    RevocationWatch NONE = (ignored1, ignored2) -> {};

    /**
     * Called when the server learns of the revocation, for the first time or again: its earlier reports do not answer
     * that.
     */
    default void begins(PrincipalId revoked) {}

    /**
     * Called when this server refuses the client from now on, and again whenever the number has changed.
     *
     * @param undecided versions that the client has prepared here, or may have elsewhere, and for which it is not
     *     decided whether they ever take effect
     */
    void refuses(PrincipalId revoked, int undecided);

    /**
     * Called again and again while a version staged by a repair is neither committed nor overwritten by a version that
     * enough others have. Rounds wait for it, whoever prepared it, until at the latest the block is written beyond it.
     *
     * @param timestamp counts the writes of the block
     */
    default void waitsFor(BlockId block, long timestamp) {}

    /**
     * Called again and again while a staged version of a closed session is not decided. These nodes have not reported
     * that they have closed the session and do not have the version. The wait also ends once the block is written
     * beyond the version.
     */
    default void waitsFor(BlockId block, long timestamp, List<PrincipalId> peers) {}
}
