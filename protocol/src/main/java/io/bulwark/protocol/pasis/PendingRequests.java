package io.bulwark.protocol.pasis;

import io.bulwark.protocol.id.PrincipalId;
import java.util.HashMap;
import java.util.Map;

/**
 * Bounds on the bytes held by requests that wait in a server: for facts, for a block, or for room. No sender may hold
 * more than is still free. So neither many requests nor few with large blocks of one sender take the others' room.
 */
final class PendingRequests {
    static final int PARKED_PER_SENDER_MAX = 128;

    /**
     * Waiting requests of one sender.
     *
     * @param parked the number of its requests that wait for facts
     */
    private record Share(int parked, long bytes) {
        private static final Share NONE = new Share(0, 0);
    }

    private final long bytesMax;
    private final Map<PrincipalId, Share> shares = new HashMap<>();
    private long bytes;

    PendingRequests(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** Returns whether the request may wait for a fact; then {@link #unpark} must follow, once. */
    boolean park(AdmittedRequest call) {
        return enter(call, 1);
    }

    void unpark(AdmittedRequest call) {
        leave(call, 1);
    }

    /** Returns whether the request may wait for work of this node; then {@link #leave} must follow, once. */
    boolean enter(AdmittedRequest call) {
        return enter(call, 0);
    }

    void leave(AdmittedRequest call) {
        leave(call, 0);
    }

    private boolean enter(AdmittedRequest call, int parks) {
        Share known = shares.getOrDefault(call.from(), Share.NONE);
        Share share = new Share(known.parked() + parks, known.bytes() + call.bytes());
        long all = bytes + call.bytes();
        if (share.parked() > PARKED_PER_SENDER_MAX || share.bytes() > bytesMax - all) {
            return false;
        }
        shares.put(call.from(), share);
        bytes = all;
        return true;
    }

    private void leave(AdmittedRequest call, int parks) {
        bytes -= call.bytes();
        shares.computeIfPresent(
                call.from(),
                (ignored, share) -> share.bytes() == call.bytes()
                        ? null
                        : new Share(share.parked() - parks, share.bytes() - call.bytes()));
    }
}
