package io.bulwark.console.access;

import io.bulwark.console.account.Role;
import io.bulwark.protocol.id.PrincipalId;
import org.springframework.security.core.AuthenticatedPrincipal;

/**
 * A person who signed in.
 *
 * @param principal of the person
 * @param limited whether a token gives less than the role of the person
 * @param version of the local account when the person signed in; 0 for others
 */
public record Person(String name, Role role, PrincipalId principal, Means means, boolean limited, long version)
        implements AuthenticatedPrincipal {
    /** Means by which a person signs in. */
    public enum Means {
        PASSWORD,
        TOKEN,
        OIDC
    }

    @Override
    public String getName() {
        return name;
    }

    /** Returns whether the person has an account here. */
    boolean isLocal() {
        return means != Means.OIDC;
    }
}
