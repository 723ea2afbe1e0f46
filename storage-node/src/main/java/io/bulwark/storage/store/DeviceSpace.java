package io.bulwark.storage.store;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the device has left, and whether that was too little for a store lately. What changes it belongs to the writer
 * thread; the rest is for any.
 */
final class DeviceSpace {
    private static final Logger LOG = LoggerFactory.getLogger(DeviceSpace.class);

    /** How long a device counts as full that said so itself, as under a quota, whatever it claims to have left. */
    private static final long FULL_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final long LOG_INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final StoreConfig config;
    private final Source source;
    /** What segments can take without taking space from the file system. */
    private volatile long reusableBytes;

    /** The largest store that was refused and for which there has been no room since; 0 if there is none. */
    private volatile long refusedBytes;

    private volatile boolean full;
    private volatile long fullNanos;
    private boolean said;
    private long saidNanos = System.nanoTime() - LOG_INTERVAL_NANOS;

    /** Bytes that the file system has left. */
    interface Source {
        long usableBytes() throws IOException;
    }

    DeviceSpace(StoreConfig config, Source source) {
        this.config = config;
        this.source = source;
    }

    /** What the file system has left; nothing if it does not say. */
    long usableBytes() {
        try {
            return source.usableBytes();
        } catch (IOException e) {
            return 0;
        }
    }

    /** How many bytes of fragments may still be stored; none if below zero. */
    long roomBytes(long storedBytes) {
        return Math.min(usableBytes() + reusableBytes - config.reserveBytes(), config.capacityBytes() - storedBytes);
    }

    /** How many bytes may be moved: half of the reserve stays, so that many who share the device do not fill it by making room. */
    long moveRoomBytes() {
        return usableBytes() + reusableBytes - config.reserveBytes() / 2;
    }

    /** Whether ordinary stores are refused now. */
    boolean refuses(long storedBytes) {
        return (full && System.nanoTime() - fullNanos < FULL_NANOS)
                || roomBytes(storedBytes) < Math.max(1, refusedBytes);
    }

    /**
     * Whether dead bytes should be given back: stores are refused here, or soon, or, where others share the device, perhaps
     * there. Else who gives back first would let the others keep theirs.
     */
    boolean pressed(long storedBytes) {
        return usableBytes() - config.reserveBytes() < config.reserveBytes() || refuses(storedBytes);
    }

    void reusable(long bytes) {
        reusableBytes = bytes;
    }

    /** A store of so many bytes was refused. */
    void refused(long bytes) {
        refusedBytes = Math.max(refusedBytes, bytes);
    }

    /** The device said that it is full. */
    void deviceFull() {
        full = true;
        fullNanos = System.nanoTime();
    }

    /** The device took fragments. */
    void taken() {
        full = false;
    }

    /** Ends a batch: forgets refusals for which there is room by now, and says what has changed. */
    void look(long storedBytes) {
        boolean refuses = refuses(storedBytes);
        if (!refuses) {
            refusedBytes = 0;
        }
        long now = System.nanoTime();
        if (refuses && !said && now - saidNanos >= LOG_INTERVAL_NANOS) {
            LOG.warn("{} takes no writes: {}", config.directory(), shortage(storedBytes));
            said = true;
            saidNanos = now;
        } else if (!refuses && said) {
            LOG.info("{} takes writes again", config.directory());
            said = false;
        }
    }

    /** For people: why stores are refused. */
    String shortage(long storedBytes) {
        long left = config.capacityBytes() - storedBytes;
        return left < Math.max(1, refusedBytes)
                ? "its " + mib(config.capacityBytes()) + " are used; delete objects"
                : "its disk has " + mib(usableBytes()) + " left, and the last " + mib(config.reserveBytes())
                        + " are kept for deleting; delete objects, or give it a larger disk";
    }

    private static String mib(long bytes) {
        return Math.max(0, bytes >> 20) + " MiB";
    }
}
