package io.bulwark.gateway.s3.signature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.bulwark.gateway.s3.access.AccessKey;
import io.bulwark.gateway.s3.request.PercentEncoding;
import io.bulwark.gateway.s3.request.RequestHead;
import io.bulwark.gateway.s3.request.RequestTarget;
import io.bulwark.gateway.s3.request.S3Exception;
import io.bulwark.gateway.s3.signature.AwsSigner.Form;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Requests signed by the AWS SDK, as they are and changed. */
class AuthenticatorTest {
    private static final long SEED = Long.getLong("bulwark.seed", 20261129L);
    private static final Instant NOW = Instant.parse("2026-11-29T12:00:00Z");

    private final AwsSigner signer = new AwsSigner(Clock.fixed(NOW, ZoneOffset.UTC));
    private final Authenticator authenticator = at(NOW);

    private static Authenticator at(Instant now) {
        return new Authenticator(OneKey.signedOnly(), InstantSource.fixed(now));
    }

    private static RequestHead head(AwsSigner.Signed signed) {
        TreeMap<String, List<String>> headers = new TreeMap<>();
        signed.headers()
                .forEach((name, values) -> headers.put(
                        name.toLowerCase(Locale.ROOT),
                        values.stream()
                                .map(value ->
                                        new String(value.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1))
                                .toList()));
        return new RequestHead(signed.method(), RequestTarget.parse(signed.target()), headers);
    }

    private RequestHead simple(Form form) {
        return head(signer.sign(
                form, "GET", URI.create("https://localhost/b/k?list-type=2"), Map.of(), new byte[0], "CRC32"));
    }

    private static RequestHead with(RequestHead head, String name, String... values) {
        TreeMap<String, List<String>> headers = new TreeMap<>(head.headers());
        headers.put(name, List.of(values));
        return new RequestHead(head.method(), head.target(), headers);
    }

    private static RequestHead withQuery(RequestHead head, String name, String value) {
        TreeMap<String, String> query = new TreeMap<>(head.target().query());
        query.put(name, value);
        return new RequestHead(head.method(), new RequestTarget(head.target().path(), query), head.headers());
    }

    private static String codeOf(Authenticator judge, RequestHead head) {
        return catchThrowableOfType(S3Exception.class, () -> judge.authenticate(head))
                .code();
    }

    @Test
    void requestsOfTheAwsSdkAreVerified() {
        Random random = new Random(SEED);
        for (int run = 0; run < 400; run++) {
            AwsSigner.Signed signed = randomRequest(random);
            assertThatCode(() -> authenticator.authenticate(head(signed)))
                    .as(
                            "seed %d, run %d: %s\n%s\n%s",
                            SEED, run, signed.head(), signed.body().length, detailOf(head(signed)))
                    .doesNotThrowAnyException();
        }
    }

    @Test
    void changedRequestsAreRefused() {
        Random random = new Random(SEED + 1);
        for (int run = 0; run < 400; run++) {
            RequestHead head = head(randomRequest(random));
            RequestHead changed = change(random, head);
            assertThatThrownBy(() -> authenticator.authenticate(changed))
                    .as("seed %d, run %d: %s became %s", SEED + 1, run, head, changed)
                    .isInstanceOf(S3Exception.class);
        }
    }

    @Test
    void manySignedHeadersCostNoStack() {
        String names =
                IntStream.range(0, 10_000).mapToObj(i -> "a" + (10_000 + i)).collect(Collectors.joining(";"));
        RequestHead inQuery = withQuery(simple(Form.PRESIGNED), "X-Amz-SignedHeaders", names);
        assertThat(codeOf(authenticator, inQuery)).isEqualTo("AuthorizationQueryParametersError");
        String header =
                simple(Form.HEADER_UNSIGNED_PAYLOAD).single("authorization").orElseThrow();
        RequestHead inHeader = with(
                simple(Form.HEADER_UNSIGNED_PAYLOAD),
                "authorization",
                header.replaceFirst("SignedHeaders=[^,]*", "SignedHeaders=" + names));
        assertThat(codeOf(authenticator, inHeader)).isEqualTo("AuthorizationHeaderMalformed");
    }

