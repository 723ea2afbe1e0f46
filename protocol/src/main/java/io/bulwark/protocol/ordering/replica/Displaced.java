package io.bulwark.protocol.ordering.replica;

import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.ordering.message.RequestId;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/**
 * What was vouched for here, and a while ago at most lost its room or was executed. Others may count that vouch still, and the primary propose it: then
 * it is as good as before, and its body is fetched. So with a vouch that comes to the primary late, when that has executed the request, too, and has
 * forgotten: with f liars' it gives it a number again, which nobody else would accept.
 */
final class Displaced {
    /** So many names of either sort are remembered. */
    private static final int MAX = 16_384;

    /** How long it was, and when it went. */
    private record Lost(int bytes, long sinceMillis) {}

    private final SequencedMap<RequestId, Lost> lost = new LinkedHashMap<>();
    private final SequencedMap<RequestId, Lost> executed = new LinkedHashMap<>();

    void add(long nowMillis, RequestId id, int bytes) {
        add(lost, nowMillis, id, bytes);
    }

    private static void add(SequencedMap<RequestId, Lost> to, long nowMillis, RequestId id, int bytes) {
        to.putLast(id, new Lost(bytes, nowMillis));
        if (to.size() > MAX) {
            to.pollFirstEntry();
        }
    }

    /** A vouch is good for one more execution. None is for that of a replica's recovery, as its nonces are used up. */
    void onExecuted(long nowMillis, RequestId id, int bytes, boolean isVouchedHere) {
        executed.remove(id);
        if ((lost.remove(id) != null || isVouchedHere) && id.client().kind() != PrincipalKind.REPLICA) {
            add(executed, nowMillis, id, bytes);
        }
    }

    boolean contains(RequestId id) {
        return bytes(id) >= 0;
    }

    /** The length of its body; -1 if it is none of these. */
    int bytes(RequestId id) {
        Lost found = lost.containsKey(id) ? lost.get(id) : executed.get(id);
        return found == null ? -1 : found.bytes();
    }

    /** Forgets what went before this time. */
    void expire(long beforeMillis) {
        lost.values().removeIf(each -> each.sinceMillis() < beforeMillis);
        executed.values().removeIf(each -> each.sinceMillis() < beforeMillis);
    }

    void clear() {
        lost.clear();
        executed.clear();
    }
}
