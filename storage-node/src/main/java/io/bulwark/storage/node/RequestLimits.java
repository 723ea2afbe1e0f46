package io.bulwark.storage.node;

import io.bulwark.protocol.id.PrincipalId;
import java.util.HashMap;
import java.util.Map;

/**
 * Bounds the memory of all requests in processing. No principal may hold more than the remaining room: however many
 * flood the node, one more finds room. Thread-safe.
 */
final class RequestLimits {
    /** Memory of a request beyond its fragments. */
    private static final int REQUEST_BYTES = 1024;

    private final long bytesMax;
    private final Map<PrincipalId, Long> bytesByPrincipal = new HashMap<>();
    private long bytes;
    private int requests;
    private long served;
    private long shed;

    RequestLimits(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** Returns whether the request may be processed; then {@link #release} must follow, once. */
    synchronized boolean admit(PrincipalId from, int heldBytes) {
        long added = (long) REQUEST_BYTES + heldBytes;
        long own = bytesByPrincipal.getOrDefault(from, 0L) + added;
        if (own > bytesMax - bytes - added) {
            shed++;
            return false;
        }
        bytes += added;
        requests++;
        bytesByPrincipal.put(from, own);
        return true;
    }

    synchronized void release(PrincipalId from, int heldBytes) {
        long added = (long) REQUEST_BYTES + heldBytes;
        bytes -= added;
        requests--;
        served++;
        bytesByPrincipal.computeIfPresent(from, (principal, own) -> own == added ? null : own - added);
        if (requests == 0) {
            notifyAll();
        }
    }

    /** Waits until nothing is in processing, or the time is over; returns whether nothing is. */
    synchronized boolean awaitNone(long timeoutMillis) throws InterruptedException {
        long end = System.nanoTime() + timeoutMillis * 1_000_000;
        long left = timeoutMillis;
        while (requests > 0 && left > 0) {
            wait(left);
            left = (end - System.nanoTime()) / 1_000_000;
        }
        return requests == 0;
    }

    synchronized long bytes() {
        return bytes;
    }

    synchronized int requests() {
        return requests;
    }

    synchronized long served() {
        return served;
    }

    synchronized long shed() {
        return shed;
    }
}
