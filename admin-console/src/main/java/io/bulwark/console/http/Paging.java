package io.bulwark.console.http;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Cuts lists that are known as a whole into pages. */
public final class Paging {
    public static final int LIMIT_MAX = 1000;

    private Paging() {}

    /**
     * Refuses a limit outside 1 to {@value #LIMIT_MAX}.
     *
     * @throws ApiException with the status 400
     */
    public static int limit(int limit) {
        if (limit < 1 || limit > LIMIT_MAX) {
            throw ApiException.badField("limit", "limit is a number from 1 to " + LIMIT_MAX);
        }
        return limit;
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
