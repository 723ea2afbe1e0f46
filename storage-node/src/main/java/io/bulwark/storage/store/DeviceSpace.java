package io.bulwark.storage.store;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Free space of the device, and whether it was recently too little for a store. Methods that change it belong to the
 * writer thread; any thread may call the rest.
 */
final class DeviceSpace {
    private static final Logger LOG = LoggerFactory.getLogger(DeviceSpace.class);

    /**
     * Time for which a device counts as full after it said so itself, as under a quota, whatever free space it claims.
     */
    private static final long FULL_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final long LOG_INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final StoreConfig config;
    private final Source source;
    /** Bytes that segments can take without more space from the file system. */
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

    /** Returns the free space of the file system; nothing if it is unknown. */
    long usableBytes() {
        try {
            return source.usableBytes();
        } catch (IOException e) {
            return 0;
        }
    }

    /** Returns how many bytes of fragments may still be stored; none if below zero. */
    long roomBytes(long storedBytes) {
        return Math.min(usableBytes() + reusableBytes - config.reserveBytes(), config.capacityBytes() - storedBytes);
    }

    /**
     * Returns how many bytes may be moved. Half of the reserve stays, so that stores sharing the device do not fill it
     * by compaction.
     */
    long moveRoomBytes() {
        return usableBytes() + reusableBytes - config.reserveBytes() / 2;
    }

    /** Returns whether ordinary stores are refused now. */
    boolean refuses(long storedBytes) {
        return (full && System.nanoTime() - fullNanos < FULL_NANOS)
                || roomBytes(storedBytes) < Math.max(1, refusedBytes);
    }

    /**
     * Returns whether dead bytes should be given back: stores are refused here, or soon, or perhaps at others that
     * share the device. Otherwise the first to give back would let the others keep theirs.
     */
    boolean isUnderPressure(long storedBytes) {
        return usableBytes() - config.reserveBytes() < config.reserveBytes() || refuses(storedBytes);
    }

    void addReusable(long bytes) {
        reusableBytes = bytes;
    }

    /** A store of so many bytes was refused. */
    void refused(long bytes) {
        refusedBytes = Math.max(refusedBytes, bytes);
    }

    /** The device said that it is full. */
    void onDeviceFull() {
        full = true;
        fullNanos = System.nanoTime();
    }

    /** The device took fragments. */
    void taken() {
        full = false;
    }

    /** Ends a batch: forgets refusals for which there is room now, and logs changes. */
    void look(long storedBytes) {
        boolean refuses = refuses(storedBytes);
        if (!refuses) {
            refusedBytes = 0;
        }
        long now = System.nanoTime();
        if (refuses && !said && now - saidNanos >= LOG_INTERVAL_NANOS) {
            LOG.warn("{} is read-only: {}", config.directory(), shortage(storedBytes));
            said = true;
            saidNanos = now;
        } else if (!refuses && said) {
            LOG.info("{} is writable again", config.directory());
            said = false;
        }
    }

    /** Returns text for people: why stores are refused. */
    String shortage(long storedBytes) {
        long left = config.capacityBytes() - storedBytes;
        return left < Math.max(1, refusedBytes)
                ? "its " + mib(config.capacityBytes()) + " are full; delete objects"
                : "its disk has " + mib(usableBytes()) + " left, the last " + mib(config.reserveBytes())
                        + " are reserved for deletions; delete objects or give it a larger disk";
    }

    private static String mib(long bytes) {
        return Math.max(0, bytes >> 20) + " MiB";
    }
}
