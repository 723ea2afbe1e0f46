package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Grants.Right;
import java.util.Optional;

/**
 * Principal whose rights decide on a request, and the ceiling over them. Without a person these are the sender's own
 * rights, all of them. With a person they are the person's, as far as the sender's act-for grant includes them.
 *
 * @param sender the authenticated sender
 */
record Authority(PrincipalId sender, Optional<PrincipalId> onBehalfOf, Rights ceiling) {
    /** Returns the authority of a sender that asks for itself. */
    static Authority own(PrincipalId sender) {
        return new Authority(sender, Optional.empty(), Rights.ALL);
    }

    /** Returns the principal whose rights count. */
    PrincipalId principal() {
        return onBehalfOf.orElse(sender);
    }

    boolean includes(Right right) {
        return right.in(ceiling);
    }

    @Override
    public String toString() {
        return onBehalfOf.map(person -> sender + " for " + person).orElse(sender.toString());
    }
}
