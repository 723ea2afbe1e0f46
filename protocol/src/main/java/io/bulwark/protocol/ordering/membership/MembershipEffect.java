package io.bulwark.protocol.ordering.membership;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.membership.MembershipMessage.Successor;

/** Actions that {@link Membership} requests from its driver, to be done in order. */
public sealed interface MembershipEffect {
    /** May be lost. */
    record Send(PrincipalId to, MembershipMessage message) implements MembershipEffect {}

    /**
     * Effect: the previous configuration is over. Keep the proof and its mandate durably; then stop the replica in it,
     * with its promises and its session keys. Start one in the next configuration if that names this replica.
     */
    record Advance(Successor said) implements MembershipEffect {}
}
