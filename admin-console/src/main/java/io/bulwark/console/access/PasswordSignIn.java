package io.bulwark.console.access;

import io.bulwark.console.account.Account;
import io.bulwark.console.account.Accounts;
import io.bulwark.console.account.SignInAttempts;
import io.bulwark.console.http.ApiException;
import io.bulwark.protocol.id.PrincipalId;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.AuthenticationProvider;
import org.springframework.security.authentication.AuthenticationServiceException;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.authentication.LockedException;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.web.authentication.WebAuthenticationDetails;
import org.springframework.stereotype.Component;

/** Sign-in with the name and the password of a local account. As the only provider that is a bean, all chains use it. */
@Component
class PasswordSignIn implements AuthenticationProvider {
    private final SignInAttempts attempts;
    private final Accounts accounts;

    PasswordSignIn(SignInAttempts attempts, Accounts accounts) {
        this.attempts = attempts;
        this.accounts = accounts;
    }

    @Override
    public Authentication authenticate(Authentication asked) {
        String name = asked.getName().strip().toLowerCase(Locale.ROOT);
        String password = String.valueOf(asked.getCredentials());
        String address = asked.getDetails() instanceof WebAuthenticationDetails web ? web.getRemoteAddress() : "";
        SignInAttempts.Outcome outcome;
        try {
            outcome = attempts.attempt(name, password, address);
        } catch (ApiException e) {
            throw new AuthenticationServiceException(e.detail(), e);
        }
        switch (outcome) {
            case REFUSED -> throw new BadCredentialsException("wrong name or password");
            case LOCKED -> throw new LockedException("too many failed sign-ins; try again in 15 minutes");
            case SIGNED_IN -> {}
        }
        UsernamePasswordAuthenticationToken signedIn = signedIn(accounts.require(name));
        signedIn.setDetails(asked.getDetails());
        return signedIn;
    }

    static UsernamePasswordAuthenticationToken signedIn(Account account) {
        Person person = new Person(
                account.name(),
                account.role(),
                PrincipalId.client(account.principal()),
                Person.Means.PASSWORD,
                false,
                account.version());
        return UsernamePasswordAuthenticationToken.authenticated(person, null, Roles.authorities(account.role()));
    }

    @Override
    public boolean supports(@Nullable Class<?> authentication) {
        return UsernamePasswordAuthenticationToken.class.equals(authentication);
    }
}
