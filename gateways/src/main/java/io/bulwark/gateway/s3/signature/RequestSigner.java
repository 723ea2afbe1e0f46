package io.bulwark.gateway.s3.signature;

import io.bulwark.gateway.s3.access.AccessKey;
import io.bulwark.gateway.s3.request.RequestHead;
import io.bulwark.gateway.s3.request.RequestTarget;
import io.bulwark.protocol.id.PrincipalId;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** The client's side of version 4: signs requests in their header, without their bodies. Thread-safe. */
public final class RequestSigner {
    private static final String REGION = "us-east-1";
    private static final List<String> SIGNED = List.of("host", "x-amz-content-sha256", "x-amz-date");

    private final AccessKey key;
    private final String host;
    private final SigningKeys keys = new SigningKeys();

    /**
     * Creates one for an access key.
     *
     * @param host as the header {@code Host} names it
     */
    public RequestSigner(String id, String secret, String host) {
        this.key = new AccessKey(id, secret, PrincipalId.NOBODY, List.of());
        this.host = host;
    }

    /**
     * Returns the headers to send beside {@code Host}.
     *
     * @param target path and query as in the request line
     */
    public SortedMap<String, String> sign(String method, String target, Instant now) {
        String time = SigningTime.format(now);
        String payload = Payload.Kind.UNSIGNED.text();
        SortedMap<String, String> headers =
                new TreeMap<>(Map.of("host", host, "x-amz-content-sha256", payload, "x-amz-date", time));
        SortedMap<String, List<String>> signed = new TreeMap<>();
        headers.forEach((name, value) -> signed.put(name, List.of(value)));
        CredentialScope scope = new CredentialScope(time.substring(0, 8), REGION);
        String canonical =
                CanonicalRequest.of(new RequestHead(method, RequestTarget.parse(target), signed), SIGNED, payload);
        String text = String.join("\n", Authenticator.ALGORITHM, time, scope.text(), CanonicalRequest.hash(canonical));
        String signature = Digests.hex(Digests.hmac(keys.derive(key, scope), text));
        headers.remove("host");
        headers.put(
                "authorization",
                Authenticator.ALGORITHM + " Credential=" + key.id() + "/" + scope.text() + ", SignedHeaders="
                        + String.join(";", SIGNED) + ", Signature=" + signature);
        return headers;
    }
}
