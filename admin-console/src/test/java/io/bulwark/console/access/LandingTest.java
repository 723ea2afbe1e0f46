package io.bulwark.console.access;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.web.savedrequest.RequestCache;
import org.springframework.security.web.savedrequest.SavedRequest;
import org.springframework.security.web.savedrequest.SimpleSavedRequest;

class LandingTest {
    @Test
    void theAddressOfACookieLeadsToNoOtherSite() throws Exception {
        assertThat(landing("http://127.0.0.1:7400/buckets/photos?prefix=2026%2F"))
                .isEqualTo("/buckets/photos?prefix=2026%2F");
        assertThat(landing("http://evil.example/sign-in?refused")).isEqualTo("/sign-in?refused");
        assertThat(landing("http://127.0.0.1:7400//evil.example/")).isEqualTo("/");
        assertThat(landing("//evil.example/x")).isEqualTo("/x");
        assertThat(landing("javascript:alert(1)")).isEqualTo("/");
        assertThat(landing("http://127.0.0.1/\\evil.example")).isEqualTo("/");
        assertThat(landing("")).isEqualTo("/");
    }

    private static @Nullable String landing(String asked) throws Exception {
        MockHttpServletResponse response = new MockHttpServletResponse();
        new Landing(new Asked(asked))
                .onAuthenticationSuccess(
                        new MockHttpServletRequest(), response, new TestingAuthenticationToken("alice", null));
        return response.getRedirectedUrl();
    }

    private record Asked(String address) implements RequestCache {
        @Override
        public void saveRequest(HttpServletRequest request, HttpServletResponse response) {}

        @Override
        public SavedRequest getRequest(HttpServletRequest request, HttpServletResponse response) {
            return new SimpleSavedRequest(address);
        }

        @Override
        public @Nullable HttpServletRequest getMatchingRequest(
                HttpServletRequest request, HttpServletResponse response) {
            return null;
        }

        @Override
        public void removeRequest(HttpServletRequest request, HttpServletResponse response) {}
    }
}
