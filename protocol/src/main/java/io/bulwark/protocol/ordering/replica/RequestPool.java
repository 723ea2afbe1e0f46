package io.bulwark.protocol.ordering.replica;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.message.RequestId;
import java.util.ArrayList;
import java.util.Collection;
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
 * <p>{@link RequestRoom} says which bodies are kept. Vouches of long ago do not count: a replica repeats those for what it still has.
 */
final class RequestPool {
    /** What is not ready so long after its client has last asked is dropped. */
    private static final long EXPIRY_MILLIS = 30_000;

    /** One call of a client, whatever its digest. */
    private record Call(PrincipalId client, long call) {
        private static Call of(RequestId id) {
            return new Call(id.client(), id.call());
        }
    }

    private final ReplicaConfig config;
    private final RecentResults results;
    private final Map<RequestId, Pending> entries = new LinkedHashMap<>();
    private final Map<RequestId, Pending> ready = new LinkedHashMap<>();

    /** The one digest of each call that came from the client. */
    private final Map<Call, RequestId> heard = new HashMap<>();

    private final List<PeerVouches> ofPeers = new ArrayList<>();

    /** The last numbers that the peers say they have executed. */
    private final long[] executedThere;

    private final Displaced displaced = new Displaced();
    private final RequestRoom room;
    private List<RequestId> unsaid = new ArrayList<>();
    private long readyCount;
    private long tidiedMillis;

    RequestPool(ReplicaConfig config, RecentResults results) {
        this.config = config;
        this.results = results;
        room = new RequestRoom(config);
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
        Pending entry = entries.computeIfAbsent(id, this::begin);
        if (!take(nowMillis, entry, request)) {
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
        Pending entry = entries.get(id);
        return entry != null && entry.others() > 0;
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
            Pending entry = entries.computeIfAbsent(id, this::begin);
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
        Pending entry = entries.get(id);
        if (entry != null && entry.others() >= config.oneCorrect() && take(nowMillis, entry, request)) {
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
        Pending entry = entries.get(id);
        return entry != null && (entry.verified || entry.others() >= config.oneCorrect());
    }

    /** The length of a body that lost its room here; -1 if none of this name did. */
    int displacedBytes(RequestId id) {
        return displaced.bytes(id);
    }

    @Nullable
    Request body(RequestId id) {
        Pending entry = entries.get(id);
        return entry == null ? null : entry.body;
    }

    void onExecuted(RequestId id) {
        displaced.remove(id);
        Pending entry = entries.remove(id);
        if (entry == null) {
            return;
        }
        heard.remove(Call.of(id), id);
        ofPeers.forEach(said -> said.remove(id));
        ready.remove(id);
        room.release(entry);
    }

    /** In the order in which they became ready. */
    Collection<Pending> ready() {
        return ready.values();
    }

    /** The primary may lack room for this one, or get its body late, through no fault of its own. */
    boolean isCrowded(Pending entry) {
        return room.isCrowded(entry);
    }

    /** The bodies that f+1 others vouch for and that are missing here, with those who vouch. */
    Map<RequestId, Long> missing() {
        Map<RequestId, Long> missing = new LinkedHashMap<>();
        for (Pending entry : entries.values()) {
            if (entry.body == null && entry.others() >= config.oneCorrect()) {
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
        return !room.isEmpty();
    }

    /** What this replica has vouched for since a time or longer, to be repeated. */
    List<RequestId> ownVouches(long sinceMillis) {
        List<RequestId> old = new ArrayList<>();
        for (Pending entry : entries.values()) {
            if (entry.isVouchedHere() && entry.vouchedMillis <= sinceMillis) {
                old.add(entry.id);
            }
        }
        return old;
    }

    /** A view begins, in which these requests have numbers already. */
    void onNewView(Set<RequestId> assigned) {
        for (Pending entry : entries.values()) {
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
            Pending entry = entries.get(id);
            counts |= entry != null || results.get(id) == null;
            if (entry != null) {
                entry.proposed = true;
                firstOrder = entry.readyMillis < 0 ? firstOrder : Math.min(firstOrder, entry.readyOrder);
            }
        }
        if (counts && inOrder) {
            for (Pending entry : ready.values()) {
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
        room.clear();
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
        for (Pending entry : List.copyOf(entries.values())) {
            if (entry.readyMillis < 0 && entry.body != null && nowMillis - entry.seenMillis > EXPIRY_MILLIS) {
                drop(nowMillis, entry);
            }
        }
    }

    private Pending begin(RequestId id) {
        return new Pending(id, config.self());
    }

    private boolean take(long nowMillis, Pending entry, Request request) {
        return room.take(entry, request, each -> drop(nowMillis, each));
    }

    private void weigh(long nowMillis, Pending entry) {
        if (entry.body != null && !entry.isVouchedHere() && (entry.verified || entry.others() >= config.oneCorrect())) {
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

    /** Forgets the body and the own vouch. */
    private void drop(long nowMillis, Pending entry) {
        Request body = entry.body;
        if (body != null && entry.isVouchedHere()) {
            displaced.add(nowMillis, entry.id, body.operation().length());
        }
        heard.remove(Call.of(entry.id), entry.id);
        entry.vouchers &= ~(1L << config.self());
        entry.verified = false;
        room.release(entry);
        retracted(entry);
    }

    private void retract(int peer, RequestId id) {
        Pending entry = entries.get(id);
        if (entry != null) {
            entry.vouchers &= ~(1L << peer);
            retracted(entry);
        }
    }

    private void retracted(Pending entry) {
        if (entry.readyMillis >= 0 && Long.bitCount(entry.vouchers) < config.quorum()) {
            entry.readyMillis = -1;
            ready.remove(entry.id);
        }
        removeIfUnknown(entry);
    }

    private void removeIfUnknown(Pending entry) {
        if (entry.body == null && entry.vouchers == 0) {
            entries.remove(entry.id);
        }
    }
}
