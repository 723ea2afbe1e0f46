package io.bulwark.gateway.s3.signature;

import io.bulwark.gateway.s3.access.AccessKey;
import io.bulwark.gateway.s3.access.AccessKeys;
import io.bulwark.gateway.s3.request.Caller;
import io.bulwark.gateway.s3.request.RequestHead;
import io.bulwark.gateway.s3.request.RequestTarget;
import io.bulwark.gateway.s3.request.S3Exception;
import io.bulwark.gateway.s3.request.WireText;
import io.bulwark.protocol.id.PrincipalId;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Verifies the senders of requests by the signature in the header, in the query or in a POST form. Thread-safe. */
public final class Authenticator {
    static final String ALGORITHM = "AWS4-HMAC-SHA256";
    static final Duration SKEW_MAX = Duration.ofMinutes(15);
    private static final int EXPIRY_SECONDS_MAX = 7 * 24 * 3_600;
    private static final String CONTENT_SHA256 = "x-amz-content-sha256";
    private static final Pattern SIGNATURE = Pattern.compile("[0-9a-f]{64}");
    private static final Pattern HEADER_NAME = Pattern.compile("[a-z0-9!#$%&'*+.^_`|~-]+");

    /** Requests have at most 200 headers. */
    private static final int SIGNED_HEADERS_MAX = 256;

    private static final Pattern CLAIM = Pattern.compile("Credential=([^, ]{1,512})");
    private static final Pattern EXPIRY = Pattern.compile("[0-9]{1,9}");
    /** Parameters of the query that belong to the signature. */
    private static final Set<String> OWN_PARAMETERS = Set.of(
            "X-Amz-Algorithm",
            "X-Amz-Credential",
            "X-Amz-Date",
            "X-Amz-Expires",
            "X-Amz-SignedHeaders",
            CanonicalRequest.SIGNATURE_PARAMETER,
            "X-Amz-Content-Sha256",
            "X-Amz-Security-Token");
    /** Headers that a content delivery network adds to a signed request. */
    private static final Set<String> UNSIGNED_ALLOWED = Set.of("x-amz-cf-id");

    private final AccessKeys accessKeys;
    private final InstantSource clock;
    private final SigningKeys signingKeys = new SigningKeys();

    public Authenticator(AccessKeys accessKeys, InstantSource clock) {
        this.accessKeys = accessKeys;
        this.clock = clock;
    }

    /** Parts of a signature as the request has them. */
    private record Claim(Credential credential, List<String> signedHeaders, String signature, SigningTime time) {}

    /**
     * Verifies a request that is no POST form.
     *
     * @throws S3Exception if it is refused
     */
    public Authentication authenticate(RequestHead head) {
        SortedMap<String, String> query = head.target().query();
        Optional<String> header = head.single("authorization");
        boolean isPresigned = query.containsKey("X-Amz-Algorithm")
                || query.containsKey(CanonicalRequest.SIGNATURE_PARAMETER)
                || query.containsKey("X-Amz-Credential");
        boolean isOld = query.containsKey("AWSAccessKeyId") && query.containsKey("Signature");
        if (header.isPresent() && (isPresigned || isOld)) {
            throw new S3Exception(
                    400,
                    "InvalidArgument",
                    "Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string"
                            + " parameter or the Authorization header should be specified");
        }
        if (isOld) {
            throw Refusals.unsupportedMechanism();
        }
        refuseToken(
                head.single("x-amz-security-token").or(() -> Optional.ofNullable(query.get("X-Amz-Security-Token"))));
        if (header.isPresent()) {
            return authenticateHeader(head, header.get());
        }
        return isPresigned ? authenticateQuery(head) : anonymous(head);
    }

    private static void refuseToken(Optional<String> token) {
        if (token.isPresent()) {
            throw new S3Exception(
                    400, "InvalidToken", "Access keys here have no session token; send the request without one.");
        }
    }

    private Authentication anonymous(RequestHead head) {
        Payload payload = head.single(CONTENT_SHA256).map(Payload::parse).orElse(Payload.UNSIGNED);
        if (payload.kind().hasSignedChunks()) {
            throw Refusals.denied("A request without a signature cannot have signed chunks.");
        }
        Caller caller = anonymousCaller();
        return new Authentication(() -> caller, head, payload, Optional.empty());
    }

    /**
     * Accepts the question of a browser, which has no signature. Its caller is {@link #claimedCaller}, so that presigned
     * URLs work where requests without a signature are refused.
     */
    public Authentication preflight(RequestHead head) {
        return new Authentication(() -> claimedCaller(head), head, Payload.UNSIGNED, Optional.empty());
    }

