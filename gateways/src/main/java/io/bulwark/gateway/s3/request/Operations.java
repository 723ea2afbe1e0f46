package io.bulwark.gateway.s3.request;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;

/** All operations of the protocol: chooses the one that a request asks for, and answers it. */
public interface Operations {
    /**
     * Answers an authenticated request.
     *
     * @throws S3Exception if the request is refused and no response has begun
     */
    void handle(Exchange exchange);

    /**
     * Returns the headers that let pages of another origin read why a request about a bucket was refused.
     *
     * @param caller for whom the bucket's rules are asked for; the signature may be wrong
     */
    default SortedMap<String, String> crossOriginHeaders(Caller caller, String bucket, String origin, String method) {
        return Collections.emptySortedMap();
    }

    /**
     * Translates a failure that came up before or in an operation, as of the cluster that keeps the access keys.
     *
     * @return empty if the failure is a fault of this gateway
     */
    default Optional<S3Exception> refusalOf(RuntimeException failure) {
        return Optional.empty();
    }
}
