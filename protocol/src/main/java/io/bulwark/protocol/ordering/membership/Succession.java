package io.bulwark.protocol.ordering.membership;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.membership.MembershipMessage.Successor;

/** Sequence of the configurations of replicas that its holder has learned of. Only the last one counts. */
public interface Succession {
    /** The last one. */
    ConfigurationStart term();

    /**
     * Returns whether a received proof may be checked now. Checks are expensive, so a sender must pause between two,
     * whichever component receives them.
     */
    boolean mayCheck(long nowMillis, PrincipalId from);

    /** Goes on to the configuration that follows the last one, if this proves it, and an operator has named it. */
    boolean accept(Successor said);
}
