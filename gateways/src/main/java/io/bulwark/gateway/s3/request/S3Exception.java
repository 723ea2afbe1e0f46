package io.bulwark.gateway.s3.request;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/** Refusal of a request, with the error code that clients of S3 know. */
public final class S3Exception extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String code;
    private final int status;
    /** Further elements of the error document, in order. */
    private final LinkedHashMap<String, String> details = new LinkedHashMap<>();

    private final TreeMap<String, String> headers = new TreeMap<>();

    /**
     * Creates one.
     *
     * @param code as S3 documents it, {@code NoSuchKey}
     * @param status of HTTP
     */
    public S3Exception(int status, String code, String message) {
        super(message);
        this.code = code;
        this.status = status;
    }

    /** Adds an element to the error document, as {@code BucketName}; returns this exception. */
    public S3Exception with(String element, String value) {
        details.put(element, value);
        return this;
    }

    /** Adds headers to the response; returns this exception. */
    public S3Exception withHeaders(Map<String, String> more) {
        headers.putAll(more);
        return this;
    }

    public String code() {
        return code;
    }

    public int status() {
        return status;
    }

    /** Returns the headers of the response beside those that every refusal has. */
    public Map<String, String> headers() {
        return Collections.unmodifiableMap(headers);
    }

    /** Returns the further elements of the error document by name. */
    public Map<String, String> details() {
        return Collections.unmodifiableMap(details);
    }
}
