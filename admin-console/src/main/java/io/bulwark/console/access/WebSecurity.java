package io.bulwark.console.access;

import io.bulwark.console.ConsoleSettings;
import io.bulwark.console.account.AccessLog;
import io.bulwark.console.account.Accounts;
import io.bulwark.console.account.Role;
import io.bulwark.console.http.ProblemWriter;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Clock;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.security.authentication.AuthenticationServiceException;
import org.springframework.security.authentication.LockedException;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AuthorizeHttpRequestsConfigurer;
import org.springframework.security.config.annotation.web.configurers.CsrfConfigurer;
import org.springframework.security.config.annotation.web.configurers.HeadersConfigurer;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.access.AccessDeniedHandlerImpl;
import org.springframework.security.web.authentication.LoginUrlAuthenticationEntryPoint;
import org.springframework.security.web.authentication.UsernamePasswordAuthenticationFilter;
import org.springframework.security.web.context.SecurityContextHolderFilter;
import org.springframework.security.web.csrf.CookieCsrfTokenRepository;
import org.springframework.security.web.header.writers.ReferrerPolicyHeaderWriter.ReferrerPolicy;
import org.springframework.security.web.savedrequest.CookieRequestCache;
import org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher;
import org.springframework.security.web.util.matcher.AndRequestMatcher;
import org.springframework.security.web.util.matcher.NegatedRequestMatcher;

/**
 * Rules of access, and the headers that confine what a page may load. The rules by path refuse what a role cannot do in any
 * case, and protect the console's own state; the replicas judge every command by the person's rights.
 */
@Configuration(proxyBeanMethods = false)
class WebSecurity {
    /** Scripts and styles come from this server's own files alone; nothing inline runs. */
    static final String CONTENT_SECURITY_POLICY =
            "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none';"
                    + " form-action 'self'; frame-ancestors 'none'";

    static final String SIGN_IN = "/sign-in";
    static final String SIGN_OUT = "/sign-out";
    static final String SETUP = "/setup";
    static final String API_SETUP = "/api/v1/setup";

    /** Parts of the cluster that administrators change; bounds that replicas do not enforce themselves among them. */
    private static final String[] ADMINISTERED = {
        "/api/v1/nodes/**", "/nodes/**",
        "/api/v1/groups/**", "/groups/**",
        "/api/v1/volumes/**", "/volumes/**",
        "/api/v1/replicas/**", "/replicas/**",
        "/api/v1/releases/**", "/releases/**",
        "/api/v1/principals/**", "/principals/**",
        "/api/v1/grants/**", "/grants/**",
        "/api/v1/act-for/**", "/act-for/**",
        "/api/v1/suspensions/**", "/suspensions/**",
    };

    private final Accounts accounts;
    private final RevokedPersons revoked;
    private final AccessLog log;
    private final ConsoleSettings settings;
    private final ProblemWriter problems;

    WebSecurity(
            Accounts accounts,
            RevokedPersons revoked,
            AccessLog log,
            ConsoleSettings settings,
            ProblemWriter problems) {
        this.accounts = accounts;
        this.revoked = revoked;
        this.log = log;
        this.settings = settings;
        this.problems = problems;
    }

    @Bean
    @Order(1)
    SecurityFilterChain api(HttpSecurity http) throws Exception {
        http.securityMatcher("/api/**")
                .authorizeHttpRequests(requests -> {
                    requests.requestMatchers(HttpMethod.POST, API_SETUP).permitAll();
                    authorize(requests);
                })
                .csrf(csrf -> csrf(csrf)
                        .ignoringRequestMatchers(
                                BearerFilter::isBearer,
                                PathPatternRequestMatcher.pathPattern(HttpMethod.POST, API_SETUP)))
                .requestCache(cache -> cache.disable())
                .exceptionHandling(failures -> failures.authenticationEntryPoint(
                                (_, response, _) -> unauthorized(response))
                        .accessDeniedHandler((_, response, denied) -> problems.send(
                                response,
                                HttpStatus.FORBIDDEN,
                                "your role does not allow this: " + denied.getMessage())))
                .addFilterAfter(new BearerFilter(accounts, revoked), SecurityContextHolderFilter.class);
        return common(http);
    }

    @Bean
    @Order(2)
    SecurityFilterChain pages(HttpSecurity http, OidcSignIn oidc) throws Exception {
        http.authorizeHttpRequests(requests -> {
                    requests.requestMatchers(
                                    SIGN_IN,
                                    SIGN_IN + "/key",
                                    SIGN_IN + "/device",
                                    SETUP,
                                    "/password",
                                    "/error",
                                    "/webjars/**",
                                    "/*.css",
                                    "/*.js")
                            .permitAll();
                    authorize(requests);
                })
                .formLogin(form -> form.loginPage(SIGN_IN)
                        .usernameParameter("name")
                        .successHandler(new Landing(requestCache()))
                        .failureHandler(this::refused))
                .logout(out -> out.logoutUrl(SIGN_OUT)
                        .logoutSuccessHandler(this::signedOut)
                        .deleteCookies(cookie("session")))
                .csrf(this::csrf)
                .requestCache(cache -> cache.requestCache(requestCache()))
                .exceptionHandling(failures -> failures.authenticationEntryPoint(this::toSignIn)
                        .accessDeniedHandler(new AccessDeniedHandlerImpl()));
        oidc.configure(http);
        return common(http);
    }

