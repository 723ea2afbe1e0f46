package io.bulwark.client;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * Options of a listing. Immutable; begin with {@link #DEFAULT}.
 *
 * @param prefix only keys with this prefix
 * @param delimiter if not empty, keys that have it after the prefix are rolled up into one common prefix
 * @param continuation empty, or {@link ObjectPage#continuation()} of the page before
 * @param limit entries per page at most, 1 to 1000
 */
public record ListOptions(String prefix, String delimiter, String continuation, int limit) {
    public static final ListOptions DEFAULT = new ListOptions("", "", "", 1000);

    public ListOptions {
        if (limit < 1 || limit > 1000) {
            throw new IllegalArgumentException("limit " + limit + " is not in 1..1000");
        }
    }

    public ListOptions withPrefix(String wanted) {
        return new ListOptions(wanted, delimiter, continuation, limit);
    }

    public ListOptions withDelimiter(String separator) {
        return new ListOptions(prefix, separator, continuation, limit);
    }

    public ListOptions withContinuation(String token) {
        return new ListOptions(prefix, delimiter, token, limit);
    }

    /** Begins behind a key; a common prefix stands for all keys with it. */
    public ListOptions withStartAfter(String key) {
        return withContinuation(
                Base64.getUrlEncoder().withoutPadding().encodeToString(key.getBytes(StandardCharsets.UTF_8)));
    }

    public ListOptions withLimit(int entries) {
        return new ListOptions(prefix, delimiter, continuation, entries);
    }
}
