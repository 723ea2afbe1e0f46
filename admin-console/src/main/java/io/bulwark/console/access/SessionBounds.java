package io.bulwark.console.access;

import io.bulwark.console.account.Account;
import io.bulwark.console.account.Accounts;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Ends sessions that are 12 hours old, and those of accounts that were deactivated or revoked, or got another password since. The
 * server ends idle ones.
 */
class SessionBounds extends OncePerRequestFilter {
    private static final Duration AGE_MAX = Duration.ofHours(12);

    private final Accounts accounts;
    private final RevokedPersons revoked;
    private final Clock clock;

    SessionBounds(Accounts accounts, RevokedPersons revoked, Clock clock) {
        this.accounts = accounts;
        this.revoked = revoked;
        this.clock = clock;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        HttpSession session = request.getSession(false);
        if (session != null
                && (isOld(session)
                        || isOutdated(SecurityContextHolder.getContext().getAuthentication()))) {
            session.invalidate();
            SecurityContextHolder.clearContext();
        }
        chain.doFilter(request, response);
    }

    private boolean isOld(HttpSession session) {
        return clock.millis() - session.getCreationTime() > AGE_MAX.toMillis();
    }

    private boolean isOutdated(@Nullable Authentication authentication) {
        return authentication != null
                && authentication.getPrincipal() instanceof Person person
                && (revoked.contains(person.principal()) || (person.isLocal() && isOutdated(person)));
    }

    private boolean isOutdated(Person person) {
        return accounts.find(person.name())
                .filter(Account::active)
                .filter(account -> account.version() == person.version())
                .isEmpty();
    }
}
