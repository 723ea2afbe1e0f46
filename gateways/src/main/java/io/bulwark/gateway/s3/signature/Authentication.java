package io.bulwark.gateway.s3.signature;

import io.bulwark.gateway.s3.request.Caller;
import io.bulwark.gateway.s3.request.RequestHead;
import io.bulwark.gateway.s3.request.S3Exception;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Verified sender of a request.
 *
 * @param sender knows the caller
 * @param head without the parameters of the signature; the headers include those that a presigned URL has in its query
 * @param payload protection of the body, which is still to be verified
 * @param chunks signatures of the body's chunks, if they are signed
 */
public record Authentication(
        Supplier<Caller> sender, RequestHead head, Payload payload, Optional<ChunkSignatures> chunks) {
    /**
     * Returns the sender.
     *
     * @throws S3Exception if it is anonymous, and requests without a signature are not served
     */
    public Caller caller() {
        return sender.get();
    }
}