    /**
     * Returns the caller whose key a request names, without a look at the signature. Anybody can name a key, so this is
     * good for one thing: to ask which other origins may read answers, which is no secret.
     *
     * @throws S3Exception if the request names no key of this cluster, and none without a signature are served
     */
    public Caller claimedCaller(RequestHead head) {
        String query = head.target().query().getOrDefault("X-Amz-Credential", "");
        String header = head.single("authorization").orElse("");
        return Credential.parse(query)
                .or(() -> Optional.of(CLAIM.matcher(header))
                        .filter(Matcher::find)
                        .flatMap(found -> Credential.parse(found.group(1))))
                .flatMap(credential -> accessKeys.find(credential.keyId()))
                .map(Authenticator::callerOf)
                .orElseGet(this::anonymousCaller);
    }

    /**
     * Returns the sender of requests without a signature.
     *
     * @throws S3Exception {@code AccessDenied} if none are served
     */
    public Caller anonymousCaller() {
        PrincipalId person = accessKeys.anonymous().orElseThrow(() -> Refusals.denied("Requests must be signed."));
        return new Caller(person, Optional.empty());
    }

    private Authentication authenticateHeader(RequestHead head, String authorization) {
        SortedMap<String, String> parts = parseHeader(authorization);
        Credential credential = Credential.parse(parts.getOrDefault("Credential", ""))
                .orElseThrow(
                        () -> Refusals.malformedHeader("the Credential must be ID/YYYYMMDD/REGION/s3/aws4_request."));
        List<String> signed = signedHeaders(parts.getOrDefault("SignedHeaders", ""))
                .orElseThrow(
                        () -> Refusals.malformedHeader("the SignedHeaders are no sorted list of lower-case names."));
        SigningTime time = headerTime(head);
        Claim claim = new Claim(credential, signed, parts.getOrDefault("Signature", ""), time);
        if (!SIGNATURE.matcher(claim.signature()).matches()) {
            throw Refusals.malformedHeader("the Signature must be 64 hexadecimal digits.");
        }
        if (!time.day().equals(credential.scope().day())) {
            throw Refusals.malformedHeader("the day of the Credential is not that of the request.");
        }
        String payloadHash = head.single(CONTENT_SHA256)
                .orElseThrow(() -> new S3Exception(
                        400, "InvalidRequest", "Missing required header for this request: " + CONTENT_SHA256));
        Payload payload = Payload.parse(payloadHash);
        requireSkew(time);
        return verify(head, head, claim, payload, payloadHash);
    }

    private static SortedMap<String, String> parseHeader(String authorization) {
        if (authorization.isBlank()) {
            throw Refusals.denied("The Authorization header is empty.");
        }
        int space = authorization.indexOf(' ');
        String algorithm = space < 0 ? authorization : authorization.substring(0, space);
        boolean isOld = algorithm.equals("AWS") && authorization.indexOf(':') > 0;
        if (isOld || algorithm.equals("AWS4-ECDSA-P256-SHA256")) {
            throw Refusals.unsupportedMechanism();
        }
        if (!algorithm.equals(ALGORITHM) || space < 0) {
            throw new S3Exception(400, "InvalidArgument", "Unsupported Authorization Type")
                    .with("ArgumentName", "Authorization")
                    .with("ArgumentValue", authorization);
        }
        TreeMap<String, String> parts = new TreeMap<>();
        for (String part : authorization.substring(space + 1).split(",", 4)) {
            String text = part.strip();
            int equals = text.indexOf('=');
            String name = equals < 0 ? text : text.substring(0, equals);
            if (!Set.of("Credential", "SignedHeaders", "Signature").contains(name)
                    || parts.put(name, text.substring(equals + 1)) != null) {
                throw Refusals.malformedHeader("it must have Credential, SignedHeaders and Signature once each.");
            }
        }
        return parts;
    }

    private static SigningTime headerTime(RequestHead head) {
        Optional<String> own = head.single("x-amz-date");
        Optional<SigningTime> time = own.isPresent()
                ? SigningTime.parse(own.get())
                : head.single("date").flatMap(SigningTime::parseDate);
        return time.orElseThrow(() -> Refusals.denied("AWS authentication requires a valid Date or x-amz-date header"));
    }

    private void requireSkew(SigningTime time) {
        Instant now = clock.instant();
        if (Duration.between(time.instant(), now).abs().compareTo(SKEW_MAX) > 0) {
            throw Refusals.skewed(time.text(), now, SKEW_MAX.toMillis());
        }
    }

