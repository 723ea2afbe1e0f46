package io.bulwark.gateway.s3.signature;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.gateway.s3.request.RequestHead;
import io.bulwark.gateway.s3.request.RequestTarget;
import io.bulwark.gateway.s3.request.S3Exception;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests of this signer, judged by the authenticator, which the AWS SDK has judged. */
class RequestSignerTest {
    private static final Instant NOW = Instant.parse("2026-11-29T12:00:00Z");

    private static void authenticate(String secret, String target) {
        RequestSigner signer = new RequestSigner(OneKey.EXAMPLE.id(), secret, "127.0.0.1:7401");
        TreeMap<String, List<String>> headers = new TreeMap<>();
        signer.sign("GET", target, NOW).forEach((name, value) -> headers.put(name, List.of(value)));
        headers.put("host", List.of("127.0.0.1:7401"));
        var _ = new Authenticator(OneKey.signedOnly(), InstantSource.fixed(NOW))
                .authenticate(new RequestHead("GET", RequestTarget.parse(target), headers));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/b/k/0", "/b?list-type=2&prefix=listed%2F"})
    void signedRequestsAreVerified(String target) {
        assertThatCode(() -> authenticate(OneKey.EXAMPLE.secret(), target)).doesNotThrowAnyException();
        assertThatThrownBy(() -> authenticate("another", target)).isInstanceOf(S3Exception.class);
    }
}
