package io.bulwark.console.http;

import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Bounds of lists, and parts of lists that are known whole. */
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
            throw ApiException.badField(field, field + " is 1 to " + max + ", not " + value);
        }
        return value;
    }

    /**
     * Returns the part of a list behind a cursor, in the order of the entries' names.
     *
     * @param name gives the name of an entry; the cursor is the name of the last one that was returned
     */
    public static <T> Page<T> of(List<T> all, Function<T, String> name, int limit, @Nullable String cursor) {
        int checked = limit(limit);
        List<T> left = all.stream()
                .filter(each -> cursor == null || name.apply(each).compareTo(cursor) > 0)
                .sorted(Comparator.comparing(name))
                .toList();
        return left.size() <= checked
                ? new Page<>(left, null)
                : new Page<>(left.subList(0, checked), name.apply(left.get(checked - 1)));
    }
}
