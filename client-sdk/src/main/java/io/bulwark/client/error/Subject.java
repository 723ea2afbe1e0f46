package io.bulwark.client.error;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Subject of a failure; each part is null where it does not apply.
 *
 * @param volume name of the volume
 * @param node the server that failed or refused, such as {@code node-3}
 */
public record Subject(
        @Nullable String volume,
        @Nullable String bucket,
        @Nullable String key,
        @Nullable String node) {
    public static final Subject NONE = new Subject(null, null, null, null);
    private static final int SHOWN_CHARACTERS_MAX = 200;

    public static Subject volume(String volume) {
        return new Subject(volume, null, null, null);
    }

    public static Subject bucket(String bucket) {
        return new Subject(null, bucket, null, null);
    }

    public static Subject key(String bucket, String key) {
        return new Subject(null, bucket, key, null);
    }

    /** The same, and the server that failed. */
    public Subject at(String server) {
        return new Subject(volume, bucket, key, server);
    }

    /** Returns text such as {@code  [bucket photos, key 2026/a.jpg, node-3]}, or nothing; control characters are escaped. */
    String suffix() {
        List<String> parts = new ArrayList<>();
        add(parts, "volume ", volume);
        add(parts, "bucket ", bucket);
        add(parts, "key ", key);
        add(parts, "", node);
        return parts.isEmpty() ? "" : " [" + String.join(", ", parts) + "]";
    }

    private static void add(List<String> parts, String label, @Nullable String value) {
        if (value != null) {
            parts.add(label + shown(value));
        }
    }

    private static String shown(String value) {
        StringBuilder shown = new StringBuilder();
        value.codePoints().limit(SHOWN_CHARACTERS_MAX).forEach(c -> {
            if (Character.isISOControl(c)) {
                shown.append(String.format("\\u%04x", c));
            } else {
                shown.appendCodePoint(c);
            }
        });
        int length = value.codePointCount(0, value.length());
        return length > SHOWN_CHARACTERS_MAX ? shown + "... (" + length + " characters)" : shown.toString();
    }
}
