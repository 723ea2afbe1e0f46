package io.bulwark.gateway.s3.request;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Refusal of a request, with the error code that clients of S3 know. */
public final class S3Exception extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String code;
    private final int status;
    private final transient SortedMap<String, String> headers;
    /** Further elements of the error document, in order. */
    private final LinkedHashMap<String, String> details = new LinkedHashMap<>();

    /**
     * Creates one.
     *
     * @param code as S3 documents it, {@code NoSuchKey}
     * @param status of HTTP
     */
    public S3Exception(int status, String code, String message) {
        this(status, code, message, Collections.emptySortedMap());
    }

    private S3Exception(int status, String code, String message, SortedMap<String, String> headers) {
        super(message);
        this.code = code;
        this.status = status;
        this.headers = Collections.unmodifiableSortedMap(new TreeMap<>(headers));
    }

    /** Returns the same refusal whose response has these headers, too. */
    public S3Exception withHeaders(SortedMap<String, String> more) {
        SortedMap<String, String> all = new TreeMap<>(headers);
        all.putAll(more);
        S3Exception result = new S3Exception(status, code, String.valueOf(getMessage()), all);
        result.details.putAll(details);
        result.initCause(this);
        return result;
    }

    /** Adds an element to the error document, as {@code BucketName}; returns this exception. */
    public S3Exception with(String element, String value) {
        details.put(element, value);
        return this;
    }

    public String code() {
        return code;
    }

    public int status() {
        return status;
    }

    /** Headers of the response beside those that every refusal has. */
    public SortedMap<String, String> headers() {
        return headers;
    }

    /** Returns the further elements of the error document by name. */
    public Map<String, String> details() {
        return Collections.unmodifiableMap(details);
    }
}
