package io.bulwark.gateway.s3.signature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.bulwark.gateway.s3.body.BodyReader;
import io.bulwark.gateway.s3.body.VerifiedBody;
import io.bulwark.gateway.s3.request.RequestHead;
import io.bulwark.gateway.s3.request.RequestTarget;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Examples of "Authenticating Requests (AWS Signature Version 4)" in the S3 API reference. */
class AwsExamplesTest {
    private static final String CREDENTIAL =
            "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request";
    private static final String EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    private static final String CHUNK = "a".repeat(65_536);
    private static final String LAST_CHUNK = "a".repeat(1_024);

    private final Authenticator authenticator =
            new Authenticator(OneKey.signedOnly(), InstantSource.fixed(Instant.parse("2013-05-24T00:00:00Z")));

    static RequestHead head(String method, String target, Map<String, String> headers) {
        TreeMap<String, List<String>> all = new TreeMap<>();
        headers.forEach((name, value) -> all.put(name, new ArrayList<>(List.of(value))));
        return new RequestHead(method, RequestTarget.parse(target), all);
    }

    private Authentication verify(
            String method, String target, String signed, String signature, Map<String, String> more) {
        TreeMap<String, String> headers = new TreeMap<>(more);
        headers.putIfAbsent("host", "examplebucket.s3.amazonaws.com");
        headers.putIfAbsent("x-amz-date", "20130524T000000Z");
        headers.putIfAbsent("x-amz-content-sha256", EMPTY);
        headers.put("authorization", CREDENTIAL + ",SignedHeaders=" + signed + ",Signature=" + signature);
        return authenticator.authenticate(head(method, target, headers));
    }

    @Test
    void getObject() {
        assertThat(verify(
                                "GET",
                                "/test.txt",
                                "host;range;x-amz-content-sha256;x-amz-date",
                                "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
                                Map.of("range", "bytes=0-9"))
                        .caller()
                        .person())
                .isEqualTo(OneKey.EXAMPLE.person());
    }

    @Test
    void putObject() {
        assertThatCode(() -> verify(
                        "PUT",
                        "/test%24file.text",
                        "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
                        "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
                        Map.of(
                                "date",
                                "Fri, 24 May 2013 00:00:00 GMT",
                                "x-amz-storage-class",
                                "REDUCED_REDUNDANCY",
                                "x-amz-content-sha256",
                                "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072")))
                .doesNotThrowAnyException();
    }

    @Test
    void getBucketLifecycle() {
        assertThatCode(() -> verify(
                        "GET",
                        "/?lifecycle",
                        "host;x-amz-content-sha256;x-amz-date",
                        "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
                        Map.of()))
                .doesNotThrowAnyException();
    }

    @Test
    void listObjects() {
        assertThatCode(() -> verify(
                        "GET",
                        "/?max-keys=2&prefix=J",
                        "host;x-amz-content-sha256;x-amz-date",
                        "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
                        Map.of()))
                .doesNotThrowAnyException();
    }

    @Test
    void presignedUrl() {
        Authentication sender = authenticator.authenticate(head(
                "GET",
                "/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1"
                    + "%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
                    + "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
                Map.of("host", "examplebucket.s3.amazonaws.com")));
        assertThat(sender.head().target().query()).isEmpty();
        assertThat(sender.payload().kind()).isEqualTo(Payload.Kind.UNSIGNED);
    }

    @Test
    void signedChunks() throws IOException {
        String wire =
                "10000;chunk-signature=ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648\r\n" + CHUNK
                        + "\r\n400;chunk-signature=0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497\r\n"
                        + LAST_CHUNK
                        + "\r\n"
                        + "0;chunk-signature=b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9\r\n\r\n";
        Authentication sender = verify(
                "PUT",
                "/examplebucket/chunkObject.txt",
                "content-encoding;content-length;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;"
                        + "x-amz-storage-class",
                "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9",
                Map.of(
                        "host",
                        "s3.amazonaws.com",
                        "x-amz-storage-class",
                        "REDUCED_REDUNDANCY",
                        "x-amz-content-sha256",
                        "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
                        "content-encoding",
                        "aws-chunked",
                        "x-amz-decoded-content-length",
                        "66560",
                        "content-length",
                        "66824"));
        assertThat(wire).hasSize(66_824);
        assertThat(read(sender, wire)).isEqualTo(CHUNK + LAST_CHUNK);
    }

