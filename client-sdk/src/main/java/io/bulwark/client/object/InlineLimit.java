package io.bulwark.client.object;

import io.bulwark.client.encryption.SegmentCipher;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.object.InlineContent;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntSupplier;

/**
 * Length up to which a client puts objects into the metadata. Metadata that have refused one are left alone for a while.
 * Thread-safe.
 */
public final class InlineLimit {
    /** Limit of a client that has all objects on nodes. */
    public static final InlineLimit NONE = new InlineLimit(0, () -> 0);

    private static final long PAUSE_NANOS = 60_000_000_000L;

    private final int bytes;
    private final IntSupplier faultyReplicas;
    private final Refusals refusals;

    /** Refusals so far; limits of one client share them. */
    private static final class Refusals {
        final AtomicLong count = new AtomicLong();
        volatile long lastNanos;
    }

    /**
     * Makes a limit.
     *
     * @param bytes 0 for none
     * @param faultyReplicas f of the replicas that the client knows
     */
    public InlineLimit(int bytes, IntSupplier faultyReplicas) {
        this(bytes, faultyReplicas, new Refusals());
    }

    private InlineLimit(int bytes, IntSupplier faultyReplicas, Refusals refusals) {
        this.bytes = bytes;
        this.faultyReplicas = faultyReplicas;
        this.refusals = refusals;
    }

    /** Returns the limit for objects that the client has sealed: their plain text counts. */
    public InlineLimit ofSealed() {
        int sealed = (int) Math.min(SegmentCipher.sealedLength(bytes), InlineContent.BYTES_MAX);
        return new InlineLimit(bytes == 0 ? 0 : sealed, faultyReplicas, refusals);
    }

    /** Returns the maximum length of an object in a volume that is tried inline. */
    int of(Volume volume) {
        boolean paused = refusals.count.get() > 0 && System.nanoTime() - refusals.lastNanos < PAUSE_NANOS;
        return bytes > 0 && !paused && InlineContent.isAllowedBy(volume.policy(), faultyReplicas.getAsInt())
                ? bytes
                : 0;
    }

    /** Notes that the metadata have refused an object. */
    void onRefused() {
        refusals.lastNanos = System.nanoTime();
        refusals.count.incrementAndGet();
    }
}
