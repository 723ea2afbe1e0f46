package io.bulwark.console.object;

import io.bulwark.console.http.ApiException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Entity tags of versions of objects: their numbers, which are never used again. With the conditions on them that a request
 * carries (RFC 9110, section 13).
 */
final class VersionTags {
    private VersionTags() {}

    static String of(long version) {
        return "\"" + version + "\"";
    }

    /** Returns whether a list of tags, or {@code *}, has this tag; weak ones never match. */
    static boolean matches(String header, String tag) {
        return header.trim().equals("*")
                || Arrays.stream(header.split(",", -1))
                        .anyMatch(each -> each.trim().equals(tag));
    }

    /** Returns whether {@code If-None-Match} has this tag, weak or not. */
    static boolean matchesWeakly(String header, String tag) {
        return header.trim().equals("*")
                || Arrays.stream(header.split(",", -1))
                        .map(String::trim)
                        .anyMatch(each -> (each.startsWith("W/") ? each.substring(2) : each).equals(tag));
    }

    /**
     * Checks the header {@code If-Match} of a change.
     *
     * @throws ApiException if the resource has changed since the client read it
     */
    static void check(@Nullable String ifMatch, String tag) {
        if (ifMatch != null && !matches(ifMatch, tag)) {
            throw ApiException.changedMeanwhile("it changed meanwhile: its tag is " + tag + " now, not " + ifMatch);
        }
    }
}
