package io.bulwark.console.object;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Part of a listing of objects.
 *
 * @param prefixes the folders of this part: common beginnings of keys up to the delimiter
 * @param next cursor of the following part; null at the end
 */
public record ObjectListing(
        List<ObjectView> items,
        List<String> prefixes,
        @Nullable String next) {
    public ObjectListing {
        items = List.copyOf(items);
        prefixes = List.copyOf(prefixes);
    }
}