    private Authentication authenticateQuery(RequestHead head) {
        SortedMap<String, String> query = head.target().query();
        if (!ALGORITHM.equals(query.get("X-Amz-Algorithm"))) {
            throw Refusals.malformedQuery("X-Amz-Algorithm only supports \"" + ALGORITHM + "\"");
        }
        Credential credential = Credential.parse(query.getOrDefault("X-Amz-Credential", ""))
                .orElseThrow(() -> Refusals.malformedQuery("Error parsing the X-Amz-Credential parameter; it must be"
                        + " ID/YYYYMMDD/REGION/s3/aws4_request."));
        SigningTime time = SigningTime.parse(query.getOrDefault("X-Amz-Date", ""))
                .orElseThrow(() -> Refusals.malformedQuery(
                        "X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\""));
        List<String> signed = signedHeaders(query.getOrDefault("X-Amz-SignedHeaders", ""))
                .orElseThrow(() ->
                        Refusals.malformedQuery("X-Amz-SignedHeaders must be a sorted list of lower-case names."));
        String signature = query.getOrDefault(CanonicalRequest.SIGNATURE_PARAMETER, "");
        if (!SIGNATURE.matcher(signature).matches()) {
            throw Refusals.malformedQuery("X-Amz-Signature must be 64 hexadecimal digits.");
        }
        if (!time.day().equals(credential.scope().day())) {
            throw Refusals.malformedQuery("The day of X-Amz-Credential is not that of X-Amz-Date.");
        }
        requireUnexpired(time, query.getOrDefault("X-Amz-Expires", ""));
        Optional<String> hash = head.single(CONTENT_SHA256);
        String named = query.get("X-Amz-Content-Sha256");
        if (hash.isPresent() && named != null && !hash.get().equals(named)) {
            throw Refusals.malformedQuery("X-Amz-Content-Sha256 differs from the header.");
        }
        String payloadHash = hash.orElse(named == null ? "UNSIGNED-PAYLOAD" : named);
        Payload payload = Payload.parse(payloadHash);
        Claim claim = new Claim(credential, signed, signature, time);
        return verify(head, withHeadersOfQuery(head), claim, payload, payloadHash);
    }

    private void requireUnexpired(SigningTime time, String expiry) {
        if (!EXPIRY.matcher(expiry).matches()) {
            throw Refusals.malformedQuery("X-Amz-Expires should be a number");
        }
        int seconds = Integer.parseInt(expiry);
        if (seconds < 1) {
            throw Refusals.malformedQuery("X-Amz-Expires must be positive");
        }
        if (seconds > EXPIRY_SECONDS_MAX) {
            throw Refusals.malformedQuery("X-Amz-Expires must be less than a week (in seconds); that is, the given"
                    + " X-Amz-Expires must be less than " + EXPIRY_SECONDS_MAX + " seconds");
        }
        Instant now = clock.instant();
        if (time.instant().isAfter(now.plus(SKEW_MAX))) {
            throw Refusals.denied("Request is not yet valid").with("ServerTime", now.toString());
        }
        Instant end = time.instant().plusSeconds(seconds);
        if (now.isAfter(end)) {
            throw Refusals.denied("Request has expired")
                    .with("X-Amz-Expires", expiry)
                    .with("Expires", end.toString())
                    .with("ServerTime", now.toString());
        }
    }

    /** Moves parameters that stand for headers to the headers, and removes those of the signature. */
    private static RequestHead withHeadersOfQuery(RequestHead head) {
        TreeMap<String, String> query = new TreeMap<>();
        TreeMap<String, List<String>> headers = new TreeMap<>(head.headers());
        head.target().query().forEach((name, value) -> {
            String header = name.toLowerCase(Locale.ROOT);
            if (OWN_PARAMETERS.contains(name)) {
                return;
            }
            if (!header.startsWith("x-amz-")) {
                query.put(name, value);
            } else if (headers.put(header, List.of(WireText.of(value))) != null) {
                throw Refusals.malformedQuery("A header is also a parameter of the query: " + header);
            }
        });
        return new RequestHead(head.method(), new RequestTarget(head.target().path(), query), headers);
    }

