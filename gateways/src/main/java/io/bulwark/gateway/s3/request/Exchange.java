package io.bulwark.gateway.s3.request;

import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;

/** One authenticated request with the way to answer it. It is used by one virtual thread, which may block. */
public interface Exchange {
    /** Upper case. */
    String method();

    /** The decoded bucket name; empty for requests about the service. */
    Optional<String> bucket();

    /** The decoded key; empty for requests about a bucket. */
    Optional<String> key();

    /** Query parameters without those of a signature, decoded; one without {@code =} has the value "". */
    SortedMap<String, String> query();

    /** All values of a header in order, trailers excluded. */
    List<String> headers(String name);

    /** The first value of a header. */
    default Optional<String> header(String name) {
        return headers(name).stream().findFirst();
    }

    /** Names of all headers, lower case. */
    List<String> headerNames();

    Caller caller();

    /** Unique per request; every response has it. */
    String requestId();

    /** Number of bytes of the body after its transfer framing was removed; empty if the sender did not say. */
    OptionalLong contentLength();

    /**
     * The body without its framing. It ends normally only when all of it has arrived and every signature, length and
     * checksum that the request names fits; otherwise reading throws {@link S3Exception}.
     */
    InputStream body();

    /** The checksums of the body that the request named or that were computed, once the body has been read. */
    BodyDigests digests();

    /**
     * Begins the response. The stream blocks while the client is slow, and must be closed.
     *
     * @param length number of bytes that follow; empty if unknown. To a {@code HEAD} nothing is written, whatever it is
     */
    OutputStream respond(int status, SortedMap<String, String> headers, OptionalLong length);
}
