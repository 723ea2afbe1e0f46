package io.bulwark.gateway.s3.request;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Target of a request line.
 *
 * @param path decoded, with its leading slash
 * @param query decoded parameters by name; one without {@code =} has the value ""
 */
public record RequestTarget(String path, SortedMap<String, String> query) {
    private static final int PARAMETERS_MAX = 200;

    public RequestTarget {
        query = Collections.unmodifiableSortedMap(new TreeMap<>(query));
    }

    /**
     * Parses a path with a query.
     *
     * @throws S3Exception if it has another form, is encoded wrongly, or has a parameter twice
     */
    public static RequestTarget parse(String target) {
        if (!target.startsWith("/")) {
            throw new S3Exception(400, "InvalidURI", "The request target must begin with a slash.");
        }
        if (target.indexOf('#') >= 0) {
            throw new S3Exception(400, "InvalidURI", "The request target has a fragment.");
        }
        int mark = target.indexOf('?');
        String path = PercentEncoding.decode(mark < 0 ? target : target.substring(0, mark), false);
        TreeMap<String, String> query = new TreeMap<>();
        if (mark >= 0) {
            for (String parameter : target.substring(mark + 1).split("&", PARAMETERS_MAX + 1)) {
                addParameter(query, parameter);
            }
        }
        return new RequestTarget(path, query);
    }

    private static void addParameter(TreeMap<String, String> query, String parameter) {
        if (parameter.isEmpty()) {
            return;
        }
        if (query.size() >= PARAMETERS_MAX) {
            throw new S3Exception(400, "InvalidURI", "The request has too many query parameters.");
        }
        int equals = parameter.indexOf('=');
        String name = PercentEncoding.decode(equals < 0 ? parameter : parameter.substring(0, equals), true);
        String value = equals < 0 ? "" : PercentEncoding.decode(parameter.substring(equals + 1), true);
        // Two readers of the request could each take another one of the values.
        if (query.put(name, value) != null) {
            throw new S3Exception(400, "InvalidArgument", "A query parameter is given twice.")
                    .with("ArgumentName", name);
        }
    }
}