    private Authentication verify(
            RequestHead head, RequestHead meant, Claim claim, Payload payload, String payloadHash) {
        requireSigned(head, claim.signedHeaders());
        AccessKey key = find(claim.credential());
        CredentialScope scope = claim.credential().scope();
        byte[] signingKey = signingKeys.derive(key, scope);
        String canonical = CanonicalRequest.of(head, claim.signedHeaders(), payloadHash);
        String toSign =
                ALGORITHM + "\n" + claim.time().text() + "\n" + scope.text() + "\n" + CanonicalRequest.hash(canonical);
        if (!Digests.isEqual(Digests.hex(Digests.hmac(signingKey, toSign)), claim.signature())) {
            throw Refusals.mismatch(key.id(), claim.signature(), toSign, canonical);
        }
        Optional<ChunkSignatures> chunks = payload.kind().hasSignedChunks()
                ? Optional.of(new ChunkSignatures(signingKey, claim.time().text(), scope.text(), claim.signature()))
                : Optional.empty();
        Caller caller = callerOf(key);
        return new Authentication(() -> caller, meant, payload, chunks);
    }

    private AccessKey find(Credential credential) {
        return accessKeys.find(credential.keyId()).orElseThrow(() -> Refusals.unknownKey(credential.keyId()));
    }

    private static Caller callerOf(AccessKey key) {
        return new Caller(key.person(), Optional.of(key));
    }

    /** Headers that change the meaning of a request must be signed: anybody on the way could add others. */
    private static void requireSigned(RequestHead head, List<String> signed) {
        List<String> missing = new ArrayList<>();
        if (!signed.contains("host")) {
            missing.add("host");
        }
        for (String name : head.headers().keySet()) {
            if (name.startsWith("x-amz-") && !signed.contains(name) && !UNSIGNED_ALLOWED.contains(name)) {
                missing.add(name);
            }
        }
        if (!missing.isEmpty()) {
            throw Refusals.denied("There were headers present in the request which were not signed")
                    .with("HeadersNotSigned", String.join(", ", missing));
        }
    }

    private static Optional<List<String>> signedHeaders(String text) {
        List<String> names = List.of(text.split(";", SIGNED_HEADERS_MAX + 1));
        // Name by name: a pattern of the whole would recurse for each of them, before anything is verified.
        if (names.size() > SIGNED_HEADERS_MAX
                || !names.stream().allMatch(name -> HEADER_NAME.matcher(name).matches())) {
            return Optional.empty();
        }
        return names.equals(names.stream().sorted().distinct().toList()) ? Optional.of(names) : Optional.empty();
    }

    /**
     * Verifies the policy of a POST form, whose conditions the caller enforces. A form without a policy is anonymous.
     *
     * @param fields by lower-case name
     * @throws S3Exception if it is refused
     */
    public Caller authenticateForm(SortedMap<String, String> fields) {
        if (fields.containsKey("awsaccesskeyid") || fields.containsKey("signature")) {
            throw Refusals.unsupportedMechanism();
        }
        refuseToken(Optional.ofNullable(fields.get("x-amz-security-token")));
        if (!fields.containsKey("policy")) {
            if (fields.containsKey("x-amz-signature")) {
                throw missingField("Policy");
            }
            return anonymousCaller();
        }
        if (!field(fields, "X-Amz-Algorithm").equals(ALGORITHM)) {
            throw new S3Exception(400, "InvalidArgument", "X-Amz-Algorithm only supports \"" + ALGORITHM + "\"");
        }
        Credential credential = Credential.parse(field(fields, "X-Amz-Credential"))
                .orElseThrow(() -> new S3Exception(
                        400, "InvalidArgument", "X-Amz-Credential must be ID/YYYYMMDD/REGION/s3/aws4_request."));
        SigningTime time = SigningTime.parse(field(fields, "X-Amz-Date"))
                .filter(parsed -> parsed.day().equals(credential.scope().day()))
                .orElseThrow(() -> new S3Exception(
                        400,
                        "InvalidArgument",
                        "X-Amz-Date must be as 20130524T000000Z, on the day of the credential."));
        if (time.instant().isAfter(clock.instant().plus(SKEW_MAX))) {
            throw Refusals.denied("The form is not yet valid.");
        }
        String signature = field(fields, "X-Amz-Signature");
        AccessKey key = find(credential);
        String policy = fields.get("policy");
        String expected = Digests.hex(Digests.hmac(signingKeys.derive(key, credential.scope()), policy));
        if (!Digests.isEqual(expected, signature)) {
            throw Refusals.mismatch(key.id(), signature, policy);
        }
        return callerOf(key);
    }

    private static String field(SortedMap<String, String> fields, String name) {
        String value = fields.get(name.toLowerCase(Locale.ROOT));
        if (value == null) {
            throw missingField(name);
        }
        return value;
    }

    private static S3Exception missingField(String name) {
        return new S3Exception(
                400,
                "InvalidArgument",
                "Bucket POST must contain a field named '" + name + "'.  If it is specified, please check the order of"
                        + " the fields.");
    }
}