    private SecurityFilterChain common(HttpSecurity http) throws Exception {
        return http.addFilterBefore(
                        new SessionBounds(accounts, revoked, Clock.systemUTC()),
                        UsernamePasswordAuthenticationFilter.class)
                .sessionManagement(sessions -> sessions.sessionFixation(fixation -> fixation.changeSessionId()))
                .headers(headers -> headers.contentSecurityPolicy(
                                policy -> policy.policyDirectives(CONTENT_SECURITY_POLICY))
                        .referrerPolicy(referrer -> referrer.policy(ReferrerPolicy.NO_REFERRER))
                        // It would bind all ports of this host name, and forbid browsers to accept a self-signed
                        // certificate.
                        .httpStrictTransportSecurity(HeadersConfigurer.HstsConfig::disable))
                .build();
    }

    private static void authorize(
            AuthorizeHttpRequestsConfigurer<HttpSecurity>.AuthorizationManagerRequestMatcherRegistry requests) {
        requests.dispatcherTypeMatchers(DispatcherType.ERROR, DispatcherType.FORWARD, DispatcherType.ASYNC)
                .permitAll()
                .requestMatchers(
                        "/accounts", "/accounts/**", "/api/v1/accounts", "/api/v1/accounts/**", "/api/v1/access-log")
                .hasAuthority(Roles.authority(Role.ADMINISTRATOR))
                .requestMatchers("/audit/**", "/api/v1/audit/**", "/access-keys/**", "/api/v1/access-keys/**")
                .hasAuthority(Roles.authority(Role.ADMINISTRATOR))
                .requestMatchers("/webhooks/**", "/api/v1/webhooks/**")
                .hasAuthority(Roles.authority(Role.ADMINISTRATOR))
                .requestMatchers("/account", "/account/**", "/api/v1/account", "/api/v1/account/**")
                .hasAuthority(Roles.authority(Role.VIEWER))
                .requestMatchers(HttpMethod.GET, "/**")
                .hasAuthority(Roles.authority(Role.VIEWER))
                .requestMatchers(HttpMethod.HEAD, "/**")
                .hasAuthority(Roles.authority(Role.VIEWER))
                // It only reads: the names of its objects are too long for an address.
                .requestMatchers(HttpMethod.POST, "/api/v1/buckets/*/zip", "/buckets/*/zip")
                .hasAuthority(Roles.authority(Role.VIEWER))
                .requestMatchers(ADMINISTERED)
                .hasAuthority(Roles.authority(Role.ADMINISTRATOR))
                .anyRequest()
                .hasAuthority(Roles.authority(Role.OPERATOR));
    }

    /** The token lies in a cookie, so that nobody has a session before he signed in. */
    private CsrfConfigurer<HttpSecurity> csrf(CsrfConfigurer<HttpSecurity> csrf) {
        CookieCsrfTokenRepository tokens = new CookieCsrfTokenRepository();
        tokens.setCookieName(cookie("csrf"));
        tokens.setCookieCustomizer(cookie -> cookie.secure(settings.isSecure())
                .httpOnly(true)
                .sameSite("Strict")
                .path("/"));
        return csrf.csrfTokenRepository(tokens);
    }

    /** The page that was asked for is shown after the sign-in; parts of pages are not. */
    static CookieRequestCache requestCache() {
        CookieRequestCache cache = new CookieRequestCache();
        cache.setRequestMatcher(new AndRequestMatcher(
                PathPatternRequestMatcher.pathPattern(HttpMethod.GET, "/**"),
                request -> String.valueOf(request.getHeader(HttpHeaders.ACCEPT)).contains(MediaType.TEXT_HTML_VALUE),
                new NegatedRequestMatcher(WebSecurity::isPart)));
        return cache;
    }

    /** Browsers send cookies of a host to all its ports, so two consoles on a machine need two names. */
    private String cookie(String kind) {
        return CookieNames.of(kind, settings);
    }

    private static boolean isPart(HttpServletRequest request) {
        return "true".equals(request.getHeader("HX-Request"));
    }

    /** A part of a page cannot show the sign-in page in itself, so the whole page goes there. */
    private void toSignIn(HttpServletRequest request, HttpServletResponse response, AuthenticationException failure)
            throws IOException, jakarta.servlet.ServletException {
        if (isPart(request)) {
            response.setHeader("HX-Redirect", SIGN_IN);
            response.setStatus(HttpServletResponse.SC_UNAUTHORIZED);
            return;
        }
        new LoginUrlAuthenticationEntryPoint(SIGN_IN).commence(request, response, failure);
    }

    private void refused(HttpServletRequest request, HttpServletResponse response, AuthenticationException failure)
            throws IOException {
        String why = switch (failure) {
            case LockedException _ -> "locked";
            case AuthenticationServiceException _ -> "busy";
            default -> "refused";
        };
        response.sendRedirect(SIGN_IN + "?" + why);
    }

    private void signedOut(
            HttpServletRequest request, HttpServletResponse response, @Nullable Authentication authentication)
            throws IOException {
        if (authentication != null) {
            log.add(AccessLog.Event.SIGNED_OUT, authentication.getName(), request.getRemoteAddr(), "");
        }
        response.sendRedirect(SIGN_IN + "?out");
    }

    private void unauthorized(HttpServletResponse response) throws IOException {
        response.setHeader("WWW-Authenticate", "Bearer");
        problems.send(
                response,
                HttpStatus.UNAUTHORIZED,
                "sign in, or send a personal access token as `Authorization: Bearer`; the account page makes one");
    }
}