    /** The canonical request, as the refusal tells it. */
    private String detailOf(RequestHead head) {
        try {
            authenticator.authenticate(head);
            return "";
        } catch (S3Exception e) {
            return e.details().toString();
        }
    }

    private AwsSigner.Signed randomRequest(Random random) {
        Form[] forms = Form.values();
        String method = List.of("GET", "PUT", "DELETE", "HEAD", "POST").get(random.nextInt(5));
        StringBuilder uri = new StringBuilder("https://bucket.example.com:9000/");
        // An encoded slash is a slash to S3, and is signed as one; this signer would keep it as it is.
        uri.append(encoded(random).replace("%2F", ""));
        for (int i = random.nextInt(4); i > 0; i--) {
            uri.append('/').append(encoded(random).replace("%2F", ""));
        }
        String separator = "?";
        for (int i = random.nextInt(4); i > 0; i--) {
            uri.append(separator)
                    .append('p')
                    .append(i)
                    .append(encoded(random))
                    .append('=')
                    .append(encoded(random));
            separator = "&";
        }
        TreeMap<String, List<String>> headers = new TreeMap<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            headers.put("x-amz-meta-" + i, List.of("  a  " + random.nextInt() + "   b "));
        }
        byte[] body = new byte[method.equals("PUT") ? random.nextInt(200) : 0];
        random.nextBytes(body);
        return signer.sign(
                forms[random.nextInt(forms.length)], method, URI.create(uri.toString()), headers, body, "CRC32");
    }

    private static String encoded(Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(8); i > 0; i--) {
            text.appendCodePoint(random.nextBoolean() ? ' ' + random.nextInt(95) : 0xa0 + random.nextInt(0x2000));
        }
        return PercentEncoding.encode(text.toString());
    }

    private static RequestHead change(Random random, RequestHead head) {
        return switch (random.nextInt(5)) {
            case 0 -> new RequestHead(head.method().equals("GET") ? "PUT" : "GET", head.target(), head.headers());
            case 1 ->
                new RequestHead(
                        head.method(),
                        new RequestTarget(
                                head.target().path() + "x", head.target().query()),
                        head.headers());
            case 2 -> withQuery(head, "versionId", Integer.toString(random.nextInt()));
            case 3 -> with(head, "x-amz-meta-added", "value");
            default -> with(head, "host", "other.example.com");
        };
    }

    @Test
    void aFlippedSignatureDoesNotMatch() {
        RequestHead head = simple(Form.HEADER_SIGNED_PAYLOAD);
        String authorization = head.single("authorization").orElseThrow();
        char last = authorization.charAt(authorization.length() - 1);
        String flipped = authorization.substring(0, authorization.length() - 1) + (last == 'a' ? 'b' : 'a');
        S3Exception refusal = catchThrowableOfType(
                S3Exception.class, () -> authenticator.authenticate(with(head, "authorization", flipped)));
        assertThat(refusal.code()).isEqualTo("SignatureDoesNotMatch");
        assertThat(refusal.details().keySet())
                .contains("AWSAccessKeyId", "StringToSign", "SignatureProvided", "CanonicalRequest");
        assertThat(refusal.details().get("CanonicalRequest")).startsWith("GET\n/b/k\nlist-type=2\n");
    }

    @Test
    void clocksMayDifferByFifteenMinutes() {
        RequestHead head = simple(Form.HEADER_SIGNED_PAYLOAD);
        assertThat(at(NOW.plus(Duration.ofMinutes(15))).authenticate(head)).isNotNull();
        assertThat(at(NOW.minus(Duration.ofMinutes(15))).authenticate(head)).isNotNull();
        assertThat(codeOf(at(NOW.plusSeconds(901)), head)).isEqualTo("RequestTimeTooSkewed");
        S3Exception refusal = catchThrowableOfType(
                S3Exception.class, () -> at(NOW.minusSeconds(901)).authenticate(head));
        assertThat(refusal.code()).isEqualTo("RequestTimeTooSkewed");
        assertThat(refusal.details())
                .containsEntry("RequestTime", "20261129T120000Z")
                .containsEntry("ServerTime", "2026-11-29T11:44:59Z")
                .containsEntry("MaxAllowedSkewMilliseconds", "900000");
    }

    @Test
    void aPresignedUrlExpires() {
        RequestHead head = simple(Form.PRESIGNED);
        assertThat(at(NOW.plusSeconds(300)).authenticate(head)).isNotNull();
        assertThat(at(NOW.minusSeconds(900)).authenticate(head)).isNotNull();
        assertThatThrownBy(() -> at(NOW.plusSeconds(301)).authenticate(head)).hasMessage("Request has expired");
        assertThatThrownBy(() -> at(NOW.minusSeconds(901)).authenticate(head)).hasMessage("Request is not yet valid");
        for (String expiry : List.of("0", "604801", "-1", "", "1.5", "99999999999")) {
            assertThat(codeOf(authenticator, withQuery(head, "X-Amz-Expires", expiry)))
                    .as(expiry)
                    .isEqualTo("AuthorizationQueryParametersError");
        }
        assertThat(codeOf(authenticator, withQuery(head, "X-Amz-Expires", "604800")))
                .isEqualTo("SignatureDoesNotMatch");
    }

    @Test
    void aHeaderThatIsNotSignedIsRefused() {
        S3Exception refusal = catchThrowableOfType(
                S3Exception.class,
                () -> authenticator.authenticate(with(simple(Form.HEADER_SIGNED_PAYLOAD), "x-amz-acl", "public-read")));
        assertThat(refusal.code()).isEqualTo("AccessDenied");
        assertThat(refusal.details()).containsEntry("HeadersNotSigned", "x-amz-acl");
    }

    @Test
    void otherMechanismsAreRefusedClearly() {
        RequestHead head = simple(Form.HEADER_SIGNED_PAYLOAD);
        for (String old :
                List.of("AWS AKIAIOSFODNN7EXAMPLE:qgk2+6Sv9/oM7G3qLEjTH1a1l1g=", "AWS4-ECDSA-P256-SHA256 a")) {
            assertThatThrownBy(() -> authenticator.authenticate(with(head, "authorization", old)))
                    .hasMessageContaining("Please use AWS4-HMAC-SHA256");
        }
        RequestHead old = AwsExamplesTest.head(
                "GET", "/b?AWSAccessKeyId=AKIAIOSFODNN7EXAMPLE&Signature=a&Expires=1", Map.of("host", "localhost"));
        assertThatThrownBy(() -> authenticator.authenticate(old)).hasMessageContaining("Please use AWS4-HMAC-SHA256");
        assertThat(codeOf(authenticator, with(head, "authorization", "Basic YTpi")))
                .isEqualTo("InvalidArgument");
        assertThat(codeOf(authenticator, with(head, "authorization", ""))).isEqualTo("AccessDenied");
        assertThat(codeOf(authenticator, with(head, "x-amz-security-token", "token")))
                .isEqualTo("InvalidToken");
        assertThat(codeOf(authenticator, withQuery(head, "X-Amz-Signature", "a")))
                .isEqualTo("InvalidArgument");
    }

    @Test
    void malformedHeadersAreRefused() {
        RequestHead head = simple(Form.HEADER_SIGNED_PAYLOAD);
        String good = head.single("authorization").orElseThrow();
        for (String bad : List.of(
                good + ", Signature=" + "0".repeat(64),
                good.replace("/s3/", "/ec2/"),
                good.replace("/20261129/", "/20261130/"),
                good.replace("SignedHeaders=host", "SignedHeaders=Host"),
                good.replace("host;", "host;host;"),
                good.replace("aws4_request", "aws5_request"),
                "AWS4-HMAC-SHA256 Credential=a")) {
            assertThat(codeOf(authenticator, with(head, "authorization", bad)))
                    .as(bad)
                    .isEqualTo("AuthorizationHeaderMalformed");
        }
        assertThat(codeOf(authenticator, with(head, "authorization", good, good)))
                .isEqualTo("InvalidRequest");
        assertThat(codeOf(authenticator, with(head, "x-amz-date", "20260231T000000Z")))
                .isEqualTo("AccessDenied");
        assertThat(codeOf(authenticator, with(head, "authorization", good.replace("AKIA", "AKIB"))))
                .isEqualTo("InvalidAccessKeyId");
        TreeMap<String, List<String>> headers = new TreeMap<>(head.headers());
        headers.remove("x-amz-content-sha256");
        assertThat(codeOf(authenticator, new RequestHead("GET", head.target(), headers)))
                .isEqualTo("InvalidRequest");
    }

    @Test
    void requestsWithoutASignatureNeedAPerson() {
        RequestHead head = AwsExamplesTest.head("GET", "/b/k", Map.of("host", "localhost"));
        assertThat(codeOf(authenticator, head)).isEqualTo("AccessDenied");
        Authenticator open = new Authenticator(OneKey.withAnonymous(), InstantSource.fixed(NOW));
        assertThat(open.authenticate(head).caller().key()).isEqualTo(Optional.empty());
        assertThat(codeOf(open, with(head, "x-amz-content-sha256", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD")))
                .isEqualTo("AccessDenied");
        assertThatThrownBy(() -> authenticator.preflight(head).caller()).isInstanceOf(S3Exception.class);
    }

    @Test
    void aPreflightHasThePersonOfTheKeyThatItNames() {
        RequestHead presigned = simple(Form.PRESIGNED);
        RequestHead preflight =
                new RequestHead("OPTIONS", presigned.target(), new TreeMap<>(Map.of("host", List.of("localhost"))));
        assertThat(authenticator.preflight(preflight).caller().person()).isEqualTo(OneKey.EXAMPLE.person());
        RequestHead unknown = withQuery(preflight, "X-Amz-Credential", "AKIB00000000000000/20261129/r/s3/aws4_request");
        assertThatThrownBy(() -> authenticator.preflight(unknown).caller()).isInstanceOf(S3Exception.class);
    }

    @Test
    void aWrongSignatureStillNamesItsKey() {
        RequestHead head = simple(Form.HEADER_SIGNED_PAYLOAD);
        String good = head.single("authorization").orElseThrow();
        RequestHead wrong = with(head, "authorization", good.substring(0, good.length() - 64) + "0".repeat(64));
        assertThat(codeOf(authenticator, wrong)).isEqualTo("SignatureDoesNotMatch");
        assertThat(authenticator.claimedCaller(wrong).person()).isEqualTo(OneKey.EXAMPLE.person());
        assertThatThrownBy(() -> authenticator.claimedCaller(with(head, "authorization", "AWS4-HMAC-SHA256 x")))
                .isInstanceOf(S3Exception.class);
    }

    @Test
    void headersInAPresignedQueryAreHeaders() {
        AwsSigner.Signed signed = signer.sign(
                Form.PRESIGNED,
                "PUT",
                URI.create("https://localhost/b/k?x-amz-acl=private&partNumber=1"),
                Map.of(),
                new byte[3],
                "CRC32");
        RequestHead head = authenticator.authenticate(head(signed)).head();
        assertThat(head.headers()).containsEntry("x-amz-acl", List.of("private"));
        assertThat(head.target().query()).isEqualTo(Map.of("partNumber", "1"));
    }

    @Test
    void derivedKeysAreForgotten() {
        SigningKeys keys = new SigningKeys();
        for (int day = 0; day < 3_000; day++) {
            keys.derive(OneKey.EXAMPLE, new CredentialScope(Integer.toString(day), "r"));
        }
        assertThat(keys.size()).isEqualTo(1_024);
    }

    @Test
    void aRotatedSecretHasAnotherKey() {
        SigningKeys keys = new SigningKeys();
        CredentialScope scope = new CredentialScope("20261129", "us-east-1");
        byte[] before = keys.derive(OneKey.EXAMPLE, scope);
        var rotated = new AccessKey(OneKey.EXAMPLE.id(), "another", OneKey.EXAMPLE.person(), List.of());
        assertThat(keys.derive(rotated, scope)).isNotEqualTo(before);
        assertThat(keys.derive(OneKey.EXAMPLE, scope)).isEqualTo(before);
    }
}
