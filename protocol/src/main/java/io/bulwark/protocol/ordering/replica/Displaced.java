package io.bulwark.protocol.ordering.replica;

import io.bulwark.protocol.ordering.message.RequestId;
import java.util.LinkedHashMap;

/**
 * What was vouched for here and has lost its room a while ago at most. Others may count that vouch still, and the primary propose it: then it is
 * as good as before, and its body is fetched.
 */
final class Displaced {
    /** So many names are remembered. */
    private static final int MAX = 16_384;

    /** How long it was, and when it lost its room. */
    private record Lost(int bytes, long sinceMillis) {}

    private final LinkedHashMap<RequestId, Lost> lost = new LinkedHashMap<>();

    void add(long nowMillis, RequestId id, int bytes) {
        lost.putLast(id, new Lost(bytes, nowMillis));
        if (lost.size() > MAX) {
            lost.pollFirstEntry();
        }
    }

    boolean contains(RequestId id) {
        return lost.containsKey(id);
    }

    /** The length of its body; -1 if it is none of these. */
    int bytes(RequestId id) {
        Lost found = lost.get(id);
        return found == null ? -1 : found.bytes();
    }

    void remove(RequestId id) {
        lost.remove(id);
    }

    /** Forgets what lost its room before this time. */
    void expire(long beforeMillis) {
        lost.values().removeIf(each -> each.sinceMillis() < beforeMillis);
    }

    void clear() {
        lost.clear();
    }
}
