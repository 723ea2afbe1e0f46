package io.bulwark.protocol.ordering.replica;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.message.RequestId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The requests that are not executed yet, and who vouches for them (PROTOCOLS section 7, "clients that attack with
 * authenticators"). A replica vouches for what came from the client itself, one digest of each (client, call) only, and for
 * what f+1 others vouch for, once it has the body. With 2f+1 vouches a request is <em>ready</em>: the primary that vouches for
 * it, too, proposes it, and backups time it.
 *
 * <p>If a replica stuck to one digest against f+1 others, a client that tells the primary another one, and a liar that
 * vouches for the first to the backups only, would make backups wait for what the primary cannot propose. So a client can
 * have several operations executed under one number; they come out of its own room, and what is inside them tells.
 *
 * <p>Room is counted for each client, and for all together. When a client's is full, what f+1 others vouch for displaces what fewer do, and what is ready
 * once this replica vouches for it, too, may take as much again: a primary's own vouch comes with the body. So a client that tells each replica something
 * else cannot keep a correct primary from what the backups wait for. Nor can it with vouches of long ago: a replica repeats those for what it still has,
 * and what is not repeated for a while does not count. A small part of the room of all is each client's own, whatever others hold.
 */
final class RequestPool {
    /** What is not ready so long after its client has last asked is dropped. */
    private static final long EXPIRY_MILLIS = 30_000;

    /** Such a part of the room of all a client has beside what others hold; as many clients at a time. */
    private static final int OWN_PARTS = 1_024;

    /** When the room of all is full, so many of those that hold most are looked at for what may give way. */
    private static final int LARGEST_TRIED = 8;

    /** One call of a client, whatever its digest. */
    private record Call(PrincipalId client, long call) {
        private static Call of(RequestId id) {
            return new Call(id.client(), id.call());
        }
    }

    /** What is known of one request. */
    static final class Entry {
        final RequestId id;

        /** Counted in the client's room. */
        @Nullable
        Request body;

        /** Came from the client itself. */
        private boolean verified;

        /** Bit i: replica i vouches. */
        private long vouchers;

        private long seenMillis;

        private long vouchedMillis;

        /** Since when 2f+1 vouch for it. */
        long readyMillis = -1;

        /** When 2f+1 first did: vouches that are forgotten and come again restart no timer. */
        long sinceMillis = -1;

        /** Counts what became ready. */
        private long readyOrder;

        /** The primary has it in a batch of its view that was accepted here, or that NEW-VIEW chose. */
        boolean proposed;

        /** How many batches of this view hold only what became ready later. */
        int passedOver;

        private Entry(RequestId id) {
            this.id = id;
        }

        long vouchers() {
            return vouchers;
        }
    }

    private static final class Usage {
        private final LinkedHashMap<RequestId, Entry> entries = new LinkedHashMap<>();
        private long bytes;
    }

    private final ReplicaConfig config;
    private final RecentResults results;
    private final Map<RequestId, Entry> entries = new LinkedHashMap<>();
    private final Map<RequestId, Entry> ready = new LinkedHashMap<>();

    /** The one digest of each call that came from the client. */
    private final Map<Call, RequestId> heard = new HashMap<>();

    private final List<PeerVouches> ofPeers = new ArrayList<>();

    /** The last numbers that the peers say they have executed. */
    private final long[] executedThere;

    private final Displaced displaced = new Displaced();
    private final Map<PrincipalId, Usage> usages = new HashMap<>();
    private long heldBytes;
    private List<RequestId> unsaid = new ArrayList<>();
    private long readyCount;
    private long tidiedMillis;

    RequestPool(ReplicaConfig config, RecentResults results) {
        this.config = config;
        this.results = results;
        executedThere = new long[config.replicas()];
        for (int i = 0; i < config.replicas(); i++) {
            ofPeers.add(new PeerVouches(config.room().vouchesPerPeer()));
        }
    }

    /**
     * A request from its client.
     *
     * @return false if the client has no more room
     */
    boolean onRequest(long nowMillis, RequestId id, Request request) {
        RequestId other = heard.get(Call.of(id));
        if (other != null && !other.equals(id)) {
            return true;
        }
        Entry entry = entries.computeIfAbsent(id, Entry::new);
        if (!takeBody(nowMillis, entry, request)) {
            removeIfUnknown(entry);
            return false;
        }
        entry.verified = true;
        heard.put(Call.of(id), id);
        entry.seenMillis = nowMillis;
        weigh(nowMillis, entry);
        return true;
    }

    /** Whether another replica vouches for this request, which has been executed here: it has not, or has forgotten. */
    boolean isWantedByOthers(RequestId id) {
        Entry entry = entries.get(id);
        return entry != null && others(entry) > 0;
    }

    void onStatus(int from, long executed) {
        executedThere[from] = executed;
    }

    /**
     * Another replica vouches. If the request was executed here, that counts only once the other one says that it has come as far: then it has
     * forgotten the result, and this is a request like any other. What it says before dies when it executes the request, too; a primary that
     * counted it would give the request a number again, and nobody would accept that.
     */
    void onVouch(long nowMillis, int from, List<RequestId> ids) {
        for (RequestId id : ids) {
            if (results.sequence(id) > executedThere[from]) {
                continue;
            }
            RequestId forgotten = ofPeers.get(from).add(nowMillis, id);
            Entry entry = entries.computeIfAbsent(id, Entry::new);
            entry.vouchers |= 1L << from;
            entry.seenMillis = Math.max(entry.seenMillis, nowMillis);
            weigh(nowMillis, entry);
            if (forgotten != null) {
                retract(from, forgotten);
            }
        }
    }

    /** A body that was fetched. It takes its client's room only if f+1 others vouch for it, and so a correct one does. */
    void onBody(long nowMillis, RequestId id, Request request) {
        Entry entry = entries.get(id);
        if (entry != null && others(entry) >= config.oneCorrect() && takeBody(nowMillis, entry, request)) {
            weigh(nowMillis, entry);
        }
    }

    /** The vouches of a peer count under its current keys only; it will repeat them. */
    void onKeyChange(int peer) {
        ofPeers.get(peer).clear().forEach(id -> retract(peer, id));
    }

    /** A backup may accept it: it came from the client, or f+1 others vouch for it, or did when it had room here. */
    boolean isAcceptable(RequestId id) {
        return displaced.contains(id) || isVouchedFor(id);
    }

    /** It came from the client, or f+1 others vouch for it. */
    boolean isVouchedFor(RequestId id) {
        Entry entry = entries.get(id);
        return entry != null && (entry.verified || others(entry) >= config.oneCorrect());
    }

    /** The length of a body that lost its room here; -1 if none of this name did. */
    int displacedBytes(RequestId id) {
        return displaced.bytes(id);
    }

    @Nullable
    Request body(RequestId id) {
        Entry entry = entries.get(id);
        return entry == null ? null : entry.body;
    }

    void onExecuted(RequestId id) {
        displaced.remove(id);
        Entry entry = entries.remove(id);
        if (entry == null) {
            return;
        }
        heard.remove(Call.of(id), id);
        ofPeers.forEach(said -> said.remove(id));
        ready.remove(id);
        release(entry);
    }

    /** In the order in which they became ready. */
    Collection<Entry> ready() {
        return ready.values();
    }

    /**
     * The primary may lack room for this one, or get its body late, through no fault of its own: its client holds half of its room here, all hold
     * a quarter of theirs, or the body is not here either. Who holds next to nothing has room at the primary whatever others hold.
     */
    boolean isCrowded(Entry entry) {
        Usage usage = usages.get(entry.id.client());
        if (entry.body == null || usage == null) {
            return true;
        }
        boolean isSmall = usage.bytes <= config.room().bytesOfAll() / OWN_PARTS;
        return usage.entries.size() > config.room().requestsPerClient() / 2
                || usage.bytes > config.room().bytesPerClient() / 2
                || (heldBytes > config.room().bytesOfAll() / 4 && !isSmall);
    }

    boolean isVouchedHere(Entry entry) {
        return (entry.vouchers >> config.self() & 1) == 1;
    }

    /** The bodies that f+1 others vouch for and that are missing here, with those who vouch. */
    Map<RequestId, Long> missing() {
        Map<RequestId, Long> missing = new LinkedHashMap<>();
        for (Entry entry : entries.values()) {
            if (entry.body == null && others(entry) >= config.oneCorrect()) {
                missing.put(entry.id, entry.vouchers);
            }
        }
        return missing;
    }

    /** The vouches that were not sent yet. */
    List<RequestId> takeUnsaid() {
        List<RequestId> taken = unsaid;
        unsaid = new ArrayList<>();
        return taken;
    }

    boolean hasOwnVouches() {
        return !usages.isEmpty();
    }

    /** What this replica has vouched for since a time or longer, to be repeated. */
    List<RequestId> ownVouches(long sinceMillis) {
        List<RequestId> old = new ArrayList<>();
        for (Entry entry : entries.values()) {
            if (isVouchedHere(entry) && entry.vouchedMillis <= sinceMillis) {
                old.add(entry.id);
            }
        }
        return old;
    }

    /** A view begins, in which these requests have numbers already. */
    void onNewView(Set<RequestId> assigned) {
        for (Entry entry : entries.values()) {
            entry.proposed = assigned.contains(entry.id);
            entry.passedOver = 0;
        }
    }

    /**
     * A proposal of the primary is accepted here. What has a number before others may be unknown here, or may have lost its room; only what
     * was executed before does not count, as it may come late.
     *
     * @param inOrder whether all before it are: then what became ready before all of these and has no number yet is passed over
     */
    void onProposed(List<RequestId> ids, boolean inOrder) {
        long firstOrder = Long.MAX_VALUE;
        boolean counts = false;
        for (RequestId id : ids) {
            Entry entry = entries.get(id);
            counts |= entry != null || results.get(id) == null;
            if (entry != null) {
                entry.proposed = true;
                firstOrder = entry.readyMillis < 0 ? firstOrder : Math.min(firstOrder, entry.readyOrder);
            }
        }
        if (counts && inOrder) {
            for (Entry entry : ready.values()) {
                if (entry.readyOrder > firstOrder) {
                    break;
                }
                entry.passedOver += entry.proposed ? 0 : 1;
            }
        }
    }

    /**
     * Another state has come, and with it unknown requests were executed. What is still open the others vouch for again, and
     * clients ask again.
     */
    void clear() {
        entries.clear();
        ready.clear();
        heard.clear();
        displaced.clear();
        ofPeers.forEach(PeerVouches::clear);
        usages.clear();
        heldBytes = 0;
        unsaid.clear();
    }

    void onTick(long nowMillis) {
        long repeatedMillis = nowMillis - config.timers().vouchMillis();
        for (int peer = 0; peer < ofPeers.size(); peer++) {
            RequestId expired = ofPeers.get(peer).expire(repeatedMillis);
            while (expired != null) {
                retract(peer, expired);
                expired = ofPeers.get(peer).expire(repeatedMillis);
            }
        }
        if (nowMillis - tidiedMillis < EXPIRY_MILLIS / 10) {
            return;
        }
        tidiedMillis = nowMillis;
        displaced.expire(nowMillis - EXPIRY_MILLIS);
        for (Entry entry : List.copyOf(entries.values())) {
            if (entry.readyMillis < 0 && entry.body != null && nowMillis - entry.seenMillis > EXPIRY_MILLIS) {
                drop(nowMillis, entry);
            }
        }
    }

    private int others(Entry entry) {
        return Long.bitCount(entry.vouchers & ~(1L << config.self()));
    }

    /** It is ready, or will be as soon as its body is here. */
    private boolean isReadyWithOwn(Entry entry) {
        return others(entry) + 1 >= config.quorum();
    }

    private void weigh(long nowMillis, Entry entry) {
        if (entry.body != null && !isVouchedHere(entry) && (entry.verified || others(entry) >= config.oneCorrect())) {
            entry.vouchers |= 1L << config.self();
            entry.vouchedMillis = nowMillis;
            unsaid.add(entry.id);
        }
        if (entry.readyMillis < 0 && Long.bitCount(entry.vouchers) >= config.quorum()) {
            entry.readyMillis = nowMillis;
            entry.sinceMillis = entry.sinceMillis < 0 ? nowMillis : entry.sinceMillis;
            entry.readyOrder = ++readyCount;
            ready.put(entry.id, entry);
        }
    }

    private boolean takeBody(long nowMillis, Entry entry, Request request) {
        if (entry.body != null) {
            return true;
        }
        Usage usage = usages.getOrDefault(entry.id.client(), new Usage());
        int bytes = request.operation().length();
        int factor = entry.readyMillis >= 0 ? 2 : 1;
        while (usage.entries.size() >= factor * config.room().requestsPerClient()
                || usage.bytes + bytes > (long) factor * config.room().bytesPerClient()) {
            if (others(entry) < config.oneCorrect()) {
                return false;
            }
            if (!displaceOne(nowMillis, usage)) {
                if (factor == 2 || !isReadyWithOwn(entry)) {
                    return false;
                }
                factor = 2;
            }
        }
        if (!hasRoomBesideOthers(nowMillis, entry, usage, bytes)) {
            return false;
        }
        usages.put(entry.id.client(), usage);
        usage.entries.put(entry.id, entry);
        usage.bytes += bytes;
        heldBytes += bytes;
        entry.body = request;
        return true;
    }

    /**
     * When the room of all is full, those that hold more than their share of it are refused, or lose what fewer than f+1 others vouch for. If
     * they have nothing of that kind, what is held is about to be executed: what f+1 others vouch for, or is within its client's share, finds as
     * much room again. All that may be full, too, but not for what is ready once its body is here, which a primary must have to get rid of it, nor
     * for a client that holds next to nothing.
     */
    private boolean hasRoomBesideOthers(long nowMillis, Entry entry, Usage own, int bytes) {
        long all = config.room().bytesOfAll();
        while (heldBytes + bytes > all) {
            int holders = usages.size() + (usages.containsKey(entry.id.client()) ? 0 : 1);
            long share = all / holders;
            boolean isSmall = own.bytes + bytes <= all / OWN_PARTS;
            if (own.bytes + bytes > share && !isSmall && others(entry) < config.oneCorrect()) {
                return false;
            }
            if (!displaceOneOfTheLargest(nowMillis, share)) {
                return heldBytes + bytes <= (isSmall ? 4 : isReadyWithOwn(entry) ? 3 : 2) * all;
            }
        }
        return true;
    }

    private boolean displaceOneOfTheLargest(long nowMillis, long share) {
        List<Usage> largest = usages.values().stream()
                .filter(each -> each.bytes > share)
                .sorted(Comparator.comparingLong((Usage each) -> each.bytes).reversed())
                .limit(LARGEST_TRIED)
                .toList();
        for (Usage each : largest) {
            if (displaceOne(nowMillis, each)) {
                return true;
            }
        }
        return false;
    }

    private boolean displaceOne(long nowMillis, Usage usage) {
        for (Entry each : usage.entries.values()) {
            if (others(each) < config.oneCorrect()) {
                drop(nowMillis, each);
                return true;
            }
        }
        return false;
    }

    /** Forgets the body and the own vouch. */
    private void drop(long nowMillis, Entry entry) {
        Request body = entry.body;
        if (body != null && isVouchedHere(entry)) {
            displaced.add(nowMillis, entry.id, body.operation().length());
        }
        heard.remove(Call.of(entry.id), entry.id);
        entry.vouchers &= ~(1L << config.self());
        entry.verified = false;
        release(entry);
        retracted(entry);
    }

    private void release(Entry entry) {
        Request body = entry.body;
        Usage usage = usages.get(entry.id.client());
        if (body == null || usage == null) {
            return;
        }
        usage.entries.remove(entry.id);
        usage.bytes -= body.operation().length();
        heldBytes -= body.operation().length();
        entry.body = null;
        if (usage.entries.isEmpty()) {
            usages.remove(entry.id.client());
        }
    }

    private void retract(int peer, RequestId id) {
        Entry entry = entries.get(id);
        if (entry != null) {
            entry.vouchers &= ~(1L << peer);
            retracted(entry);
        }
    }

    private void retracted(Entry entry) {
        if (entry.readyMillis >= 0 && Long.bitCount(entry.vouchers) < config.quorum()) {
            entry.readyMillis = -1;
            ready.remove(entry.id);
        }
        removeIfUnknown(entry);
    }

    private void removeIfUnknown(Entry entry) {
        if (entry.body == null && entry.vouchers == 0) {
            entries.remove(entry.id);
        }
    }
}
