package io.bulwark.gateway.s3.request;

/** All operations of the protocol: chooses the one that a request asks for, and answers it. */
public interface Operations {
    /**
     * Answers an authenticated request.
     *
     * @throws S3Exception if the request is refused and no response has begun
     */
    void handle(Exchange exchange);
}
