package io.bulwark.gateway.s3.signature;

import io.bulwark.gateway.s3.request.S3Exception;
import java.util.HexFormat;
import java.util.Optional;

/**
 * Protection of a body, as {@code x-amz-content-sha256} names it.
 *
 * @param sha256 digest of the whole body, for {@link Kind#WHOLE}
 */
public record Payload(Kind kind, Optional<byte[]> sha256) {
    /** No digest, no framing. */
    public static final Payload UNSIGNED = new Payload(Kind.UNSIGNED, Optional.empty());

    private static final int SHA256_HEX = 64;

    /** Ways to protect a body. */
    public enum Kind {
        /** The body is not signed. */
        UNSIGNED("UNSIGNED-PAYLOAD", false, false, false),
        /** The SHA-256 of the body is signed. */
        WHOLE("", false, false, false),
        /** Each chunk has a signature. */
        SIGNED_CHUNKS("STREAMING-AWS4-HMAC-SHA256-PAYLOAD", true, true, false),
        /** Each chunk and the trailer have signatures. */
        SIGNED_CHUNKS_TRAILER("STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER", true, true, true),
        /** Chunks and trailer without signatures. */
        UNSIGNED_CHUNKS_TRAILER("STREAMING-UNSIGNED-PAYLOAD-TRAILER", true, false, true);

        private final String text;
        private final boolean chunked;
        private final boolean signed;
        private final boolean trailer;

        Kind(String text, boolean chunked, boolean signed, boolean trailer) {
            this.text = text;
            this.chunked = chunked;
            this.signed = signed;
            this.trailer = trailer;
        }

        /** Returns the value of the header {@code x-amz-content-sha256}. */
        String text() {
            return text;
        }

        /** Returns whether the body consists of chunks. */
        public boolean isChunked() {
            return chunked;
        }

        /** Returns whether chunks have signatures. */
        public boolean hasSignedChunks() {
            return signed;
        }

        /** Returns whether a trailer may follow the chunks. */
        public boolean mayHaveTrailer() {
            return trailer;
        }
    }

    /**
     * Parses the value of the header.
     *
     * @throws S3Exception if it is none of those known, and no digest
     */
    public static Payload parse(String text) {
        for (Kind kind : Kind.values()) {
            if (kind != Kind.WHOLE && kind.text.equals(text)) {
                return new Payload(kind, Optional.empty());
            }
        }
        if (text.length() == SHA256_HEX) {
            try {
                return new Payload(Kind.WHOLE, Optional.of(HexFormat.of().parseHex(text)));
            } catch (IllegalArgumentException e) {
                // The refusal below tells what the header may be.
            }
        }
        throw new S3Exception(
                        400,
                        "InvalidArgument",
                        "x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-UNSIGNED-PAYLOAD-TRAILER,"
                            + " STREAMING-AWS4-HMAC-SHA256-PAYLOAD, STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER, or a"
                            + " valid sha256 value.")
                .with("ArgumentName", "x-amz-content-sha256")
                .with("ArgumentValue", text);
    }
}
