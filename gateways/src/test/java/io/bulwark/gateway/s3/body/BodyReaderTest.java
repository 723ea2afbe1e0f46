package io.bulwark.gateway.s3.body;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.bulwark.gateway.s3.request.Caller;
import io.bulwark.gateway.s3.request.RequestHead;
import io.bulwark.gateway.s3.request.RequestTarget;
import io.bulwark.gateway.s3.request.S3Exception;
import io.bulwark.gateway.s3.signature.Authentication;
import io.bulwark.gateway.s3.signature.Payload;
import io.bulwark.protocol.id.PrincipalId;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BodyReaderTest {
    private static final byte[] CONTENT = "123456789".getBytes(StandardCharsets.US_ASCII);
    private static final String SHA256 = "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225";

    private static VerifiedBody open(String method, String target, Map<String, String> headers, long length) {
        TreeMap<String, List<String>> all = new TreeMap<>();
        headers.forEach((name, value) -> all.put(name, List.of(value)));
        RequestHead head = new RequestHead(method, RequestTarget.parse(target), all);
        Authentication sender = new Authentication(
                () -> new Caller(PrincipalId.client(1), Optional.empty()),
                head,
                Payload.parse(headers.getOrDefault("x-amz-content-sha256", "UNSIGNED-PAYLOAD")),
                Optional.empty());
        OptionalLong announced = length < 0 ? OptionalLong.empty() : OptionalLong.of(length);
        return BodyReader.open(sender, new ByteArrayInputStream(CONTENT), BodyReader.contentLength(sender, announced));
    }

    private static String refusalOf(Map<String, String> headers) {
        return refusalOf(headers, 9);
    }

    private static String refusalOf(Map<String, String> headers, long length) {
        return catchThrowableOfType(
                        S3Exception.class,
                        () -> open("PUT", "/b/k", headers, length).readAllBytes())
                .code();
    }

    @ParameterizedTest
    @CsvSource({
        "content-md5, JfnnlDI7RTiF9RgfG2JNCw==",
        "x-amz-content-sha256, " + SHA256,
        "x-amz-checksum-crc32, y/Q5Jg==",
        "x-amz-checksum-crc32c, 4waSgw==",
        "x-amz-checksum-crc64nvme, rosUhgp5mIg=",
        "x-amz-checksum-sha1, 98O8HYCOBHMq32eZZczDTKeuNEE=",
        "x-amz-checksum-sha256, FeKw08M4keuw8e9gnsQZQgwg4yDOlMZfvIwzEkSOsiU="
    })
    void rightDigestsAreTakenAndWrongOnesRefused(String header, String value) throws IOException {
        assertThat(open("PUT", "/b/k", Map.of(header, value), 9).readAllBytes()).isEqualTo(CONTENT);
        assertThat(open("PUT", "/b/k", Map.of(header, value), -1).readAllBytes())
                .isEqualTo(CONTENT);
        String wrong = (value.charAt(0) == 'A' ? 'B' : value.startsWith("1") ? '2' : 'A') + value.substring(1);
        assertThat(refusalOf(Map.of(header, wrong)))
                .isEqualTo(header.equals("x-amz-content-sha256") ? "XAmzContentSHA256Mismatch" : "BadDigest");
        assertThat(refusalOf(Map.of(header, wrong), -1)).isNotEmpty();
    }

    @Test
    void theNamedChecksumIsKept() throws IOException {
        VerifiedBody named = open("PUT", "/b/k", Map.of("x-amz-checksum-crc32", "y/Q5Jg=="), 9);
        var _ = named.readAllBytes();
        assertThat(named.digests().checksums()).isEqualTo(Map.of("CRC32", "y/Q5Jg=="));
        VerifiedBody wanted = open("PUT", "/b/k", Map.of("x-amz-sdk-checksum-algorithm", "CRC64NVME"), 9);
        var _ = wanted.readAllBytes();
        assertThat(wanted.digests().checksums()).isEqualTo(Map.of("CRC64NVME", "rosUhgp5mIg="));
        VerifiedBody none = open("PUT", "/b/k", Map.of("x-amz-content-sha256", SHA256), 9);
        var _ = none.readAllBytes();
        assertThat(none.digests().checksums()).isEmpty();
        assertThat(none.digests().md5()).hasSize(16);
    }

    @Test
    void invalidDigestsAreRefused() {
        assertThat(refusalOf(Map.of("content-md5", "abc"))).isEqualTo("InvalidDigest");
        assertThat(refusalOf(Map.of("content-md5", ""))).isEqualTo("InvalidDigest");
        assertThat(refusalOf(Map.of("x-amz-checksum-crc32", "abc"))).isEqualTo("InvalidRequest");
        assertThat(refusalOf(Map.of("x-amz-checksum-md9", "abc"))).isEqualTo("InvalidRequest");
        assertThat(refusalOf(Map.of("x-amz-sdk-checksum-algorithm", "MD9"))).isEqualTo("InvalidRequest");
        assertThat(refusalOf(Map.of("x-amz-checksum-crc32", "y/Q5Jg==", "x-amz-checksum-crc32c", "4waSgw==")))
                .isEqualTo("InvalidRequest");
        assertThat(refusalOf(Map.of("x-amz-checksum-crc32", "y/Q5Jg==", "x-amz-sdk-checksum-algorithm", "SHA1")))
                .isEqualTo("InvalidRequest");
        assertThat(refusalOf(Map.of("x-amz-trailer", "x-amz-checksum-crc32"))).isEqualTo("InvalidRequest");
    }

    @Test
    void theChecksumOfACompletedUploadIsNotThatOfTheBody() throws IOException {
        VerifiedBody body = open("POST", "/b/k?uploadId=1", Map.of("x-amz-checksum-crc32", "AAAAAA==-3"), 9);
        assertThat(body.readAllBytes()).isEqualTo(CONTENT);
    }

    @Test
    void framingIsNeverTakenForContent() {
        assertThat(refusalOf(Map.of("content-encoding", "aws-chunked"))).isEqualTo("InvalidRequest");
        assertThat(refusalOf(Map.of("content-encoding", "gzip,AWS-chunked"))).isEqualTo("InvalidRequest");
        assertThat(refusalOf(Map.of("x-amz-decoded-content-length", "9"))).isEqualTo("InvalidRequest");
        assertThat(refusalOf(Map.of("x-amz-content-sha256", "STREAMING-UNSIGNED-PAYLOAD-TRAILER")))
                .isEqualTo("MissingContentLength");
    }

    @Test
    void lengthsAreCompared() {
        assertThat(refusalOf(Map.of(), 8)).isEqualTo("IncompleteBody");
        assertThat(refusalOf(Map.of(), 10)).isEqualTo("IncompleteBody");
        assertThat(refusalOf(Map.of(), (5L << 30) + 1)).isEqualTo("EntityTooLarge");
        for (String length : List.of("-1", "", "9x", "99999999999999999999")) {
            assertThat(refusalOf(Map.of(
                            "x-amz-content-sha256",
                            "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
                            "x-amz-decoded-content-length",
                            length)))
                    .isEqualTo("InvalidArgument");
        }
    }

    @Test
    void theEncodingOfTheWayIsNotKept() {
        RequestHead head = new RequestHead(
                "PUT",
                RequestTarget.parse("/b/k"),
                new TreeMap<>(Map.of("content-encoding", List.of("aws-chunked, gzip"))));
        assertThat(BodyReader.withoutFraming(head).headers()).isEqualTo(Map.of("content-encoding", List.of("gzip")));
        RequestHead only = new RequestHead(
                "PUT", RequestTarget.parse("/b/k"), new TreeMap<>(Map.of("content-encoding", List.of("aws-chunked"))));
        assertThat(BodyReader.withoutFraming(only).headers()).isEmpty();
    }
}
