package io.bulwark.console.http;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Entity tags of resources, and the conditions on them that a request carries (RFC 9110, section 13). */
public final class EntityTags {
    private EntityTags() {}

    /** Returns the strong tag of this value, which has no quotes. */
    public static String of(Object value) {
        return "\"" + value + "\"";
    }

    /** Returns whether a list of tags, or {@code *}, has this tag; weak ones never match. */
    public static boolean matches(String header, String tag) {
        return header.trim().equals("*") || Arrays.stream(header.split(",", -1)).anyMatch(each -> each.trim().equals(tag));
    }

    /** Returns whether {@code If-None-Match} has this tag, weak or not. */
    public static boolean matchesWeakly(String header, String tag) {
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
    public static void check(@Nullable String ifMatch, String tag) {
        if (ifMatch != null && !matches(ifMatch, tag)) {
            throw ApiException.changedMeanwhile("it changed meanwhile: its tag is " + tag + " now, not " + ifMatch);
        }
    }
}
