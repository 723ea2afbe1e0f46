package io.bulwark.console.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.client.error.UnavailableException;
import io.bulwark.console.ConsoleServer;
import io.bulwark.console.ConsoleSettings;
import io.bulwark.console.Surroundings;
import io.bulwark.console.account.Account;
import io.bulwark.console.account.Accounts;
import io.bulwark.console.account.Role;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.transport.identity.Identity;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.oauth2.core.OAuth2AuthenticationException;
import org.springframework.security.oauth2.core.oidc.OidcIdToken;
import org.springframework.security.oauth2.core.oidc.user.DefaultOidcUser;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;

class OidcSignInTest {
    private static final ConsoleSettings.Oidc OIDC = new ConsoleSettings.Oidc(
            URI.create("https://127.0.0.1:1"),
            "bulwark",
            Path.of("secret"),
            "groups",
            Map.of("staff", Role.VIEWER, "admins", Role.ADMINISTRATOR));

    @TempDir
    private Path directory = Path.of("");

    @Test
    void theHighestRoleOfTheClaimCounts() {
        assertThat(role(List.of("staff", "other", "admins"))).contains(Role.ADMINISTRATOR);
        assertThat(role("staff")).contains(Role.VIEWER);
        for (Object none : List.of(List.of(), List.of("Admins"), "", 3, List.of(3))) {
            assertThatThrownBy(() -> role(none))
                    .as(none.toString())
                    .isInstanceOf(OAuth2AuthenticationException.class)
                    .hasMessageContaining("the claim groups gives");
        }
    }

    /** Names of the provider's are anything that its people choose. */
    @Test
    void aPersonOfTheProviderDoesNotPassForAnAccount() {
        Instant now = Instant.now();
        OidcIdToken token = new OidcIdToken(
                "token",
                now,
                now.plusSeconds(60),
                Map.of("sub", "42", "groups", "staff", "preferred_username", "alice"));
        String name =
                OidcSignIn.withRole(new DefaultOidcUser(List.of(), token), OIDC).getName();
        assertThat(name).isEqualTo("oidc:alice");
        assertThat(Account.isName(name)).isFalse();
    }

    /** The provider is asked when somebody signs in, so a console starts without it. */
    @Test
    void aConsoleWithTlsOffersItsProvider() throws Exception {
        Path identity = directory.resolve("client-1.pem");
        Identity.generate(PrincipalId.client(1), new SecureRandom()).store(identity);
        ConsoleSettings.Web web = new ConsoleSettings.Web(
                Optional.of(URI.create("https://localhost")),
                Optional.of(new ConsoleSettings.Tls(identity, identity)),
                Optional.of(OIDC),
                Optional.empty());
        InetSocketAddress everywhere = new InetSocketAddress(InetAddress.getByName("0.0.0.0"), 0);
        ConsoleSettings settings =
                new ConsoleSettings(everywhere, false, directory, DoorCluster.DOOR, web, Surroundings.NONE);
        try (ConsoleServer server = ConsoleServer.start(DoorCluster.enabled()::client, settings);
                HttpClient browser =
                        HttpClient.newBuilder().sslContext(anyCertificate()).build()) {
            assertThat(server.setupUrl().orElseThrow()).startsWith("https://localhost/setup?token=");
            URI page = URI.create("https://localhost:" + server.address().getPort() + "/sign-in");
            HttpResponse<String> signIn =
                    browser.send(HttpRequest.newBuilder(page).build(), HttpResponse.BodyHandlers.ofString());
            assertThat(signIn.statusCode()).isEqualTo(200);
            assertThat(signIn.body()).contains("/oauth2/authorization/oidc");
            assertThat(signIn.headers().firstValue("Set-Cookie").orElse("")).contains("Secure", "HttpOnly");
        }
    }

    @Test
    void withoutTlsAConsoleListensOnLoopbackAlone() throws Exception {
        InetSocketAddress everywhere = new InetSocketAddress(InetAddress.getByName("0.0.0.0"), 0);
        ConsoleSettings settings = new ConsoleSettings(
                everywhere, false, directory, DoorCluster.DOOR, ConsoleSettings.Web.PLAIN, Surroundings.NONE);
        assertThatThrownBy(() -> ConsoleServer.start(DoorCluster.enabled()::client, settings))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("loopback only");
    }

    @Test
    void aConsoleThatWasNotEnabledSaysWhatToDo() {
        ConsoleSettings settings = new ConsoleSettings(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                false,
                directory,
                DoorCluster.DOOR,
                ConsoleSettings.Web.PLAIN,
                Surroundings.NONE);
        Door door = new Door(new DoorCluster().client(), settings, new Accounts(directory, Clock.systemUTC()));
        assertThatThrownBy(() -> door.watching())
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("bulwark console enable --door client-1");
    }

    private static Optional<Role> role(Object claim) {
        Instant now = Instant.now();
        OidcIdToken token = new OidcIdToken("token", now, now.plusSeconds(60), Map.of("sub", "42", "groups", claim));
        OidcUser user = OidcSignIn.withRole(new DefaultOidcUser(List.of(), token), OIDC);
        return Roles.of(new TestingAuthenticationToken(user, null, List.copyOf(user.getAuthorities())));
    }

    private static SSLContext anyCertificate() throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {new AnyCertificate()}, null);
        return context;
    }

    private static final class AnyCertificate extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
