package io.bulwark.gateway.s3.cors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.gateway.s3.request.S3Exception;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class CorsRulesTest {
    private static CorsRules read(String rules) {
        return CorsRules.read(
                ("<CORSConfiguration>" + rules + "</CORSConfiguration>").getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void firstRuleThatFitsAnswers() {
        CorsRules rules = read("<CORSRule><AllowedMethod>GET</AllowedMethod><AllowedOrigin>*suffix</AllowedOrigin>"
                + "</CORSRule><CORSRule><AllowedMethod>PUT</AllowedMethod><AllowedOrigin>a*z</AllowedOrigin>"
                + "<AllowedHeader>X-*</AllowedHeader><MaxAgeSeconds>5</MaxAgeSeconds></CORSRule>");
        assertThat(rules.headersFor("foo.suffix", "GET", List.of()).orElseThrow())
                .containsEntry("access-control-allow-origin", "foo.suffix")
                .containsEntry("access-control-allow-methods", "GET");
        assertThat(rules.headersFor("foo.suffix", "PUT", List.of())).isEmpty();
        assertThat(rules.headersFor("az", "PUT", List.of("x-one")).orElseThrow())
                .containsEntry("access-control-allow-headers", "x-one")
                .containsEntry("access-control-max-age", "5");
        assertThat(rules.headersFor("az", "PUT", List.of("y-one"))).isEmpty();
        assertThat(CorsRules.read(rules.toDocument())).isEqualTo(rules);
    }

    @Test
    void everybodyIsAnsweredWithoutCredentials() {
        CorsRules rules =
                read("<CORSRule><AllowedMethod>GET</AllowedMethod><AllowedOrigin>*</AllowedOrigin></CORSRule>");
        assertThat(rules.headersFor("http://any", "GET", List.of()).orElseThrow())
                .containsEntry("access-control-allow-origin", "*")
                .doesNotContainKey("access-control-allow-credentials");
    }

    @Test
    void badRulesAreRefused() {
        assertThatThrownBy(() -> read("")).isInstanceOf(S3Exception.class);
        assertThatThrownBy(() ->
                        read("<CORSRule><AllowedMethod>FLY</AllowedMethod><AllowedOrigin>*</AllowedOrigin></CORSRule>"))
                .isInstanceOf(S3Exception.class);
        assertThatThrownBy(() -> read(
                        "<CORSRule><AllowedMethod>GET</AllowedMethod><AllowedOrigin>*a*</AllowedOrigin></CORSRule>"))
                .isInstanceOf(S3Exception.class);
    }
}
