package io.bulwark.gateway.s3.signature;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import software.amazon.awssdk.checksums.DefaultChecksumAlgorithm;
import software.amazon.awssdk.checksums.spi.ChecksumAlgorithm;
import software.amazon.awssdk.http.ContentStreamProvider;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4FamilyHttpSigner;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import software.amazon.awssdk.http.auth.spi.signer.HttpSigner;
import software.amazon.awssdk.http.auth.spi.signer.SignedRequest;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;

/** Signs requests with the signer of the AWS SDK, which knows nothing of ours. */
public final class AwsSigner {
    private final Clock clock;

    public AwsSigner(Clock clock) {
        this.clock = clock;
    }

    /** Ways to sign. */
    public enum Form {
        HEADER_SIGNED_PAYLOAD,
        HEADER_UNSIGNED_PAYLOAD,
        SIGNED_CHUNKS,
        SIGNED_CHUNKS_TRAILER,
        UNSIGNED_CHUNKS_TRAILER,
        PRESIGNED
    }

    /** A signed request as it goes over the wire. */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    public record Signed(String method, String target, Map<String, List<String>> headers, byte[] body) {
        /** Returns the head as HTTP/1.1 writes it. */
        public String head() {
            StringBuilder head = new StringBuilder();
            head.append(method).append(' ').append(target).append(" HTTP/1.1\r\n");
            headers.forEach((name, values) ->
                    values.forEach(value -> head.append(name).append(": ").append(value).append("\r\n")));
            return head.append("\r\n").toString();
        }
    }

    /**
     * Signs.
     *
     * @param uri with encoded path and query
     * @param checksum name of the trailer's algorithm
     */
    public Signed sign(
            Form form, String method, URI uri, Map<String, List<String>> headers, byte[] body, String checksum) {
        SdkHttpRequest.Builder request = SdkHttpRequest.builder()
                .method(SdkHttpMethod.fromValue(method))
                .uri(uri);
        headers.forEach((name, values) -> request.putHeader(name, values));
        ChecksumAlgorithm algorithm = DefaultChecksumAlgorithm.fromValue(checksum);
        boolean isChunked = form == Form.SIGNED_CHUNKS
                || form == Form.SIGNED_CHUNKS_TRAILER
                || form == Form.UNSIGNED_CHUNKS_TRAILER;
        boolean hasBody = body.length > 0 || method.equals("PUT") || isChunked;
        if (hasBody) {
            request.putHeader("Content-Length", Integer.toString(body.length));
        }
        boolean hasTrailer = form == Form.SIGNED_CHUNKS_TRAILER || form == Form.UNSIGNED_CHUNKS_TRAILER;
        SignedRequest signed = AwsV4HttpSigner.create().sign(spec -> {
            spec.identity(AwsCredentialsIdentity.create(OneKey.EXAMPLE.id(), OneKey.EXAMPLE.secret()))
                    .request(request.build())
                    .putProperty(AwsV4FamilyHttpSigner.SERVICE_SIGNING_NAME, "s3")
                    .putProperty(AwsV4HttpSigner.REGION_NAME, "us-east-1")
                    .putProperty(AwsV4FamilyHttpSigner.DOUBLE_URL_ENCODE, false)
                    .putProperty(AwsV4FamilyHttpSigner.NORMALIZE_PATH, false)
                    .putProperty(
                            AwsV4FamilyHttpSigner.PAYLOAD_SIGNING_ENABLED,
                            form != Form.HEADER_UNSIGNED_PAYLOAD
                                    && form != Form.UNSIGNED_CHUNKS_TRAILER
                                    && form != Form.PRESIGNED)
                    .putProperty(AwsV4FamilyHttpSigner.CHUNK_ENCODING_ENABLED, isChunked)
                    .putProperty(HttpSigner.SIGNING_CLOCK, clock);
            if (hasTrailer) {
                spec.putProperty(AwsV4FamilyHttpSigner.CHECKSUM_ALGORITHM, algorithm);
            }
            if (form == Form.PRESIGNED) {
                spec.putProperty(AwsV4FamilyHttpSigner.AUTH_LOCATION, AwsV4FamilyHttpSigner.AuthLocation.QUERY_STRING)
                        .putProperty(AwsV4FamilyHttpSigner.EXPIRATION_DURATION, Duration.ofMinutes(5));
            }
            if (hasBody) {
                spec.payload(ContentStreamProvider.fromByteArray(body));
            }
        });
        Map<String, List<String>> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        signed.request().headers().forEach((name, values) -> all.put(name, new ArrayList<>(values)));
        byte[] wire = signed.payload().map(AwsSigner::bytes).orElse(new byte[0]);
        if (hasBody) {
            all.putIfAbsent("Content-Length", List.of(Integer.toString(wire.length)));
        }
        URI target = signed.request().getUri();
        String query = target.getRawQuery();
        return new Signed(
                method, target.getRawPath() + Optional.ofNullable(query).map(text -> "?" + text).orElse(""), all, wire);
    }

    private static byte[] bytes(ContentStreamProvider provider) {
        try (InputStream in = provider.newStream()) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