    @Test
    void signedChunksWithTrailer() throws IOException {
        String wire =
                "10000;chunk-signature=b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2\r\n" + CHUNK
                        + "\r\n400;chunk-signature=1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7\r\n"
                        + LAST_CHUNK
                        + "\r\n"
                        + "0;chunk-signature=2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992\r\n"
                        + "x-amz-checksum-crc32c:sOO8/Q==\r\n"
                        + "x-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435\r\n\r\n";
        Authentication sender = verify(
                "PUT",
                "/examplebucket/chunkObject.txt",
                "content-encoding;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;"
                        + "x-amz-storage-class;x-amz-trailer",
                "106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e",
                Map.of(
                        "host",
                        "s3.amazonaws.com",
                        "x-amz-storage-class",
                        "REDUCED_REDUNDANCY",
                        "x-amz-content-sha256",
                        "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER",
                        "content-encoding",
                        "aws-chunked",
                        "x-amz-decoded-content-length",
                        "66560",
                        "x-amz-trailer",
                        "x-amz-checksum-crc32c"));
        assertThat(read(sender, wire)).isEqualTo(CHUNK + LAST_CHUNK);
    }

    private static String read(Authentication sender, String wire) throws IOException {
        VerifiedBody body = BodyReader.open(
                sender,
                new ByteArrayInputStream(wire.getBytes(StandardCharsets.US_ASCII)),
                BodyReader.contentLength(sender, OptionalLong.of(wire.length())));
        return new String(body.readAllBytes(), StandardCharsets.US_ASCII);
    }

    @Test
    void postPolicy() {
        Authenticator then =
                new Authenticator(OneKey.signedOnly(), InstantSource.fixed(Instant.parse("2015-12-29T00:00:00Z")));
        String policy =
                "eyAiZXhwaXJhdGlvbiI6ICIyMDE1LTEyLTMwVDEyOjAwOjAwLjAwMFoiLA0KICAiY29uZGl0aW9ucyI6IFsNCiAgICB7ImJ1"
                    + "Y2tldCI6ICJzaWd2NGV4YW1wbGVidWNrZXQifSwNCiAgICBbInN0YXJ0cy13aXRoIiwgIiRrZXkiLCAidXNlci91c2VyMS8i"
                    + "XSwNCiAgICB7ImFjbCI6ICJwdWJsaWMtcmVhZCJ9LA0KICAgIHsic3VjY2Vzc19hY3Rpb25fcmVkaXJlY3QiOiAiaHR0cDov"
                    + "L3NpZ3Y0ZXhhbXBsZWJ1Y2tldC5zMy5hbWF6b25hd3MuY29tL3N1Y2Nlc3NmdWxfdXBsb2FkLmh0bWwifSwNCiAgICBbInN0"
                    + "YXJ0cy13aXRoIiwgIiRDb250ZW50LVR5cGUiLCAiaW1hZ2UvIl0sDQogICAgeyJ4LWFtei1tZXRhLXV1aWQiOiAiMTQzNjUx"
                    + "MjM2NTEyNzQifSwNCiAgICB7IngtYW16LXNlcnZlci1zaWRlLWVuY3J5cHRpb24iOiAiQUVTMjU2In0sDQogICAgWyJzdGFy"
                    + "dHMtd2l0aCIsICIkeC1hbXotbWV0YS10YWciLCAiIl0sDQoNCiAgICB7IngtYW16LWNyZWRlbnRpYWwiOiAiQUtJQUlPU0ZP"
                    + "RE5ON0VYQU1QTEUvMjAxNTEyMjkvdXMtZWFzdC0xL3MzL2F3czRfcmVxdWVzdCJ9LA0KICAgIHsieC1hbXotYWxnb3JpdGht"
                    + "IjogIkFXUzQtSE1BQy1TSEEyNTYifSwNCiAgICB7IngtYW16LWRhdGUiOiAiMjAxNTEyMjlUMDAwMDAwWiIgfQ0KICBdDQp9";
        TreeMap<String, String> fields = new TreeMap<>(Map.of(
                "policy",
                policy,
                "x-amz-algorithm",
                "AWS4-HMAC-SHA256",
                "x-amz-credential",
                "AKIAIOSFODNN7EXAMPLE/20151229/us-east-1/s3/aws4_request",
                "x-amz-date",
                "20151229T000000Z",
                "x-amz-signature",
                "8afdbf4008c03f22c2cd3cdb72e4afbb1f6a588f3255ac628749a66d7f09699e"));
        assertThat(then.authenticateForm(fields).person()).isEqualTo(OneKey.EXAMPLE.person());
    }
}
