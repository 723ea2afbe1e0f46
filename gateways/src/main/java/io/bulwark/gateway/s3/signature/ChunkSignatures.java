package io.bulwark.gateway.s3.signature;

import io.bulwark.gateway.s3.request.S3Exception;

/** Chain of the signatures of one body's chunks, beginning with that of the request. Used by one thread. */
public final class ChunkSignatures {
    private static final String EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    private final byte[] key;
    private final String time;
    private final String scope;
    private String previous;

    ChunkSignatures(byte[] key, String time, String scope, String seed) {
        this.key = key.clone();
        this.time = time;
        this.scope = scope;
        this.previous = seed;
    }

    /**
     * Checks the signature of the next chunk.
     *
     * @throws S3Exception if it does not match
     */
    public void verifyChunk(byte[] sha256, String signature) {
        verify(
                "AWS4-HMAC-SHA256-PAYLOAD\n" + time + "\n" + scope + "\n" + previous + "\n" + EMPTY_SHA256 + "\n"
                        + Digests.hex(sha256),
                signature);
    }

    /**
     * Checks the signature of the trailer.
     *
     * @param sha256 of the lines of the trailer in canonical form
     * @throws S3Exception if it does not match
     */
    public void verifyTrailer(byte[] sha256, String signature) {
        verify(
                "AWS4-HMAC-SHA256-TRAILER\n" + time + "\n" + scope + "\n" + previous + "\n" + Digests.hex(sha256),
                signature);
    }

    private void verify(String toSign, String signature) {
        String expected = Digests.hex(Digests.hmac(key, toSign));
        if (!Digests.isEqual(expected, signature)) {
            throw new S3Exception(
                            403,
                            "SignatureDoesNotMatch",
                            "The signature of a chunk of the body does not match. Check your key and signing method.")
                    .with("StringToSign", toSign)
                    .with("SignatureProvided", signature);
        }
        previous = expected;
    }
}
