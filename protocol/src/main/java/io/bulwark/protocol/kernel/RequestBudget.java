package io.bulwark.protocol.kernel;

import io.bulwark.protocol.id.PrincipalId;
import java.util.HashMap;
import java.util.Map;

/**
 * Bounds on the bytes held by requests that wait in a server: for facts, for a block, or for room. No sender may hold
 * more than is still free. So neither many requests nor few with large blocks of one sender take the others' room.
 */
public final class RequestBudget {
    /** Greatest number of requests of one sender that wait for facts. */
    public static final int PARKED_PER_SENDER_MAX = 128;

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

    public RequestBudget(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** Returns whether the request may wait for a fact; then {@link #unpark} must follow, once. */
    public boolean park(PendingRequest request) {
        return enter(request, 1);
    }

    public void unpark(PendingRequest request) {
        leave(request, 1);
    }

    /** Returns whether the request may wait for work of this node; then {@link #leave} must follow, once. */
    public boolean enter(PendingRequest request) {
        return enter(request, 0);
    }

    public void leave(PendingRequest request) {
        leave(request, 0);
    }

    private boolean enter(PendingRequest request, int parks) {
        Share known = shares.getOrDefault(request.from(), Share.NONE);
        Share share = new Share(known.parked() + parks, known.bytes() + request.bytes());
        long all = bytes + request.bytes();
        if (share.parked() > PARKED_PER_SENDER_MAX || share.bytes() > bytesMax - all) {
            return false;
        }
        shares.put(request.from(), share);
        bytes = all;
        return true;
    }

    private void leave(PendingRequest request, int parks) {
        bytes -= request.bytes();
        shares.computeIfPresent(
                request.from(),
                (ignored, share) -> share.bytes() == request.bytes()
                        ? null
                        : new Share(share.parked() - parks, share.bytes() - request.bytes()));
    }
}
