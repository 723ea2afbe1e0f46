package io.bulwark.console.access;

import io.bulwark.console.account.Accounts;
import io.bulwark.console.account.Role;
import io.bulwark.protocol.id.PrincipalId;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;
import org.springframework.http.HttpHeaders;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Personal access tokens of programs. A request with a token is judged by it alone, even if it carries the cookie of a
 * session, and leaves no session behind.
 */
class BearerFilter extends OncePerRequestFilter {
    private static final String SCHEME = "Bearer ";

    private final Accounts accounts;
    private final RevokedPersons revoked;

    BearerFilter(Accounts accounts, RevokedPersons revoked) {
        this.accounts = accounts;
        this.revoked = revoked;
    }

    /** Returns whether a request carries a token: no page of another site can make a browser send one. */
    static boolean isBearer(HttpServletRequest request) {
        String header = request.getHeader(HttpHeaders.AUTHORIZATION);
        return header != null && header.regionMatches(true, 0, SCHEME, 0, SCHEME.length());
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        if (!isBearer(request)) {
            chain.doFilter(request, response);
            return;
        }
        String secret = String.valueOf(request.getHeader(HttpHeaders.AUTHORIZATION))
                .substring(SCHEME.length())
                .strip();
        Optional<Accounts.TokenUse> use = accounts.findByToken(secret)
                .filter(found ->
                        !revoked.contains(PrincipalId.client(found.account().principal())));
        SecurityContext context = SecurityContextHolder.createEmptyContext();
        use.ifPresent(found -> {
            Role role = found.token().role().atMost(found.account().role());
            Person person = new Person(
                    found.account().name(),
                    role,
                    PrincipalId.client(found.account().principal()),
                    Person.Means.TOKEN,
                    role != found.account().role(),
                    found.account().version());
            context.setAuthentication(
                    UsernamePasswordAuthenticationToken.authenticated(person, null, Roles.authorities(role)));
        });
        SecurityContextHolder.setContext(context);
        chain.doFilter(request, response);
    }

    @Override
    protected boolean shouldNotFilterAsyncDispatch() {
        return false;
    }
}
