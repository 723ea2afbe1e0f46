package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Requests to the console that no well-meaning client sends. It refuses them as faults of the client, with problem details where the
 * API is meant, and serves on. {@code -Dbulwark.seed} repeats the choices. Most requests carry the token of an administrator, since
 * strangers get no further than the sign-in.
 */
@NullMarked
class ConsoleHostileIT {
    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.shared();

    private static final int ROUNDS = 120;
    private static final int JSON_DEPTH = 50_000;
    private static final int HEADER_LENGTH = 100_000;
    private static final String API = "/api/v1/";

    private static final String[] SEGMENTS = {
        "..",
        ".",
        "",
        "%2e%2e",
        "%252e",
        "%2f",
        "%2F",
        "%5c",
        "%00",
        "%0a",
        "%0d%0a",
        ";a=b",
        "a;b",
        "%ff",
        "%c0%af",
        "%",
        "%zz",
        "x".repeat(3000),
        "-1",
        "99999999999999999999",
        "0",
        "null",
        "*",
        "%20",
        "+",
        "a%2525",
        "\u00e9",
        "<",
        "{id}",
        "default",
        "client-1",
        "client-99999999",
        "node-0",
        "replica-99",
        "objects",
        "object",
        "events",
        "%F0%9F%92%A3",
        "'or'1",
        "$%7Bx%7D"
    };

    private static final String[] VALUES = {
        "",
        "0",
        "-1",
        "1",
        "1001",
        "9223372036854775807",
        "-9223372036854775808",
        "9999999999999999999999",
        "1e3",
        "NaN",
        "%00",
        "%ff",
        "%C3%28",
        "%ED%A0%80",
        "%",
        "..%2F..%2Fetc",
        "a,b",
        "a&limit=2",
        "x".repeat(2000),
        "true",
        "null",
        "%0d%0aSet-Cookie:a=b"
    };

    private static final String[] NAMES = {
        "limit",
        "cursor",
        "key",
        "version",
        "prefix",
        "delimiter",
        "volume",
        "client",
        "scope",
        "name",
        "by",
        "kind",
        "series",
        "since",
        "action",
        "asStored",
        "tag",
        "base",
        "wait",
        "limit[]",
        "%00",
        "%ff"
    };

    private static final String[] FIELDS = {
        "name",
        "key",
        "toKey",
        "volume",
        "node",
        "replicas",
        "rights",
        "client",
        "scope",
        "principal",
        "hours",
        "faults",
        "fragments",
        "dataFragments",
        "blockBytes",
        "quotaBytes",
        "role",
        "drill",
        "head",
        "by",
        "address",
        "label",
        "kind",
        "protocol"
    };

    private static final String[] JSON_VALUES = {
        "null",
        "true",
        "0",
        "-1",
        "1e400",
        "9223372036854775808",
        "\"\"",
        "\"\\u0000\"",
        "\"\\ud800\"",
        "[]",
        "[null]",
        "[[]]",
        "{}",
        "{\"a\":null}",
        "\"object\"",
        "\"read\"",
        "[\"read\",7]",
        "0.5",
        "\"" + "y".repeat(5000) + "\""
    };

    private static URI console;
    private static String token;
    private static List<String> operations;

    @BeforeAll
    static void signIn() throws Exception {
        ConsoleUser user = CLUSTER.console();
        console = URI.create(user.url());
        token = user.token();
        operations = List.copyOf(new PublishedApi(user.get(API + "openapi")).operations());
    }

    private static RawRequest.Answer send(RawRequest request) throws IOException {
        return request.header("Authorization", "Bearer " + token).send(console);
    }

    /** Fails if the console failed, or if the answer of the API is no problem. */
    private static void assertAnswered(RawRequest request, RawRequest.Answer answer, boolean byServer) {
        String shown = "-Dbulwark.seed=" + LiveCluster.SEED + ": " + request + " -> " + answer;
        if (byServer) {
            assertThat(answer.status()).as(shown).isEqualTo(400);
            return;
        }
        assertThat(answer.status()).as(shown).isBetween(200, 499);
        // A client whose header Accept cannot be read gets no body.
        boolean bare = answer.text().isEmpty() && request.toString().contains("Accept: ");
        if (answer.status() >= 400 && !bare) {
            assertThat(answer.type()).as(shown).startsWith("application/problem+json");
        }
    }

