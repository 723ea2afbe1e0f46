package io.bulwark.gateway.s3.body;

import io.bulwark.gateway.s3.request.RequestHead;
import io.bulwark.gateway.s3.request.S3Exception;
import io.bulwark.gateway.s3.signature.Authentication;
import io.bulwark.gateway.s3.signature.Payload;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Chooses how a body is decoded and verified, from the headers of its request. */
public final class BodyReader {
    /** The most bytes that one request stores: an object, or a part of one. */
    public static final long BODY_BYTES_MAX = 5L << 30;

    private static final String AWS_CHUNKED = "aws-chunked";
    private static final String ENCODING = "content-encoding";
    private static final String DECODED_LENGTH = "x-amz-decoded-content-length";
    private static final Pattern LENGTH = Pattern.compile("[0-9]{1,18}");

    private BodyReader() {}

    /**
     * Returns the number of content bytes that the request announces; empty if it does not say.
     *
     * @param wireLength length of the body on the wire; empty if that is unknown
     * @throws S3Exception if the headers contradict each other, or it is too large
     */
    public static OptionalLong contentLength(Authentication request, OptionalLong wireLength) {
        Optional<String> decoded = request.head().single(DECODED_LENGTH);
        OptionalLong length = wireLength;
        if (request.payload().kind().isChunked()) {
            String text = decoded.orElseThrow(() -> new S3Exception(
                    411, "MissingContentLength", "You must provide the " + DECODED_LENGTH + " HTTP header."));
            if (!LENGTH.matcher(text).matches()) {
                throw new S3Exception(400, "InvalidArgument", DECODED_LENGTH + " must be a number.")
                        .with("ArgumentName", DECODED_LENGTH)
                        .with("ArgumentValue", text);
            }
            length = OptionalLong.of(Long.parseLong(text));
        } else if (decoded.isPresent() || hasChunkedEncoding(request.head())) {
            // Otherwise the frames would be stored as content.
            throw new S3Exception(
                    400,
                    "InvalidRequest",
                    "An aws-chunked body needs a STREAMING- value of the x-amz-content-sha256 header.");
        }
        if (length.orElse(0) > BODY_BYTES_MAX) {
            throw tooLarge(BODY_BYTES_MAX).with("ProposedSize", Long.toString(length.getAsLong()));
        }
        return length;
    }

    /**
     * Opens the body.
     *
     * @param wire the body as it arrives
     * @param length as {@link #contentLength} returned it
     */
    public static VerifiedBody open(Authentication request, InputStream wire, OptionalLong length) {
        BodyExpectation expected = BodyExpectation.of(request.head());
        Payload payload = request.payload();
        VerifiedBody.Size size = new VerifiedBody.Size(length, 0, BODY_BYTES_MAX);
        if (!payload.kind().mayHaveTrailer() && !expected.trailer().isEmpty()) {
            throw new S3Exception(400, "InvalidRequest", "The x-amz-trailer header needs a body with a trailer.");
        }
        if (!payload.kind().isChunked()) {
            return new VerifiedBody(wire, size, expected, payload.sha256(), TreeMap::new);
        }
        AwsChunks chunks = new AwsChunks(
                wire, payload.kind(), request.chunks(), expected.trailer(), length.orElse(BODY_BYTES_MAX));
        return new VerifiedBody(chunks, size, expected, Optional.empty(), chunks::trailer);
    }

    /** Opens the file of a POST form, whose policy limits its length. */
    public static VerifiedBody openFile(RequestHead fields, InputStream file, long lengthMin, long lengthMax) {
        return new VerifiedBody(
                file,
                new VerifiedBody.Size(OptionalLong.empty(), lengthMin, lengthMax),
                BodyExpectation.of(fields),
                Optional.empty(),
                TreeMap::new);
    }

    /** Returns the headers that the content keeps: {@code aws-chunked} is an encoding of the way. */
    public static RequestHead withoutFraming(RequestHead head) {
        List<String> values = head.headers().get(ENCODING);
        if (values == null || !hasChunkedEncoding(head)) {
            return head;
        }
        TreeMap<String, List<String>> headers = new TreeMap<>(head.headers());
        List<String> kept = values.stream()
                .flatMap(value -> Arrays.stream(value.split(",", -1)))
                .map(String::strip)
                .filter(coding -> !coding.isEmpty() && !coding.equalsIgnoreCase(AWS_CHUNKED))
                .toList();
        if (kept.isEmpty()) {
            headers.remove(ENCODING);
        } else {
            headers.put(ENCODING, List.of(String.join(",", kept)));
        }
        return new RequestHead(head.method(), head.target(), headers);
    }

    private static boolean hasChunkedEncoding(RequestHead head) {
        return head.headers().getOrDefault(ENCODING, List.of()).stream()
                .anyMatch(value -> value.toLowerCase(Locale.ROOT).contains(AWS_CHUNKED));
    }

    static S3Exception tooLarge(long lengthMax) {
        return new S3Exception(400, "EntityTooLarge", "Your proposed upload exceeds the maximum allowed size")
                .with("MaxSizeAllowed", Long.toString(lengthMax));
    }
}
