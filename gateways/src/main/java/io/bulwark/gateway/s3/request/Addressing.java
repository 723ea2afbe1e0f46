package io.bulwark.gateway.s3.request;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** Finds bucket and key: in the path, or the bucket in the host name under a configured domain. */
public final class Addressing {
    private static final Pattern HOST =
            Pattern.compile("([A-Za-z0-9._-]{1,255}|\\[[0-9A-Fa-f:.]{2,45}])(:[0-9]{1,5})?");

    private final List<String> domains;

    /**
     * Creates an addressing.
     *
     * @param domains names under which each bucket is a host; a host that is equal to one, or under none, has path style
     */
    public Addressing(List<String> domains) {
        // A domain below another one is found first: its own name is no bucket of the other.
        this.domains = domains.stream()
                .map(domain -> domain.toLowerCase(Locale.ROOT))
                .sorted(Comparator.comparingInt(String::length).reversed())
                .toList();
    }

    /**
     * Place that a request is about.
     *
     * @param bucket empty for the service
     * @param key empty for a bucket
     */
    public record Place(Optional<String> bucket, Optional<String> key) {}

    /**
     * Returns the place.
     *
     * @param host header {@code Host}
     * @param path decoded, with its leading slash
     */
    public Place find(String host, String path) {
        if (!HOST.matcher(host).matches()) {
            throw new S3Exception(400, "InvalidRequest", "The Host header is not the name of a host.");
        }
        Optional<String> bucket = bucketOf(host);
        String rest = path.substring(1);
        if (bucket.isPresent()) {
            return new Place(bucket, key(rest));
        }
        if (rest.isEmpty()) {
            return new Place(Optional.empty(), Optional.empty());
        }
        int slash = rest.indexOf('/');
        if (slash == 0) {
            throw new S3Exception(400, "InvalidURI", "The request target names no bucket.");
        }
        return slash < 0
                ? new Place(Optional.of(rest), Optional.empty())
                : new Place(Optional.of(rest.substring(0, slash)), key(rest.substring(slash + 1)));
    }

    private static Optional<String> key(String text) {
        return text.isEmpty() ? Optional.empty() : Optional.of(text);
    }

    private Optional<String> bucketOf(String host) {
        String name = host.toLowerCase(Locale.ROOT);
        if (!name.endsWith("]")) {
            int colon = name.lastIndexOf(':');
            name = colon < 0 ? name : name.substring(0, colon);
        }
        for (String domain : domains) {
            if (name.equals(domain)) {
                return Optional.empty();
            }
            if (name.length() > domain.length() + 1 && name.endsWith("." + domain)) {
                return Optional.of(name.substring(0, name.length() - domain.length() - 1));
            }
        }
        return Optional.empty();
    }
}
