package io.bulwark.gateway.s3.request;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Line and headers of a request.
 *
 * @param method upper case
 * @param headers values by lower-case name, in order; each character is one byte of the wire, as signatures need them
 */
public record RequestHead(String method, RequestTarget target, SortedMap<String, List<String>> headers) {
    private static final Set<String> SINGLE = Set.of(
            "authorization",
            "content-encoding",
            "content-length",
            "content-md5",
            "content-range",
            "content-type",
            "date",
            "expect",
            "host",
            "if-match",
            "if-modified-since",
            "if-none-match",
            "if-unmodified-since",
            "origin",
            "range",
            "transfer-encoding");
    /** Headers of S3 that some clients send once for each element. */
    private static final Set<String> LISTS = Set.of("x-amz-object-attributes", "x-amz-optional-object-attributes");

    public RequestHead {
        TreeMap<String, List<String>> copy = new TreeMap<>();
        headers.forEach((name, values) -> copy.put(name, List.copyOf(values)));
        headers = Collections.unmodifiableSortedMap(copy);
    }

    /**
     * Returns the value of a header that has one meaning only.
     *
     * @throws S3Exception if it is given more than once
     */
    public Optional<String> single(String name) {
        List<String> values = headers.getOrDefault(name, List.of());
        if (values.size() > 1) {
            throw new S3Exception(400, "InvalidRequest", "A header is given more than once.").with("Header", name);
        }
        return values.stream().findFirst().map(String::strip);
    }

    /**
     * Refuses a head with two values of a header that has one meaning: another reader of the request, as a proxy or the
     * signature's, could take the other one.
     *
     * @throws S3Exception {@code InvalidRequest}
     */
    public void requireUnambiguous() {
        for (String name : headers.keySet()) {
            if (SINGLE.contains(name) || (name.startsWith("x-amz-") && !LISTS.contains(name))) {
                var _ = single(name);
            }
        }
    }
}
