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

    /** The decoded key; empty for requests about a bucket. In a POST form it is the field, with the file's name inserted. */
    Optional<String> key();

    /**
     * Query parameters without those of a signature, decoded; one without {@code =} has the value "". Names are unique.
     * Parameters of a presigned URL whose name begins with {@code x-amz-} are headers here.
     */
    SortedMap<String, String> query();

    /**
     * All values of a header in order, trailers excluded. {@code content-encoding} is without {@code aws-chunked}. In a POST
     * form the fields are headers too, and hide those of the request.
     */
    List<String> headers(String name);

    /** The first value of a header. */
    default Optional<String> header(String name) {
        return headers(name).stream().findFirst();
    }

    /** Names of all headers, lower case. */
    List<String> headerNames();

    /**
     * The fields of a POST form before the file, by lower-case name; empty if the request is none. The policy has been
     * enforced, and {@link #body} is the file.
     */
    Optional<SortedMap<String, String>> form();

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

    /** Names the operation for the metrics, as {@code PutObject}: one of a fixed set of names. */
    void setOperation(String name);

    /**
     * Begins the response. The stream blocks while the client is slow, and must be closed.
     *
     * @param headers names and values; characters beyond ASCII are sent as UTF-8
     * @param length number of bytes that follow; empty if unknown. For {@code HEAD} the bytes are discarded
     */
    OutputStream respond(int status, SortedMap<String, String> headers, OptionalLong length);
}
