package io.bulwark.console.access;

import io.bulwark.console.ConsoleSettings;
import io.bulwark.console.account.AccessLog;
import io.bulwark.console.account.Role;
import io.bulwark.console.account.SignInAttempts;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.Serial;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.oauth2.client.oidc.userinfo.OidcUserService;
import org.springframework.security.oauth2.client.registration.ClientRegistration;
import org.springframework.security.oauth2.client.registration.ClientRegistrations;
import org.springframework.security.oauth2.client.registration.InMemoryClientRegistrationRepository;
import org.springframework.security.oauth2.client.registration.SupplierClientRegistrationRepository;
import org.springframework.security.oauth2.core.OAuth2AuthenticationException;
import org.springframework.security.oauth2.core.OAuth2Error;
import org.springframework.security.oauth2.core.oidc.user.DefaultOidcUser;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.stereotype.Component;

/**
 * Sign-in through an OpenID Connect provider, where one is configured. A claim of the provider decides the role; the person
 * acts through the principal of that role, and the console's log has the name.
 */
@Component
class OidcSignIn {
    static final String REGISTRATION = "oidc";

    private final ConsoleSettings settings;
    private final AccessLog log;
    private final SignInAttempts attempts;

    OidcSignIn(ConsoleSettings settings, AccessLog log, SignInAttempts attempts) {
        this.attempts = attempts;
        this.settings = settings;
        this.log = log;
    }

    void configure(HttpSecurity http) throws Exception {
        if (settings.web().oidc().isEmpty()) {
            return;
        }
        ConsoleSettings.Oidc oidc = settings.web().oidc().get();
        OidcUserService users = new OidcUserService();
        http.oauth2Login(login -> login.loginPage(WebSecurity.SIGN_IN)
                // The provider is asked when somebody signs in: the console starts without it.
                .clientRegistrationRepository(new SupplierClientRegistrationRepository(
                        () -> new InMemoryClientRegistrationRepository(registration(oidc))))
                .userInfoEndpoint(info -> info.oidcUserService(request -> withRole(users.loadUser(request), oidc)))
                .successHandler(successHandler())
                .failureHandler((request, response, failure) -> {
                    attempts.refuse("", request.getRemoteAddr(), "OIDC: " + failure.getMessage());
                    response.sendRedirect(WebSecurity.SIGN_IN + "?provider");
                }));
    }

    private Landing successHandler() {
        return new Landing(WebSecurity.requestCache()) {
            @Override
            public void onAuthenticationSuccess(
                    HttpServletRequest request, HttpServletResponse response, Authentication person)
                    throws IOException, ServletException {
                log.add(
                        AccessLog.Event.SIGNED_IN,
                        person.getName(),
                        request.getRemoteAddr(),
                        "OIDC, " + Roles.of(person).map(Role::toString).orElse("no role"));
                super.onAuthenticationSuccess(request, response, person);
            }
        };
    }

    private ClientRegistration registration(ConsoleSettings.Oidc oidc) {
        String secret;
        try {
            secret = Files.readString(oidc.secret())
                    .lines()
                    .findFirst()
                    .orElse("")
                    .strip();
        } catch (IOException e) {
            throw new OAuth2AuthenticationException(
                    new OAuth2Error("secret"), "cannot read " + oidc.secret() + ": " + e.getMessage(), e);
        }
        String base = settings.web().url().map(Object::toString).orElse("{baseUrl}");
        return ClientRegistrations.fromIssuerLocation(oidc.issuer().toString())
                .registrationId(REGISTRATION)
                .clientId(oidc.clientId())
                .clientSecret(secret)
                .scope("openid", "profile")
                .redirectUri(base.replaceAll("/+$", "") + "/login/oauth2/code/{registrationId}")
                .build();
    }

    /** Returns the person with the highest role that the claim gives; refuses one without a role. */
    static OidcUser withRole(OidcUser user, ConsoleSettings.Oidc oidc) {
        Role role = role(user.getClaims(), oidc)
                .orElseThrow(() -> new OAuth2AuthenticationException(
                        new OAuth2Error("no_role"),
                        "the claim " + oidc.claim() + " gives " + user.getName() + " no role"));
        List<GrantedAuthority> authorities = new ArrayList<>(Roles.authorities(role));
        String name = user.getPreferredUsername() != null ? "preferred_username" : "sub";
        return new ProvidersUser(authorities, user, name);
    }

    /** A person of the provider. The name has a beginning that no account has, so that nobody passes for another. */
    private static final class ProvidersUser extends DefaultOidcUser {
        @Serial
        private static final long serialVersionUID = 1;

        private ProvidersUser(List<GrantedAuthority> authorities, OidcUser user, String name) {
            super(authorities, user.getIdToken(), user.getUserInfo(), name);
        }

        @Override
        public String getName() {
            return "oidc:" + super.getName();
        }
    }

    private static Optional<Role> role(Map<String, Object> claims, ConsoleSettings.Oidc oidc) {
        @Nullable Object claim = claims.get(oidc.claim());
        Collection<?> values =
                claim instanceof Collection<?> several ? several : claim == null ? List.of() : List.of(claim);
        return values.stream()
                .filter(String.class::isInstance)
                .map(value -> Optional.ofNullable(oidc.roles().get(value)))
                .flatMap(Optional::stream)
                .max(Role::compareTo);
    }
}
