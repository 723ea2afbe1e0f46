package io.bulwark.console.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.console.ConsoleServer;
import io.bulwark.console.ConsoleSettings;
import io.bulwark.console.Surroundings;
import io.bulwark.console.account.Role;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.oauth2.server.authorization.token.JwtEncodingContext;
import org.springframework.security.oauth2.server.authorization.token.OAuth2TokenCustomizer;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;

/** Sign-in through a real provider. The start of two servers takes most of its time. */
class OidcProviderTest {
    @TempDir
    private static Path directory = Path.of("");

    private static ConsoleServer server;
    private static ConfigurableApplicationContext provider;
    private static String console = "";
    private static String issuer = "";

    /** The provider: its people are in groups, which it tells in a claim. */
    @EnableAutoConfiguration
    static class Provider {
        @Bean
        UserDetailsService people() {
            return new InMemoryUserDetailsManager(
                    User.withUsername("alice")
                            .password("{noop}a")
                            .authorities("admins")
                            .build(),
                    User.withUsername("bob")
                            .password("{noop}b")
                            .authorities("staff", "drivers")
                            .build(),
                    User.withUsername("eve")
                            .password("{noop}e")
                            .authorities("drivers")
                            .build());
        }

        @Bean
        OAuth2TokenCustomizer<JwtEncodingContext> groups() {
            return context -> context.getClaims()
                    .claim(
                            "groups",
                            Objects.requireNonNull(context.<Authentication>getPrincipal()).getAuthorities().stream()
                                    .map(Object::toString)
                                    .toList());
        }
    }

    @BeforeAll
    static void start() throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        issuer = "http://localhost:" + port;
        Path secret = Files.writeString(directory.resolve("secret"), "between the two\n");
        ConsoleSettings.Oidc oidc = new ConsoleSettings.Oidc(
                URI.create(issuer),
                "bulwark",
                secret,
                "groups",
                Map.of("staff", Role.VIEWER, "admins", Role.ADMINISTRATOR));
        server = ConsoleServer.start(
                DoorCluster.enabled()::client,
                new ConsoleSettings(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        false,
                        directory,
                        DoorCluster.DOOR,
                        new ConsoleSettings.Web(
                                Optional.empty(), Optional.empty(), Optional.of(oidc), Optional.empty()),
                        Surroundings.NONE));
        console = "http://127.0.0.1:" + server.address().getPort();
        String client = "spring.security.oauth2.authorizationserver.client.bulwark.registration.";
        provider = new SpringApplicationBuilder(Provider.class)
                .logStartupInfo(false)
                .properties(Map.of(
                        "server.address",
                        "127.0.0.1",
                        "server.port",
                        port,
                        "spring.jmx.enabled",
                        "false",
                        client + "client-id",
                        "bulwark",
                        client + "client-secret",
                        "{noop}between the two",
                        client + "client-authentication-methods",
                        "client_secret_basic",
                        client + "authorization-grant-types",
                        "authorization_code",
                        client + "redirect-uris",
                        console + "/login/oauth2/code/oidc",
                        client + "scopes",
                        "openid,profile"))
                .run();
    }

    @AfterAll
    static void stop() {
        server.close();
        if (provider != null) {
            provider.close();
        }
    }

    @Test
    void theClaimOfTheProviderGivesTheRole() {
        try (Browser alice = new Browser(console);
                Browser bob = new Browser(console)) {
            assertThat(signIn(alice, "alice", "a")).isEqualTo(console + "/");
            assertThat(alice.get("/api/v1/account").body())
                    .contains("\"name\":\"oidc:alice\"", "\"role\":\"administrator\"", "\"means\":\"oidc\"");
            assertThat(alice.get("/accounts").statusCode()).isEqualTo(200);
            assertThat(signIn(bob, "bob", "b")).isEqualTo(console + "/");
            assertThat(bob.get("/api/v1/account").body()).contains("\"role\":\"viewer\"");
            assertThat(bob.get("/accounts").statusCode()).isEqualTo(403);
        }
    }

    @Test
    void whoeverHasNoRoleIsRefused() {
        try (Browser eve = new Browser(console)) {
            assertThat(signIn(eve, "eve", "e")).isEqualTo(console + "/sign-in?provider");
            assertThat(eve.get("/api/v1/account").statusCode()).isEqualTo(401);
        }
    }

    /** A code that another browser was given is none for this one. */
    @Test
    void anAnswerThatNobodyAskedForIsRefused() {
        try (Browser mallory = new Browser(console)) {
            HttpResponse<String> answer = mallory.get("/login/oauth2/code/oidc?code=stolen&state=made-up");
            assertThat(answer.headers().firstValue("Location").orElse("")).endsWith("/sign-in?provider");
            assertThat(mallory.get("/api/v1/account").statusCode()).isEqualTo(401);
        }
    }

    /** Follows the redirections as a browser does; returns where they end. */
    private static String signIn(Browser browser, String name, String password) {
        URI at = URI.create(console + "/oauth2/authorization/oidc");
        HttpResponse<String> page = browser.get(at.toString());
        for (int step = 0; step < 10; step++) {
            if (page.statusCode() == 302) {
                at = at.resolve(page.headers().firstValue("Location").orElseThrow());
                if (List.of("/", "/sign-in").contains(at.getPath())
                        && at.toString().startsWith(console)) {
                    return at.toString();
                }
                page = browser.get(at.toString(), "Accept", "text/html");
            } else if (at.getPath().equals("/login")) {
                page = browser.submit(
                        issuer + "/login", issuer + "/login", Map.of("username", name, "password", password));
                at = URI.create(issuer);
            } else {
                throw new AssertionError(at + " gives " + page.statusCode() + ": " + page.body());
            }
        }
        throw new AssertionError("no end of redirections at " + at);
    }
}
