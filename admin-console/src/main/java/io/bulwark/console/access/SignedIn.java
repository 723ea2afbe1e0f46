package io.bulwark.console.access;

import io.bulwark.client.Bulwark;
import io.bulwark.console.account.Role;
import io.bulwark.console.http.ApiException;
import io.bulwark.protocol.id.PrincipalId;
import java.util.Optional;
import org.springframework.http.HttpStatus;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.stereotype.Component;

/** The person who sent the current request. */
@Component
public class SignedIn {
    private final Door door;

    SignedIn(Door door) {
        this.door = door;
    }

    /**
     * Returns the client whose commands name this person, so that replicas judge them by the person's rights: the one that the
     * person's key opened, else the console's on the person's behalf.
     */
    public Bulwark client() {
        return person().own().map(OwnConnection::client).orElseGet(() -> door.onBehalfOf(principal()));
    }

    /**
     * Returns the principal for which the console acts. A token below its person's role acts through the principal of its
     * own role: replicas cannot see a token, and would judge by all rights of the person.
     */
    PrincipalId principal() {
        Person person = person();
        return person.limited() ? door.principalOf(person.role()) : person.principal();
    }

    /** Returns the name under which this person signed in; empty if nobody did. */
    public String name() {
        return find().map(Person::name).orElse("");
    }

    /** Returns the role of this person; empty if nobody signed in. */
    public Optional<Role> role() {
        return find().map(Person::role);
    }

    /** Returns whether this person has a role, or a higher one. */
    public boolean has(Role role) {
        return find().filter(person -> person.role().includes(role)).isPresent();
    }

    /** Returns the person; fails if nobody signed in. */
    public Person person() {
        return find().orElseThrow(() -> ApiException.of(HttpStatus.UNAUTHORIZED, "sign in first"));
    }

    private Optional<Person> find() {
        Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
        if (authentication == null || !authentication.isAuthenticated()) {
            return Optional.empty();
        }
        return switch (authentication.getPrincipal()) {
            case Person person -> Optional.of(person);
            case OidcUser user ->
                Roles.of(authentication)
                        .map(role ->
                                new Person(user.getName(), role, door.principalOf(role), Person.Means.OIDC, false, 0));
            case null, default -> Optional.empty();
        };
    }
}
