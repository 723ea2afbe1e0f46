package io.bulwark.client;

import java.util.List;

/**
 * One page of a listing. It may be empty and still have a successor.
 *
 * @param continuation where the next page begins; empty if this is the last
 */
public record ObjectPage(List<ObjectInfo> objects, List<String> commonPrefixes, String continuation) {
    public ObjectPage {
        objects = List.copyOf(objects);
        commonPrefixes = List.copyOf(commonPrefixes);
    }

    public boolean last() {
        return continuation.isEmpty();
    }
}
