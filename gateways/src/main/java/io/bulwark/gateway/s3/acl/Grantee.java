package io.bulwark.gateway.s3.acl;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import java.util.Optional;

/**
 * Person or group to whom an access control list grants something.
 *
 * @param id text of a principal, or the address of a group
 */
public record Grantee(String id) {
    public static final Grantee ALL_USERS = new Grantee("http://acs.amazonaws.com/groups/global/AllUsers");
    public static final Grantee AUTHENTICATED_USERS =
            new Grantee("http://acs.amazonaws.com/groups/global/AuthenticatedUsers");

    public static Grantee of(PrincipalId person) {
        return new Grantee(person.toString());
    }

    /** Returns the person of this canonical user ID; empty if it is not the name of a client. */
    public static Optional<Grantee> ofPerson(String id) {
        try {
            PrincipalId person = PrincipalId.parse(id);
            return person.kind() == PrincipalKind.CLIENT ? Optional.of(of(person)) : Optional.empty();
        } catch (IllegalArgumentException _) {
            return Optional.empty();
        }
    }

    public boolean isGroup() {
        return equals(ALL_USERS) || equals(AUTHENTICATED_USERS);
    }

    /**
     * Returns whether this person or group contains the sender of a request.
     *
     * @param person empty for a request without a signature
     */
    public boolean contains(Optional<PrincipalId> person) {
        return equals(ALL_USERS)
                || person.filter(named ->
                                equals(AUTHENTICATED_USERS) || named.toString().equals(id))
                        .isPresent();
    }
}
