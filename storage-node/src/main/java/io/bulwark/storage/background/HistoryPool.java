package io.bulwark.storage.background;

import io.bulwark.protocol.pasis.PasisLimits;
import java.util.function.IntSupplier;

/**
 * Space for unverified versions under PASIS at a node: a threshold for each client, times the clients (lazy
 * verification paper, 3.4), up to a limit.
 *
 * @param clientBytes the threshold
 * @param bytesMax the limit; clients whose thresholds exceed it in total have equal shares of it
 * @param clients number of clients that may write now; 0 while that is not known
 */
public record HistoryPool(long clientBytes, long bytesMax, IntSupplier clients) {
    /** The threshold if nothing else is said. */
    static final long CLIENT_BYTES = 256L << 20;

    private static final int DISK_PART = 8;
    /** Half of what the smallest versions count for is memory, and a node may hold twice its pool. */
    private static final int HEAP_PART = 2;

    public HistoryPool {
        if (clientBytes < 1 || bytesMax < 1) {
            throw new IllegalArgumentException(clientBytes + " bytes for a client, " + bytesMax + " in all");
        }
    }

    /** Returns a pool of a configured size; one client's share depends only on the number of clients. */
    public static HistoryPool fixed(long bytes, IntSupplier clients) {
        return new HistoryPool(bytes, bytes, clients);
    }

    /** Returns a pool that grows with the clients, up to an eighth of the disk and half of the heap: each version is on the disk, and its name in memory. */
    public static HistoryPool byClients(long diskBytes, long heapBytes, IntSupplier clients) {
        return new HistoryPool(
                CLIENT_BYTES, Math.max(1, Math.min(diskBytes / DISK_PART, heapBytes / HEAP_PART)), clients);
    }

    /** Returns its current size; this is the limit while the number of clients is unknown. */
    public long bytes() {
        long writers = clients.getAsInt();
        return writers == 0 || clientBytes >= bytesMax / writers ? bytesMax : writers * clientBytes;
    }

    /** Returns the limits of each of this number of servers of the node, which share the pool evenly. */
    public PasisLimits limits(int servers) {
        return PasisLimits.standard(Math.max(1, clientBytes / servers), Math.max(1, bytesMax / servers));
    }
}
