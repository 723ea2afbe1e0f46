package io.bulwark.protocol.ordering.membership;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.membership.MembershipMessage.Successor;

/** The configurations of replicas as somebody has learned of them, one after the other. Only the last one counts. */
public interface Succession {
    /** The last one. */
    Term term();

    /** Whether what somebody shows may be checked now, which is dear: its sender waits a little between two, whichever of the parts hear it. */
    boolean mayCheck(long nowMillis, PrincipalId from);

    /** Goes on to the configuration that follows the last one, if this proves it, and an operator has named it. */
    boolean accept(Successor said);
}
