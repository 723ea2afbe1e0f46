package io.bulwark.protocol.metadata;

import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.id.PrincipalId;

/** Statements of nodes, which count while their giver holds its slot and is not revoked. */
interface Withdrawable {
    /** Withdraws the statements of a node that leaves. */
    void withdrawOf(PrincipalId node);

    /** Withdraws the statements of a node that lost its slot of a group. */
    void withdrawOf(PrincipalId node, Volume volume, int group);
}
