package io.bulwark.console.http;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

class JsonBodiesTest {
    private final JsonBodies bodies = new JsonBodies(new ProblemWriter());
    private final IdempotencyKeys keys = new IdempotencyKeys(new ProblemWriter());
    private final List<HttpServletRequest> passed = new ArrayList<>();

    @Test
    void aLongBodyIsRefused() throws Exception {
        assertThat(filtered(request("POST", "/api/v1/buckets")).getStatus()).isEqualTo(413);
        assertThat(filtered(request("PUT", "/api/v1/buckets/photos/object/x")).getStatus())
                .isEqualTo(413);
        assertThat(passed).isEmpty();
    }

    @Test
    void anUploadIsStreamedThoughItIsJson() throws Exception {
        MockHttpServletRequest upload = request("PUT", "/api/v1/buckets/photos/object");
        assertThat(filtered(upload).getStatus()).isEqualTo(200);
        assertThat(passed).containsExactly(upload);
    }

    @Test
    void anArchiveIsNotKeptForItsKey() throws Exception {
        MockHttpServletRequest archive = new MockHttpServletRequest("POST", "/api/v1/buckets/photos/zip");
        archive.addHeader(IdempotencyKeys.HEADER, "k1");
        archive.setUserPrincipal(() -> "alice");
        MockHttpServletResponse response = new MockHttpServletResponse();
        keys.doFilter(archive, response, (_, given) -> assertThat(given).isSameAs(response));
    }

    private static MockHttpServletRequest request(String method, String path) {
        MockHttpServletRequest request = new MockHttpServletRequest(method, path);
        request.setContentType("application/json");
        request.setContent(new byte[JsonBodies.BYTES_MAX + 1]);
        return request;
    }

    private MockHttpServletResponse filtered(MockHttpServletRequest request) throws Exception {
        MockHttpServletResponse response = new MockHttpServletResponse();
        bodies.doFilter(request, response, (given, _) -> passed.add((HttpServletRequest) given));
        return response;
    }
}
