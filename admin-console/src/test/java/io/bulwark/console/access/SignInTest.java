package io.bulwark.console.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bulwark.console.ConsoleServer;
import io.bulwark.console.ConsoleSettings;
import io.bulwark.console.Surroundings;
import io.bulwark.console.account.Role;
import io.bulwark.console.account.SetupLink;
import io.bulwark.protocol.id.PrincipalId;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sign-in through a real server, over a cluster in memory. The start of the server takes most of its time. */
class SignInTest {
    private static final String PASSWORD = "a long river of words";
    private static final Pattern SECRET = Pattern.compile("bwk_[\\w-]+");
    private static final Pattern LINK = Pattern.compile("/password\\?token=([\\w-]+)");

    @TempDir
    private static Path directory = Path.of("");

    private static final DoorCluster CLUSTER = DoorCluster.enabled();
    private static ConsoleServer server;
    private static String base = "";
    private static String firstLink = "";

    @BeforeAll
    static void start() throws Exception {
        server = ConsoleServer.start(
                CLUSTER::client,
                new ConsoleSettings(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        false,
                        directory,
                        DoorCluster.DOOR,
                        ConsoleSettings.Web.PLAIN,
                        Surroundings.NONE));
        base = "http://127.0.0.1:" + server.address().getPort();
        firstLink = server.setupUrl().orElseThrow();
        try (Browser browser = new Browser(base)) {
            String token = firstLink.substring(firstLink.indexOf('=') + 1);
            HttpResponse<String> done = browser.submit(
                    firstLink,
                    "/setup",
                    Map.of("token", token, "name", "root", "password", PASSWORD, "again", PASSWORD));
            assertThat(done.headers().firstValue("Location").orElse("")).endsWith("/sign-in?ready");
        }
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void theSetupLinkWorksOnce() {
        try (Browser browser = new Browser(base)) {
            assertThat(browser.get(firstLink).statusCode()).isEqualTo(403);
            HttpResponse<String> again = browser.json(
                    "POST",
                    "/api/v1/setup",
                    "{\"token\":\"" + firstLink.substring(firstLink.indexOf('=') + 1)
                            + "\",\"name\":\"eve\",\"password\":\"" + PASSWORD + "\"}");
            assertThat(again.statusCode()).isEqualTo(403);
        }
    }

    /** Write access to the console's directory is enough to make a link: for a second administrator, here through the API. */
    @Test
    void aLinkOfTheCommandLineMakesAnAdministratorWithAToken() {
        String token = new SetupLink(directory, Clock.systemUTC()).make();
        try (Browser browser = new Browser(base)) {
            String body = "{\"token\":\"" + token + "\",\"name\":\"second\",\"password\":\"%s\"}";
            HttpResponse<String> weak = browser.json("POST", "/api/v1/setup", body.formatted("short"));
            assertThat(weak.statusCode()).isEqualTo(400);
            assertThat(weak.body()).contains("\"field\":\"password\"");
            HttpResponse<String> made = browser.json("POST", "/api/v1/setup", body.formatted(PASSWORD));
            assertThat(made.statusCode()).isEqualTo(201);
            assertThat(account(browser, find(SECRET, made.body(), 0)).body())
                    .contains("\"name\":\"second\"", "\"role\":\"administrator\"", "\"means\":\"token\"");
        }
    }

    @Test
    void withoutSignInPagesRedirectAndTheApiRefuses() {
        try (Browser browser = new Browser(base)) {
            HttpResponse<String> page = browser.get("/accounts");
            assertThat(page.statusCode()).isEqualTo(302);
            assertThat(page.headers().firstValue("Location").orElse("")).endsWith("/sign-in");
            HttpResponse<String> part = browser.get("/", "HX-Request", "true");
            assertThat(part.statusCode()).isEqualTo(401);
            assertThat(part.headers().firstValue("HX-Redirect")).contains("/sign-in");
            for (String path : List.of("/api/v1/status", "/api/v1/accounts", "/api/v1/openapi", "/api/v1/nothing")) {
                HttpResponse<String> api = browser.get(path);
                assertThat(api.statusCode()).as(path).isEqualTo(401);
                assertThat(api.headers().firstValue("Content-Type").orElse("")).startsWith("application/problem+json");
            }
            assertThat(browser.cookie("bulwark-session"))
                    .as("no session before a sign-in")
                    .isEmpty();
            assertThat(browser.get("/console.css").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void signInGivesASessionUntilSignOut() {
        try (Browser browser = new Browser(base)) {
            HttpResponse<String> in = browser.signIn("ROOT ", PASSWORD);
            assertThat(in.headers().firstValue("Location").orElse("")).endsWith("/");
            assertThat(in.headers().allValues("Set-Cookie"))
                    .filteredOn(cookie -> cookie.startsWith("bulwark-session"))
                    .hasSize(1)
                    .allSatisfy(cookie -> assertThat(cookie).contains("HttpOnly", "SameSite=Strict"));
            assertThat(browser.get("/account").body()).contains("root", "administrator");
            String session = browser.cookie("bulwark-session");
            assertThat(session).isNotEmpty();

            browser.signIn("root", PASSWORD);
            assertThat(browser.cookie("bulwark-session"))
                    .as("a sign-in changes the session's id, so that nobody can fix it")
                    .isNotEqualTo(session);

            browser.submit("/account", "/sign-out", Map.of());
            assertThat(browser.get("/account").statusCode()).isEqualTo(302);
        }
    }

    @Test
    void aWrongPasswordAndAForgedFormAreRefused() {
        try (Browser browser = new Browser(base)) {
            HttpResponse<String> wrong = browser.signIn("root", "not the password");
            assertThat(wrong.headers().firstValue("Location").orElse("")).endsWith("/sign-in?refused");
            assertThat(browser.post("/sign-in", Map.of("name", "root", "password", PASSWORD), "forged")
                            .statusCode())
                    .isEqualTo(403);
            browser.signIn("root", PASSWORD);
            assertThat(browser.post("/accounts", Map.of("name", "eve", "role", "viewer"), "forged")
                            .statusCode())
                    .isEqualTo(403);
            assertThat(browser.json("POST", "/api/v1/accounts", "{\"name\":\"eve\",\"role\":\"viewer\"}")
                            .statusCode())
                    .as("a session needs the token at the API too")
                    .isEqualTo(403);
        }
    }

    @Test
    void anAccountActsThroughAPrincipalOfItsOwn() {
        try (Browser root = new Browser(base);
                Browser bob = new Browser(base)) {
            root.signIn("root", PASSWORD);
            String page = root.submit("/accounts", "/accounts", Map.of("name", "bob", "role", "viewer"))
                    .body();
            String token = find(LINK, page, 1);
            HttpResponse<String> chosen = bob.submit(
                    "/password?token=" + token,
                    "/password",
                    Map.of("token", token, "password", PASSWORD, "again", PASSWORD));
            assertThat(chosen.headers().firstValue("Location").orElse("")).endsWith("/sign-in?ready");
            assertThat(bob.get("/password?token=" + token).statusCode())
                    .as("used")
                    .isEqualTo(403);
            bob.signIn("bob", PASSWORD);
            String self = bob.get("/api/v1/account").body();
            PrincipalId person = PrincipalId.parse(find(Pattern.compile("client-\\d+"), self, 0));
            assertThat(CLUSTER.actFor).containsEntry(person, Role.VIEWER.rights());
            assertThat(CLUSTER.rights).containsEntry(person, Role.VIEWER.rights());

            assertThat(bob.get("/account").body())
                    .as("the style hides what viewers may not use")
                    .contains("<body data-role=\"viewer\"");
            assertThat(bob.get("/accounts").statusCode()).isEqualTo(403);
            HttpResponse<String> refused = bob.get("/api/v1/accounts");
            assertThat(refused.statusCode()).isEqualTo(403);
            assertThat(refused.headers().firstValue("Content-Type").orElse("")).startsWith("application/problem+json");

            root.submit("/accounts", "/accounts/bob/deactivate", Map.of("confirmed", "bob"));
            assertThat(bob.get("/account").statusCode()).as("the session ends").isEqualTo(302);
            assertThat(CLUSTER.actFor).doesNotContainKey(person);
            assertThat(CLUSTER.revoked).contains(person);
        }
    }

    /** Another operator revokes the person's principal, past this console. */
    @Test
    void aRevokedPersonIsSignedOutAndTheTokensEnd() {
        try (Browser root = new Browser(base);
                Browser carol = new Browser(base)) {
            root.signIn("root", PASSWORD);
            String page = root.submit("/accounts", "/accounts", Map.of("name", "dora", "role", "viewer"))
                    .body();
            String link = find(LINK, page, 1);
            carol.submit(
                    "/password?token=" + link,
                    "/password",
                    Map.of("token", link, "password", PASSWORD, "again", PASSWORD));
            carol.signIn("dora", PASSWORD);
            String secret = find(
                    SECRET,
                    carol.submit("/account", "/account/tokens", Map.of("label", "x", "role", "viewer"))
                            .body(),
                    0);
            PrincipalId person = principal(carol.get("/api/v1/account"));
            assertThat(account(carol, secret).statusCode()).isEqualTo(200);
            CLUSTER.revoked.add(person);
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> carol.get("/account").statusCode() == 302);
            assertThat(account(carol, secret).statusCode()).isEqualTo(401);
        }
    }

    @Test
    void aTokenHasItsRoleAndNeedsNoCookie() {
        try (Browser root = new Browser(base);
                Browser program = new Browser(base)) {
            root.signIn("root", PASSWORD);
            String page = root.submit("/account", "/account/tokens", Map.of("label", "script", "role", "viewer"))
                    .body();
            String secret = find(SECRET, page, 0);
            assertThat(account(program, secret).body()).contains("\"role\":\"viewer\"");
            assertThat(program.get("/api/v1/accounts", "Authorization", "Bearer " + secret)
                            .statusCode())
                    .isEqualTo(403);
            assertThat(program.json("DELETE", "/api/v1/accounts/root", "", "Authorization", "Bearer " + secret)
                            .statusCode())
                    .isEqualTo(403);
            assertThat(program.json(
                                    "POST",
                                    "/api/v1/account/tokens",
                                    "{\"label\":\"more\",\"role\":\"viewer\"}",
                                    "Authorization",
                                    "Bearer " + secret)
                            .body())
                    .contains("only a person who signed in with a password");
            assertThat(account(program, secret + "x").statusCode()).isEqualTo(401);
            assertThat(root.get("/api/v1/account", "Authorization", "Bearer wrong")
                            .statusCode())
                    .as("a token counts alone, whatever the cookie says")
                    .isEqualTo(401);
            assertThat(program.cookie("bulwark-session")).isEmpty();
        }
    }

    /** Replicas cannot see a token: they would judge by all rights of its person. */
    @Test
    void aTokenBelowItsPersonActsThroughThePrincipalOfItsRole() {
        try (Browser root = new Browser(base);
                Browser program = new Browser(base)) {
            root.signIn("root", PASSWORD);
            PrincipalId self = principal(root.get("/api/v1/account"));
            assertThat(principal(account(program, token(root, "viewer")))).isEqualTo(PrincipalId.client(16));
            assertThat(principal(account(program, token(root, "operator")))).isEqualTo(PrincipalId.client(17));
            assertThat(principal(account(program, token(root, "administrator"))))
                    .isEqualTo(self);
        }
    }

    @Test
    void anOperatorsTokenReachesNeitherVolumesNorTheAuditLog() {
        try (Browser root = new Browser(base);
                Browser program = new Browser(base)) {
            root.signIn("root", PASSWORD);
            String[] token = {"Authorization", "Bearer " + token(root, "operator")};
            assertThat(program.json("POST", "/api/v1/volumes", "{\"name\":\"tapes\"}", token)
                            .body())
                    .contains("your role does not allow this");
            assertThat(program.get("/api/v1/audit", token).body()).contains("your role does not allow this");
        }
    }

    @Test
    void variantsOfAPathAreNoWayAroundARole() {
        try (Browser root = new Browser(base);
                Browser program = new Browser(base)) {
            root.signIn("root", PASSWORD);
            String secret = token(root, "operator");
            for (String path : List.of(
                    "/api/v1/accounts/",
                    "/api/v1/accounts;x=1",
                    "/api/v1;x/accounts",
                    "/api/v1/%61ccounts",
                    "/api/v1/%61ccounts/root",
                    "/api/v1%2Faccounts",
                    "/api//v1/accounts",
                    "/api/v1/./accounts",
                    "/API/v1/accounts",
                    "/api/v1/accounts.json",
                    "/api/v1/accounts%00",
                    "/api/v1/%61udit",
                    "/api/v1/audit/")) {
                for (String method : List.of("GET", "HEAD", "POST", "DELETE", "PATCH", "OPTIONS")) {
                    assertThat(program.json(method, path, "{}", "Authorization", "Bearer " + secret)
                                    .statusCode())
                            .as(method + " " + path)
                            .isIn(302, 400, 401, 403, 404);
                }
            }
            for (String header : List.of("X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override")) {
                assertThat(program.json(
                                        "POST",
                                        "/api/v1/nodes/node-1?_method=GET",
                                        "{}",
                                        "Authorization",
                                        "Bearer " + secret,
                                        header,
                                        "GET")
                                .statusCode())
                        .as(header)
                        .isEqualTo(403);
            }
        }
    }

    /** A link lets its owner act as another person, and is made here alone: no replica would refuse. */
    @Test
    void anAdministratorWhomTheClusterRevokedTakesOverNoAccount() {
        String link = new SetupLink(directory, Clock.systemUTC()).make();
        try (Browser mallory = new Browser(base)) {
            mallory.json(
                    "POST",
                    "/api/v1/setup",
                    "{\"token\":\"" + link + "\",\"name\":\"mallory\",\"password\":\"" + PASSWORD + "\"}");
            mallory.signIn("mallory", PASSWORD);
            CLUSTER.rights.remove(principal(mallory.get("/api/v1/account")));
            HttpResponse<String> refused = mallory.submit("/accounts", "/accounts/%s/link".formatted("root"), Map.of());
            assertThat(refused.statusCode()).isEqualTo(403);
            assertThat(refused.body()).doesNotContain("/password?token=");
            mallory.submit("/accounts", "/accounts/%s/deactivate".formatted("root"), Map.of("confirmed", "root"));
        }
        try (Browser root = new Browser(base)) {
            root.signIn("root", PASSWORD);
            assertThat(root.get("/account").statusCode()).isEqualTo(200);
        }
    }

    /** Browsers send the cookies of a host to all its ports, and let those servers set them. */
    @Test
    void pagesOfOtherOriginsChangeNothing() {
        try (Browser browser = new Browser(base)) {
            for (String site : List.of("same-site", "cross-site")) {
                HttpResponse<String> refused = browser.json("POST", "/api/v1/setup", "{}", "Sec-Fetch-Site", site);
                assertThat(refused.statusCode()).as(site).isEqualTo(403);
                assertThat(refused.body()).contains("another origin");
                assertThat(browser.get("/sign-in", "Sec-Fetch-Site", site).statusCode())
                        .isEqualTo(200);
            }
            for (String site : List.of("same-origin", "none")) {
                assertThat(browser.json("POST", "/api/v1/setup", "{}", "Sec-Fetch-Site", site)
                                .statusCode())
                        .as(site)
                        .isEqualTo(400);
            }
        }
    }

    @Test
    void anotherPasswordEndsOtherSessions() {
        String token = new SetupLink(directory, Clock.systemUTC()).make();
        try (Browser one = new Browser(base);
                Browser two = new Browser(base)) {
            one.json(
                    "POST",
                    "/api/v1/setup",
                    "{\"token\":\"" + token + "\",\"name\":\"carol\",\"password\":\"" + PASSWORD + "\"}");
            one.signIn("carol", PASSWORD);
            two.signIn("carol", PASSWORD);
            assertThat(two.get("/account").statusCode()).isEqualTo(200);
            String next = PASSWORD + " and more";
            one.submit("/account", "/account/password", Map.of("present", PASSWORD, "password", next, "again", next));
            assertThat(two.get("/account").statusCode()).isEqualTo(302);
        }
    }

    @Test
    void anotherHostNameIsRefused() throws Exception {
        for (String host : List.of("evil.example", "127.0.0.1.evil.example", "localhost.")) {
            assertThat(statusLine(host)).as(host).contains(" 421 ");
        }
        assertThat(statusLine("localhost:1")).contains(" 200 ");
    }

    @Test
    void pagesCarryTheHeadersThatConfineThem() {
        try (Browser browser = new Browser(base)) {
            HttpResponse<String> page = browser.get("/sign-in");
            assertThat(page.headers().firstValue("Content-Security-Policy").orElse(""))
                    .contains("default-src 'self'", "frame-ancestors 'none'")
                    .doesNotContain("unsafe");
            assertThat(page.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
            assertThat(page.headers().firstValue("Referrer-Policy")).contains("no-referrer");
            assertThat(page.headers().firstValue("Cache-Control").orElse("")).contains("no-store");
        }
    }

    private static String token(Browser person, String role) {
        return find(
                SECRET,
                person.submit("/account", "/account/tokens", Map.of("label", role, "role", role))
                        .body(),
                0);
    }

    private static PrincipalId principal(HttpResponse<String> account) {
        return PrincipalId.parse(find(Pattern.compile("client-\\d+"), account.body(), 0));
    }

    private static HttpResponse<String> account(Browser browser, String secret) {
        return browser.get("/api/v1/account", "Authorization", "Bearer " + secret);
    }

    /** The client of Java sets no Host header. */
    private static String statusLine(String host) throws Exception {
        try (Socket socket =
                new Socket(server.address().getAddress(), server.address().getPort())) {
            String request = "GET /sign-in HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))
                    .readLine();
        }
    }

    private static String find(Pattern pattern, String text, int group) {
        Matcher found = pattern.matcher(text);
        if (!found.find()) {
            throw new AssertionError(pattern + " is not in " + text);
        }
        return found.group(group);
    }
}