    private static String pick(Random random, String... choices) {
        return choices[random.nextInt(choices.length)];
    }

    /** Returns whether the server refuses a target before any application sees it, with a bare page: it names nothing. */
    private static boolean isRefusedByServer(String target) {
        String path = target.split("\\?", 2)[0];
        return target.matches(".*([^!-~]|[<>\"{}^`|\\\\\\[\\]]).*")
                || path.matches("(?i).*(%00|%2f|%5c|%(?![0-9A-F]{2})).*")
                || !isUtf8(path);
    }

    private static boolean isUtf8(String path) {
        try {
            byte[] bytes = URLDecoder.decode(path, StandardCharsets.ISO_8859_1).getBytes(StandardCharsets.ISO_8859_1);
            var _ = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }

    @Test
    void hostilePathsAreRefused() throws IOException {
        Random random = new Random(LiveCluster.SEED);
        for (int round = 0; round < ROUNDS; round++) {
            List<String> segments =
                    new ArrayList<>(List.of(PublishedApi.path(pick(random, operations.toArray(String[]::new)))
                            .substring(API.length())
                            .split("/")));
            segments.replaceAll(each -> each.startsWith("{") ? pick(random, SEGMENTS) : each);
            segments.add(random.nextInt(segments.size() + 1), pick(random, SEGMENTS));
            String target = API + String.join("/", segments);
            RawRequest request = new RawRequest("GET", target);
            assertAnsweredOrStreams(request, send(request), isRefusedByServer(target));
        }
        assertServes();
    }

    private static void assertAnsweredOrStreams(RawRequest request, RawRequest.Answer answer, boolean byServer) {
        // A path that climbs out of the API is the server's or the pages' to answer, but never a failure.
        if (!byServer && request.toString().contains("..")) {
            assertThat(answer.status()).as(request + " -> " + answer).isBetween(200, 499);
        } else {
            assertAnswered(request, answer, byServer);
        }
    }

    @Test
    void hostileParametersAreRefused() throws IOException {
        Random random = new Random(LiveCluster.SEED + 1);
        List<String> readers = operations.stream()
                .filter(each -> each.startsWith("GET ") && !each.endsWith("/events") && !each.endsWith("/lines"))
                .toList();
        for (int round = 0; round < ROUNDS; round++) {
            String path = PublishedApi.path(pick(random, readers.toArray(String[]::new)))
                    .replace("{bucket}", "nowhere")
                    .replaceAll("\\{[a-z]+}", "0");
            StringBuilder query = new StringBuilder();
            for (int i = random.nextInt(4); i >= 0; i--) {
                query.append(query.isEmpty() ? "?" : "&")
                        .append(pick(random, NAMES))
                        .append('=')
                        .append(pick(random, VALUES));
            }
            RawRequest request = new RawRequest("GET", path + query);
            assertAnswered(request, send(request), isRefusedByServer(path + query));
        }
        assertServes();
    }

    @Test
    void hostileBodiesAreRefused() throws IOException {
        Random random = new Random(LiveCluster.SEED + 2);
        List<String> writers = operations.stream()
                .filter(each -> (each.startsWith("POST ") || each.startsWith("PUT "))
                        && !each.endsWith("/drain")
                        && !each.endsWith("/recover")
                        && !each.endsWith("/audit/verifications"))
                .toList();
        for (int round = 0; round < ROUNDS; round++) {
            String operation = pick(random, writers.toArray(String[]::new));
            String path = PublishedApi.path(operation)
                    .replace("{bucket}", "nowhere")
                    .replaceAll("\\{[a-z]+}", "client-77777");
            String json = json(random);
            byte[] body = (random.nextInt(4) == 0 ? json.substring(0, random.nextInt(json.length())) : json)
                    .getBytes(StandardCharsets.UTF_8);
            if (random.nextInt(6) == 0) {
                random.nextBytes(body);
            }
            String type = pick(
                    random,
                    "application/json",
                    "application/json",
                    "application/json; charset=utf-16",
                    "text/plain",
                    "application/xml",
                    "multipart/form-data; boundary=x",
                    "x",
                    "application/x-www-form-urlencoded",
                    "application/json;charset=none");
            RawRequest request = new RawRequest(PublishedApi.method(operation), path).body(type, body);
            assertAnswered(request, send(request), false);
        }
        assertServes();
    }

    /** No name in it is one that the cluster would accept, so that nothing is made. */
    private static String json(Random random) {
        StringBuilder json = new StringBuilder("{");
        for (int i = random.nextInt(5); i >= 0; i--) {
            json.append('"')
                    .append(pick(random, FIELDS))
                    .append("\":")
                    .append(pick(random, JSON_VALUES))
                    .append(i == 0 ? "" : ",");
        }
        return json.append('}').toString();
    }

    @Test
    void deepAndLongJsonIsRefused() throws IOException {
        for (String open : List.of("[", "{\"name\":")) {
            byte[] deep = open.repeat(JSON_DEPTH).getBytes(StandardCharsets.UTF_8);
            RawRequest request = new RawRequest("POST", API + "buckets").body("application/json", deep);
            RawRequest.Answer answer = send(request);
            assertAnswered(request, answer, false);
            assertThat(answer.status()).isEqualTo(400);
        }
        byte[] digits = new byte[500_000];
        Arrays.fill(digits, (byte) '9');
        byte[] number = ("{\"quotaBytes\":" + new String(digits, StandardCharsets.UTF_8) + "}")
                .getBytes(StandardCharsets.UTF_8);
        RawRequest request = new RawRequest("POST", API + "buckets").body("application/json", number);
        assertThat(send(request).status()).isEqualTo(400);
    }

    @Test
    void headersAreBounded() throws IOException {
        RawRequest.Answer tooLong =
                send(new RawRequest("GET", API + "buckets").header("X-Long", "x".repeat(HEADER_LENGTH)));
        assertThat(tooLong.status()).isIn(0, 400, 431);
        Random random = new Random(LiveCluster.SEED + 3);
        String[] names = {
            "If-Match",
            "If-None-Match",
            "Idempotency-Key",
            "Range",
            "Accept",
            "Cookie",
            "Accept-Language",
            "X-Forwarded-For"
        };
        String[] values = {
            "",
            "*",
            "\"",
            "W/\"1\"",
            "\"99999999999999999999\"",
            "bytes=9-1",
            "bytes=-",
            "bytes=99999999999999999999-",
            "x/y",
            "text/html",
            "a=b; a=c",
            "\u00ff",
            ",,,,",
            "x".repeat(4000),
            "en;q=9",
            "*/*;q=-1",
            "bulwark-session-1=x"
        };
        for (int round = 0; round < ROUNDS; round++) {
            String operation = pick(
                    random,
                    "GET buckets",
                    "GET nodes",
                    "GET status",
                    "POST buckets",
                    "GET buckets/nowhere/object?key=a");
            RawRequest request = new RawRequest(PublishedApi.method(operation), API + PublishedApi.path(operation))
                    .header(pick(random, names), pick(random, values));
            assertAnswered(request, send(request), false);
        }
        assertServes();
    }

    @Test
    void otherHostNamesGetNothing() throws IOException {
        for (String host :
                List.of("evil.example", "evil.example:" + console.getPort(), "10.0.0.1", "localhost.evil.example")) {
            RawRequest.Answer answer = send(new RawRequest("GET", API + "buckets").host(host));
            assertThat(answer.status()).as(host).isEqualTo(421);
            assertThat(answer.type()).as(host).startsWith("application/problem+json");
            assertThat(answer.text()).as(host).doesNotContain("items");
        }
        assertThat(send(new RawRequest("GET", API + "buckets").host("local host"))
                        .status())
                .isEqualTo(400);
    }

    @Test
    void otherMethodsAreRefused() throws IOException {
        for (String method : List.of("PATCH", "TRACE", "PROPFIND", "BREW")) {
            RawRequest.Answer answer = send(new RawRequest(method, API + "buckets"));
            assertThat(answer.status()).as(method + " " + answer).isBetween(400, 499);
        }
    }

    /** The console still answers, and its cluster does. */
    private static void assertServes() throws IOException {
        assertThat(send(new RawRequest("GET", API + "buckets")).status()).isEqualTo(200);
    }
}
