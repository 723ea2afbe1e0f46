package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.CookieManager;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Calls operations of a console's API, and checks each answer against the published document. */
final class CheckedApi implements AutoCloseable {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final Pattern CSRF =
            Pattern.compile("<meta name=\"csrf\" content=\"([^\"]+)\" data-header=\"([^\"]+)\">");

    private final HttpClient http = HttpClient.newHttpClient();
    private final String url;
    private final PublishedApi api;
    private final Set<String> called = new TreeSet<>();

    CheckedApi(ConsoleUser user) throws IOException, InterruptedException {
        url = user.url();
        api = new PublishedApi(user.get("/api/v1/openapi"));
    }

    /**
     * Answer of the console.
     *
     * @param json null of JSON if the body is none
     */
    record Answer(HttpResponse<byte[]> http, JsonNode json) {
        String text() {
            return new String(http.body(), StandardCharsets.UTF_8);
        }

        String header(String name) {
            return http.headers().firstValue(name).orElse("");
        }

        /** Fails unless the field at fault is named. */
        void refuses(String field) {
            assertThat(json.has("field") ? json.get("field").asString() : "")
                    .as(text())
                    .isEqualTo(field);
        }
    }

    /** Request as one person, to be completed. */
    final class Call {
        private final String method;
        private final String path;
        private final HttpRequest.Builder request;

        private Call(String method, String path) {
            this.method = method;
            this.path = path;
            request = HttpRequest.newBuilder(URI.create(url + path))
                    .timeout(TIMEOUT)
                    .method(method, HttpRequest.BodyPublishers.noBody());
        }

        Call header(String name, String value) {
            request.header(name, value);
            return this;
        }

        Call token(String token) {
            return header("Authorization", "Bearer " + token);
        }

        Call json(Object body) {
            return bytes("application/json", JSON.writeValueAsBytes(body));
        }

        Call bytes(String type, byte[] body) {
            request.setHeader("Content-Type", type);
            request.method(method, HttpRequest.BodyPublishers.ofByteArray(body));
            return this;
        }

        /** Sends it; fails unless it has this status, and the answer is as documented. */
        Answer gives(int status) throws IOException, InterruptedException {
            return gives(status, http);
        }

        private Answer gives(int status, HttpClient client) throws IOException, InterruptedException {
            HttpResponse<byte[]> answer = client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
            String type = answer.headers().firstValue("Content-Type").orElse("");
            boolean json = answer.body().length > 0 && type.contains("json") && !type.contains("jsonl");
            JsonNode body = json ? JSON.readTree(answer.body()) : JSON.nullNode();
            String shown = method + " " + path + ": " + answer.statusCode() + " "
                    + new String(answer.body(), StandardCharsets.UTF_8);
            assertThat(answer.statusCode()).as(shown).isEqualTo(status);
            String operation = api.operation(method, path)
                    .orElseThrow(() -> new AssertionError(method + " " + path + " is not published"));
            assertThat(api.differences(operation, status, answer.body().length == 0 ? "" : type, json ? body : null))
                    .as(shown)
                    .isEmpty();
            if (status >= 400 && answer.body().length > 0) {
                assertThat(type).as(shown).startsWith("application/problem+json");
            }
            if (status != 401 && status != 403) {
                called.add(operation);
            }
            return new Answer(answer, body);
        }

        /** Opens the stream of events; fails unless it begins. */
        void streams() throws IOException, InterruptedException {
            HttpResponse<InputStream> answer = http.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
            try (InputStream body = answer.body()) {
                assertThat(answer.statusCode()).isEqualTo(200);
                assertThat(answer.headers().firstValue("Content-Type").orElse(""))
                        .startsWith("text/event-stream");
                assertThat(body.read()).isPositive();
            }
            String operation = api.operation(method, path).orElseThrow();
            assertThat(api.differences(operation, 200, "text/event-stream", null))
                    .isEmpty();
            called.add(operation);
        }
    }

    Call call(String method, String path) {
        return new Call(method, path);
    }

    PublishedApi published() {
        return api;
    }

    /** Returns the operations that were called, and answered another way than by a refusal of the person. */
    Set<String> called() {
        return called;
    }

    /** Waits for the end of a job that an operation has started. */
    JsonNode ended(String token, Answer started) throws IOException, InterruptedException {
        long end = System.nanoTime() + TIMEOUT.toNanos();
        while (true) {
            JsonNode job = call("GET", started.header("Location"))
                    .token(token)
                    .gives(200)
                    .json();
            if (!job.get("state").asString().equalsIgnoreCase("running") || System.nanoTime() > end) {
                return job;
            }
            Thread.sleep(50);
        }
    }

    /** Session of a person who signed in with a password. */
    final class Session implements AutoCloseable {
        private final HttpClient browser =
                HttpClient.newBuilder().cookieHandler(new CookieManager()).build();
        private String csrf = "";
        private String csrfHeader = "";

        private void open(String page) throws IOException, InterruptedException {
            HttpResponse<String> answer = browser.send(
                    HttpRequest.newBuilder(URI.create(url + page)).build(), HttpResponse.BodyHandlers.ofString());
            Matcher meta = CSRF.matcher(answer.body());
            assertThat(meta.find()).as(answer.body()).isTrue();
            csrf = meta.group(1);
            csrfHeader = meta.group(2);
        }

        /** Posts a form; returns the page that it leads to. */
        private String post(String page, String form) throws IOException, InterruptedException {
            HttpResponse<String> answer = browser.send(
                    HttpRequest.newBuilder(URI.create(url + page))
                            .header("Content-Type", "application/x-www-form-urlencoded")
                            .POST(HttpRequest.BodyPublishers.ofString(form + "&_csrf=" + encoded(csrf)))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(302);
            return answer.headers().firstValue("Location").orElseThrow();
        }

        void signOut() throws IOException, InterruptedException {
            assertThat(post("/sign-out", "")).endsWith("/sign-in?out");
        }

        Answer send(Call call, int status) throws IOException, InterruptedException {
            return call.header(csrfHeader, csrf).gives(status, browser);
        }

        Answer sendWithoutCsrf(Call call, int status) throws IOException, InterruptedException {
            return call.gives(status, browser);
        }

        @Override
        public void close() {
            browser.close();
        }
    }

    Session signIn(ConsoleUser user) throws IOException, InterruptedException {
        Session session = new Session();
        session.open("/sign-in");
        session.post("/sign-in", "name=" + encoded(user.name()) + "&password=" + encoded(user.password()));
        session.open("/account");
        return session;
    }

    /** Sends a key as the page of sign-in does; returns nothing if the console refuses it. */
    Optional<Session> signInWithKey(String content, String password) throws IOException, InterruptedException {
        Session session = new Session();
        session.open("/sign-in");
        return signedIn(
                session,
                session.post("/sign-in/key", "content=" + encoded(content) + "&password=" + encoded(password)));
    }

    /** Sends a PIN as the page of sign-in does; returns nothing if the console refuses it. */
    Optional<Session> signInWithDevice(String pin) throws IOException, InterruptedException {
        Session session = new Session();
        session.open("/sign-in");
        return signedIn(session, session.post("/sign-in/device", "pin=" + encoded(pin)));
    }

    private static Optional<Session> signedIn(Session session, String to) throws IOException, InterruptedException {
        if (to.endsWith("/sign-in?key")) {
            session.close();
            return Optional.empty();
        }
        assertThat(to).doesNotContain("sign-in");
        session.open("/account");
        return Optional.of(session);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        http.close();
    }
}
