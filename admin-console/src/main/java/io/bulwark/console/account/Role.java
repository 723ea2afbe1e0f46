package io.bulwark.console.account;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import io.bulwark.protocol.metadata.Rights;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Roles of persons, each including those before. A role is a set of rights on the whole cluster. The replicas judge by the
 * grants of the person's principal; the console refuses earlier, so that it need not ask them.
 */
public enum Role {
    /** Looks at everything but the audit log. */
    VIEWER(new Rights(true, false, false)),
    /** Changes buckets and objects too. */
    OPERATOR(new Rights(true, true, false)),
    /** Changes volumes, nodes, replicas, principals and accounts too. */
    ADMINISTRATOR(new Rights(true, true, true));

    @SuppressWarnings("ImmutableEnumChecker") // A record of booleans.
    private final Rights rights;

    Role(Rights rights) {
        this.rights = rights;
    }

    /** Returns the rights of the person's principal, and the ceiling under which the console acts for it. */
    public Rights rights() {
        return rights;
    }

    /** Returns whether this role includes another. */
    public boolean includes(Role other) {
        return compareTo(other) >= 0;
    }

    /** Returns the lower one of two roles. */
    public Role atMost(Role bound) {
        return bound.includes(this) ? this : bound;
    }

    /** Returns the word for people and files, such as {@code viewer}. */
    @JsonValue
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the role of this word; empty if there is none. */
    public static Optional<Role> find(String word) {
        return Stream.of(values()).filter(role -> role.toString().equals(word)).findFirst();
    }

    @JsonCreator
    static Role of(String word) {
        return find(word).orElseThrow(() -> new IllegalArgumentException("no role is called " + word));
    }
}
