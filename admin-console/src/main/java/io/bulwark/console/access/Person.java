package io.bulwark.console.access;

import io.bulwark.console.account.Role;
import io.bulwark.protocol.id.PrincipalId;
import java.util.Optional;
import org.springframework.security.core.AuthenticatedPrincipal;

/**
 * A person who signed in.
 *
 * @param principal of the person
 * @param limited whether a token gives less than the role of the person
 * @param version of the local account when the person signed in; 0 for others
 * @param own the connection that the person's own key opened; empty where the console acts for the person
 */
public record Person(
        String name,
        Role role,
        PrincipalId principal,
        Means means,
        boolean limited,
        long version,
        Optional<OwnConnection> own)
        implements AuthenticatedPrincipal {
    /** Creates a person for whom the console acts. */
    Person(String name, Role role, PrincipalId principal, Means means, boolean limited, long version) {
        this(name, role, principal, means, limited, version, Optional.empty());
    }

    /** Means by which a person signs in. */
    public enum Means {
        PASSWORD,
        TOKEN,
        OIDC,
        KEY
    }

    @Override
    public String getName() {
        return name;
    }

    /** Returns whether the person has an account here. */
    boolean isLocal() {
        return means == Means.PASSWORD || means == Means.TOKEN;
    }
}
