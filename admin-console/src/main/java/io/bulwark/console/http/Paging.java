package io.bulwark.console.http;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Bounds of lists, and pages of lists that are known as a whole. */
public final class Paging {
    public static final int LIMIT_MAX = 1000;

    private Paging() {}

    /**
     * Checks the parameter {@code limit}.
     *
     * @throws ApiException if it is out of bounds
     */
    public static int limit(int limit) {
        return within("limit", limit, LIMIT_MAX);
    }

    /**
     * Checks a parameter that counts something, from 1.
     *
     * @throws ApiException if it is out of bounds
     */
    public static int within(String field, int value, int max) {
        if (value < 1 || value > max) {
            throw ApiException.badField(field, field + " is a number from 1 to " + max);
        }
        return value;
    }

    /**
     * Returns the items behind a cursor.
     *
     * @param all in their order
     * @param id unique name of an item, which serves as the cursor
     * @param cursor the last item of the page before; null to begin
     * @throws ApiException if no item has this cursor any more
     */
    public static <T> Page<T> of(List<T> all, Function<T, String> id, int limit, @Nullable String cursor) {
        int from = cursor == null ? 0 : behind(all, id, cursor);
        List<T> items = all.subList(from, Math.min(all.size(), from + limit(limit)));
        boolean more = from + items.size() < all.size();
        return new Page<>(items, more ? id.apply(items.getLast()) : null);
    }

    private static <T> int behind(List<T> all, Function<T, String> id, String cursor) {
        for (int index = 0; index < all.size(); index++) {
            if (id.apply(all.get(index)).equals(cursor)) {
                return index + 1;
            }
        }
        throw ApiException.badField("cursor", "this cursor is from another list, or its entry is gone: begin again");
    }
}
