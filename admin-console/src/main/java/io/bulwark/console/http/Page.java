package io.bulwark.console.http;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Part of a list.
 *
 * @param next cursor of the following part, to be sent back unchanged; null at the end
 */
public record Page<T>(List<T> items, @Nullable String next) {
    public Page {
        items = List.copyOf(items);
    }

    /** A list that is complete. */
    public static <T> Page<T> whole(List<T> items) {
        return new Page<>(items, null);
    }
}
