package io.bulwark.console.http;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

class IdempotencyKeysTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private Instant now = NOW;
    private int done;
    private int status = 201;
    private String answer = "answer ";

    private final JsonBodies bodies = new JsonBodies(new ProblemWriter());
    private final IdempotencyKeys keys = new IdempotencyKeys(new ProblemWriter(), new Clock() {
        @Override
        public Instant instant() {
            return now;
        }

        @Override
        public ZoneOffset getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(java.time.ZoneId zone) {
            return this;
        }
    });

    @Test
    void aRepeatedRequestGetsTheFirstAnswerForAnHour() throws Exception {
        MockHttpServletResponse first = post("alice", "k1", "{}");
        MockHttpServletResponse second = post("alice", "k1", "{}");
        assertThat(done).isEqualTo(1);
        assertThat(second.getStatus()).isEqualTo(201);
        assertThat(second.getContentAsString())
                .isEqualTo(first.getContentAsString())
                .isEqualTo("answer 1");
        assertThat(second.getHeader("Location")).isEqualTo("/jobs/1");
        now = NOW.plus(IdempotencyKeys.KEPT);
        assertThat(post("alice", "k1", "{}").getContentAsString()).isEqualTo("answer 2");
    }

    @Test
    void anotherPersonOrKeyIsAnotherRequest() throws Exception {
        post("alice", "k1", "{}");
        post("bob", "k1", "{}");
        post("alice", "k2", "{}");
        assertThat(done).isEqualTo(3);
    }

    @Test
    void anotherBodyUnderTheKeyIsRefused() throws Exception {
        post("alice", "k1", "{}");
        assertThat(post("alice", "k1", "{\"a\":1}").getStatus()).isEqualTo(422);
        assertThat(done).isEqualTo(1);
    }

    @Test
    void aFailureOfTheServerIsNotKept() throws Exception {
        status = 503;
        post("alice", "k1", "{}");
        status = 201;
        assertThat(post("alice", "k1", "{}").getStatus()).isEqualTo(201);
        assertThat(done).isEqualTo(2);
    }

    @Test
    void aRequestWhileTheFirstIsInProgressIsRefused() throws Exception {
        MockHttpServletResponse[] second = new MockHttpServletResponse[1];
        run(request("alice", "k1", "{}"), (_, _) -> second[0] = post("alice", "k1", "{}"));
        assertThat(second[0].getStatus()).isEqualTo(409);
    }

    @Test
    void aLongAnswerIsNotKeptButTheRequestIsDoneOnce() throws Exception {
        answer = "x".repeat(IdempotencyKeys.ANSWER_BYTES_MAX);
        assertThat(post("alice", "k1", "{}").getContentAsByteArray())
                .hasSizeGreaterThan(IdempotencyKeys.ANSWER_BYTES_MAX);
        assertThat(post("alice", "k1", "{}").getStatus()).isEqualTo(409);
        assertThat(done).isEqualTo(1);
    }

    @Test
    void theOldestKeysAreForgotten() throws Exception {
        for (int i = 0; i <= IdempotencyKeys.ENTRIES_MAX; i++) {
            post("alice", "k" + i, "{}");
        }
        int before = done;
        post("alice", "k1", "{}");
        assertThat(done).isEqualTo(before);
        post("alice", "k0", "{}");
        assertThat(done).isEqualTo(before + 1);
    }

    @Test
    void badKeysAreRefused() throws Exception {
        for (String key : new String[] {"", "a b", "k".repeat(129), "é"}) {
            assertThat(post("alice", key, "{}").getStatus()).as(key).isEqualTo(400);
        }
        assertThat(done).isZero();
    }

    @Test
    void jsonBodiesAreBounded() throws Exception {
        assertThat(post("alice", "k1", " ".repeat(JsonBodies.BYTES_MAX)).getStatus())
                .isEqualTo(201);
        assertThat(post("alice", "k2", " ".repeat(JsonBodies.BYTES_MAX + 1)).getStatus())
                .isEqualTo(413);
        assertThat(done).isEqualTo(1);
    }

    private MockHttpServletResponse post(String person, String key, String body) throws ServletException, IOException {
        return run(request(person, key, body), (response, number) -> {
            response.setStatus(status);
            response.setHeader("Location", "/jobs/" + number);
            response.getWriter().write(answer + number);
        });
    }

    private interface Work {
        void run(HttpServletResponse response, int number) throws IOException, ServletException;
    }

    private MockHttpServletResponse run(MockHttpServletRequest request, Work work)
            throws ServletException, IOException {
        MockHttpServletResponse response = new MockHttpServletResponse();
        FilterChain inner = (_, answered) -> {
            done++;
            work.run((HttpServletResponse) answered, done);
        };
        bodies.doFilter(request, response, (read, answered) -> keys.doFilter(read, answered, inner));
        return response;
    }

    private static MockHttpServletRequest request(String person, String key, String body) {
        MockHttpServletRequest request = new MockHttpServletRequest("POST", "/api/v1/buckets");
        request.setContentType("application/json");
        request.setContent(body.getBytes(StandardCharsets.UTF_8));
        request.addHeader(IdempotencyKeys.HEADER, key);
        request.setUserPrincipal(() -> person);
        return request;
    }
}
