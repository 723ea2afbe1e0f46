package io.bulwark.gateway.s3.call;

import io.bulwark.client.ObjectInfo;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Entity tags. That of an object which was put in one piece is the MD5 of its content, that of a multipart upload the
 * MD5 of the MD5s of its parts with their number. Objects that were not put with S3 have one made of the version, which
 * is no MD5: it ends with {@code -0}.
 */
public final class EntityTags {
    /** Property with the tag, without quotes. */
    public static final String PROPERTY = "etag";

    private EntityTags() {}

    /** Returns the tag of a version, without quotes. */
    public static String of(ObjectInfo object) {
        return of(object.version(), object.properties());
    }

    /** Returns the tag of a version, without quotes. */
    public static String of(long version, Map<String, String> properties) {
        return Optional.ofNullable(properties.get(PROPERTY))
                .orElseGet(() -> String.format(Locale.ROOT, "%032x-0", version));
    }

    public static String quoted(String tag) {
        return '"' + tag + '"';
    }

    /** Returns a tag without the quotes that it may have. */
    public static String bare(String tag) {
        String strong = tag.strip();
        return strong.length() >= 2 && strong.startsWith("\"") && strong.endsWith("\"")
                ? strong.substring(1, strong.length() - 1)
                : strong;
    }

    /** Returns whether a header with tags, of which each may be a weak one, or {@code *}, has this one. */
    public static boolean isNamedWeakly(String header, String tag) {
        return isNamed(header, tag)
                || List.of(header.split(",", -1)).stream()
                        .map(String::strip)
                        .anyMatch(one ->
                                one.startsWith("W/") && bare(one.substring(2)).equals(tag));
    }

    /** Returns whether a header with tags, or {@code *}, has this one. A weak tag is none that names a version. */
    public static boolean isNamed(String header, String tag) {
        return header.strip().equals("*")
                || List.of(header.split(",", -1)).stream()
                        .anyMatch(one -> bare(one).equals(tag));
    }
}
