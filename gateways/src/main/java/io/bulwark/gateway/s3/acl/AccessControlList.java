package io.bulwark.gateway.s3.acl;

import io.bulwark.protocol.id.PrincipalId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The grants of a bucket or an object, in order. */
public record AccessControlList(List<Grant> grants) {
    /** S3 has the same bound. */
    static final int GRANTS_MAX = 100;

    /** One permission of one grantee. */
    public record Grant(Grantee grantee, Permission permission) {}

    public AccessControlList {
        grants = List.copyOf(grants);
    }

    /** Returns the list that grants all to the owner, and nothing to others. */
    public static AccessControlList ownedBy(String owner) {
        return new AccessControlList(List.of(new Grant(new Grantee(owner), Permission.FULL_CONTROL)));
    }

    /** Returns whether it grants a permission to the sender of a request. */
    public boolean allows(Optional<PrincipalId> person, Permission wanted) {
        return grants.stream()
                .anyMatch(grant ->
                        grant.permission().includes(wanted) && grant.grantee().contains(person));
    }

    /** Returns whether it grants something to one of the groups of S3. */
    public boolean isPublic() {
        return grants.stream().anyMatch(grant -> grant.grantee().isGroup());
    }

    /** Returns the list without the grants to groups. */
    public AccessControlList withoutGroups() {
        return new AccessControlList(
                grants.stream().filter(grant -> !grant.grantee().isGroup()).toList());
    }

    /** Returns the short form that is kept as metadata. */
    public String toText() {
        StringBuilder text = new StringBuilder();
        for (Grant grant : grants) {
            Grantee grantee = grant.grantee();
            String id = grantee.equals(Grantee.ALL_USERS)
                    ? "*"
                    : grantee.equals(Grantee.AUTHENTICATED_USERS) ? "+" : grantee.id();
            text.append(text.isEmpty() ? "" : " ")
                    .append(grant.permission().ordinal())
                    .append(id);
        }
        return text.toString();
    }

    /**
     * Reads the short form.
     *
     * @throws IllegalArgumentException if it is not one
     */
    public static AccessControlList ofText(String text) {
        List<Grant> grants = new ArrayList<>();
        for (String part : text.isEmpty() ? new String[0] : text.split(" ", -1)) {
            int permission = part.isEmpty() ? -1 : part.charAt(0) - '0';
            if (permission < 0 || permission >= Permission.values().length || part.length() < 2) {
                throw new IllegalArgumentException("not an access control list: " + text);
            }
            String id = part.substring(1);
            Grantee grantee = switch (id) {
                case "*" -> Grantee.ALL_USERS;
                case "+" -> Grantee.AUTHENTICATED_USERS;
                default -> new Grantee(id);
            };
            grants.add(new Grant(grantee, Permission.values()[permission]));
        }
        return new AccessControlList(grants);
    }
}
