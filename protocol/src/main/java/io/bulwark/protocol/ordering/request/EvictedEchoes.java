package io.bulwark.protocol.ordering.request;

import io.bulwark.protocol.ordering.message.ReplicaClient;
import io.bulwark.protocol.ordering.message.RequestId;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/**
 * Requests that this replica vouched for and that recently lost their room or were executed. Others may still count
 * that vouch, and the primary may propose the request. The vouch is then as good as before, and the body is fetched. A
 * vouch may also reach a primary that has executed the request and forgotten it. With the vouches of f liars that
 * primary assigns a number again, which nobody else would accept.
 */
public final class EvictedEchoes {
    /** Maximum number of names of either kind that are remembered. */
    private static final int MAX = 16_384;

    /** Length of the request, and the time of its removal. */
    private record EvictedEcho(int bytes, long sinceMillis) {}

    private final SequencedMap<RequestId, EvictedEcho> lost = new LinkedHashMap<>();
    private final SequencedMap<RequestId, EvictedEcho> executed = new LinkedHashMap<>();

    void add(long nowMillis, RequestId id, int bytes) {
        add(lost, nowMillis, id, bytes);
    }

    private static void add(SequencedMap<RequestId, EvictedEcho> to, long nowMillis, RequestId id, int bytes) {
        to.putLast(id, new EvictedEcho(bytes, nowMillis));
        if (to.size() > MAX) {
            to.pollFirstEntry();
        }
    }

    /** A vouch is good for one more execution. None is for that of a replica's recovery, as its nonces are used up. */
    void onExecuted(long nowMillis, RequestId id, int bytes, boolean isVouchedHere) {
        executed.remove(id);
        if ((lost.remove(id) != null || isVouchedHere) && !ReplicaClient.isRecovery(id.client())) {
            add(executed, nowMillis, id, bytes);
        }
    }

    boolean contains(RequestId id) {
        return bytes(id) >= 0;
    }

    /** The length of its body; -1 if it is none of these. */
    int bytes(RequestId id) {
        EvictedEcho found = lost.containsKey(id) ? lost.get(id) : executed.get(id);
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
