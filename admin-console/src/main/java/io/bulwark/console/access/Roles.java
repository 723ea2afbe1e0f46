package io.bulwark.console.access;

import io.bulwark.console.account.Role;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.authority.SimpleGrantedAuthority;

/** Roles as authorities of Spring Security: that of a role and of all that it includes. */
final class Roles {
    private Roles() {}

    /** Returns the name of the authority that a role gives. */
    static String authority(Role role) {
        return "ROLE_" + role.name();
    }

    static List<GrantedAuthority> authorities(Role role) {
        return Stream.of(Role.values())
                .filter(role::includes)
                .<GrantedAuthority>map(each -> new SimpleGrantedAuthority(authority(each)))
                .toList();
    }

    /** Returns the highest role of a person; empty if there is none. */
    static Optional<Role> of(Authentication person) {
        List<String> has = person.getAuthorities().stream()
                .map(GrantedAuthority::getAuthority)
                .toList();
        return Stream.of(Role.values())
                .filter(role -> has.contains(authority(role)))
                .reduce((_, higher) -> higher);
    }
}
