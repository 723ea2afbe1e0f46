package io.bulwark.gateway.s3.signature;

import io.bulwark.gateway.s3.request.S3Exception;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;

/** Refusals of requests whose sender is not verified, in the words of S3. */
final class Refusals {
    private static final HexFormat SPACED = HexFormat.ofDelimiter(" ");

    private Refusals() {}

    static S3Exception denied(String message) {
        return new S3Exception(403, "AccessDenied", message);
    }

    static S3Exception malformedHeader(String detail) {
        return new S3Exception(
                400,
                "AuthorizationHeaderMalformed",
                "The authorization header that you provided is not valid: " + detail);
    }

    static S3Exception malformedQuery(String message) {
        return new S3Exception(400, "AuthorizationQueryParametersError", message);
    }

    static S3Exception unsupportedMechanism() {
        return new S3Exception(
                400,
                "InvalidRequest",
                "The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256.");
    }

    static S3Exception unknownKey(String id) {
        return new S3Exception(
                        403, "InvalidAccessKeyId", "The AWS Access Key Id you provided does not exist in our records.")
                .with("AWSAccessKeyId", id);
    }

    static S3Exception skewed(String requestTime, Instant now, long skewMaxMillis) {
        return new S3Exception(
                        403,
                        "RequestTimeTooSkewed",
                        "The difference between the request time and the current time is too large.")
                .with("RequestTime", requestTime)
                .with("ServerTime", now.truncatedTo(ChronoUnit.SECONDS).toString())
                .with("MaxAllowedSkewMilliseconds", Long.toString(skewMaxMillis));
    }

    static S3Exception mismatch(String keyId, String signature, String toSign) {
        return new S3Exception(
                        403,
                        "SignatureDoesNotMatch",
                        "The request signature we calculated does not match the signature you provided. Check your key"
                                + " and signing method.")
                .with("AWSAccessKeyId", keyId)
                .with("StringToSign", toSign)
                .with("SignatureProvided", signature)
                .with("StringToSignBytes", bytes(toSign));
    }

    static S3Exception mismatch(String keyId, String signature, String toSign, String canonical) {
        return mismatch(keyId, signature, toSign)
                .with("CanonicalRequest", canonical)
                .with("CanonicalRequestBytes", bytes(canonical));
    }

    private static String bytes(String text) {
        return SPACED.formatHex(text.getBytes(StandardCharsets.ISO_8859_1));
    }
}
