package io.bulwark.gateway.s3.request;

import java.util.Optional;

/** All operations of the protocol: chooses the one that a request asks for, and answers it. */
public interface Operations {
    /**
     * Answers an authenticated request.
     *
     * @throws S3Exception if the request is refused and no response has begun
     */
    void handle(Exchange exchange);

    /**
     * Translates a failure that came up before or in an operation, as of the cluster that keeps the access keys.
     *
     * @return empty if the failure is a fault of this gateway
     */
    default Optional<S3Exception> refusalOf(RuntimeException failure) {
        return Optional.empty();
    }
}
