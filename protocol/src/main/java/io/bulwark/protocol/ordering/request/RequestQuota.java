package io.bulwark.protocol.ordering.request;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.message.RequestId;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Room for bodies of requests, counted for each client and for all together, with the rules for eviction when it is
 * full (docs/ordering/normal-case.md, request authentication).
 *
 * <p>When a client's room is full, a request that a correct replica supports displaces one that needs no support. A
 * request that becomes ready with its body may use as much again: a primary's own vouch needs the body. So a client
 * that tells each replica something else cannot keep a correct primary from the requests that the backups wait for. If
 * that is full, too, a ready request displaces one that is no longer ready, or never was. A small part of the common
 * room is each client's own, even when the others hold the rest.
 */
final class RequestQuota {
    /** Fraction of the common room that each client has independently of the others; as many clients at a time. */
    private static final int OWN_PARTS = 1_024;

    /** Number of the largest holders that are searched for evictable requests, when the common room is full. */
    private static final int LARGEST_TRIED = 8;

    private static final class Usage {
        private final PrincipalId client;
        private final LinkedHashMap<RequestId, PendingRequest> entries = new LinkedHashMap<>();
        private long bytes;

        private Usage(PrincipalId client) {
            this.client = client;
        }
    }

    private final ReplicaConfig config;
    private final Map<PrincipalId, Usage> usages = new HashMap<>();

    /** The same, who holds most first. */
    private final NavigableSet<Usage> largest =
            new TreeSet<>(Comparator.comparingLong((Usage each) -> -each.bytes).thenComparing(each -> each.client));

    private long heldBytes;

    RequestQuota(ReplicaConfig config) {
        this.config = config;
    }

    /**
     * Keeps the body of a request if there is room.
     *
     * @param drop releases an evicted request
     */
    boolean take(PendingRequest entry, Request request, Consumer<PendingRequest> drop) {
        if (entry.body != null) {
            return true;
        }
        Usage usage = usages.getOrDefault(entry.id.client(), new Usage(entry.id.client()));
        int bytes = request.operation().length();
        int factor = entry.readyMillis >= 0 ? 2 : 1;
        while (usage.entries.size() >= factor * config.room().requestsPerClient()
                || usage.bytes + bytes > (long) factor * config.room().bytesPerClient()) {
            if (!entry.isBacked()) {
                return false;
            }
            if (evictOne(usage, PendingRequest::isBacked, drop)) {
                continue;
            }
            if (!entry.isReadyWithOwn()) {
                return false;
            }
            if (factor == 1) {
                factor = 2;
            } else if (!evictOne(usage, PendingRequest::isReadyWithOwn, drop)) {
                return false;
            }
        }
        if (!hasRoomBesideOthers(entry, usage, bytes, drop)) {
            return false;
        }
        usages.put(entry.id.client(), usage);
        usage.entries.put(entry.id, entry);
        add(usage, bytes);
        entry.body = request;
        return true;
    }

    /**
     * Returns whether the common room has space for the body. When it is full, clients above their share are refused,
     * or lose requests that need no correct replica's support. If they have none of these, the held requests are about
     * to be executed. A request that a correct replica supports, or that is within its client's share, then has as much
     * room again. Two kinds have room even when all that is full: a request that becomes ready with its body, which a
     * primary must have to finish it, and a client that holds next to nothing.
     */
    private boolean hasRoomBesideOthers(PendingRequest entry, Usage own, int bytes, Consumer<PendingRequest> drop) {
        long all = config.room().bytesOfAll();
        while (heldBytes + bytes > all) {
            int holders = usages.size() + (usages.containsKey(entry.id.client()) ? 0 : 1);
            long share = all / holders;
            boolean isSmall = own.bytes + bytes <= all / OWN_PARTS;
            if (own.bytes + bytes > share && !isSmall && !entry.isBacked()) {
                return false;
            }
            if (evictFromLargest(share, PendingRequest::isBacked, drop)) {
                continue;
            }
            if (heldBytes + bytes <= (isSmall ? 4 : entry.isReadyWithOwn() ? 3 : 2) * all) {
                return true;
            }
            if (!entry.isReadyWithOwn() || !evictFromLargest(share, PendingRequest::isReadyWithOwn, drop)) {
                return false;
            }
        }
        return true;
    }

    private boolean evictFromLargest(long share, Predicate<PendingRequest> stays, Consumer<PendingRequest> drop) {
        List<Usage> tried = largest.stream()
                .takeWhile(each -> each.bytes > share)
                .limit(LARGEST_TRIED)
                .toList();
        for (Usage each : tried) {
            if (evictOne(each, stays, drop)) {
                return true;
            }
        }
        return false;
    }

    private static boolean evictOne(Usage usage, Predicate<PendingRequest> stays, Consumer<PendingRequest> drop) {
        for (PendingRequest each : usage.entries.values()) {
            if (!stays.test(each)) {
                drop.accept(each);
                return true;
            }
        }
        return false;
    }

    /** Forgets the body, if it is here. */
    void release(PendingRequest entry) {
        Request body = entry.body;
        Usage usage = usages.get(entry.id.client());
        if (body == null || usage == null) {
            return;
        }
        usage.entries.remove(entry.id);
        add(usage, -body.operation().length());
        entry.body = null;
        if (usage.entries.isEmpty()) {
            usages.remove(usage.client);
            largest.remove(usage);
        }
    }

    private void add(Usage usage, int bytes) {
        largest.remove(usage);
        usage.bytes += bytes;
        largest.add(usage);
        heldBytes += bytes;
    }

    /**
     * Returns whether the primary may lack room for this request, or get its body late, through no fault of its own.
     * Its client holds half of its room here, all clients hold a quarter of theirs, or the body is not here either. A
     * client that holds next to nothing always has room at the primary.
     */
    boolean isCrowded(PendingRequest entry) {
        Usage usage = usages.get(entry.id.client());
        if (entry.body == null || usage == null) {
            return true;
        }
        boolean isSmall = usage.bytes <= config.room().bytesOfAll() / OWN_PARTS;
        return usage.entries.size() > config.room().requestsPerClient() / 2
                || usage.bytes > config.room().bytesPerClient() / 2
                || (heldBytes > config.room().bytesOfAll() / 4 && !isSmall);
    }

    boolean isEmpty() {
        return usages.isEmpty();
    }

    void clear() {
        usages.clear();
        largest.clear();
        heldBytes = 0;
    }
}
