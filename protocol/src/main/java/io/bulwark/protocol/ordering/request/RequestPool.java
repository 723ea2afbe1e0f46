package io.bulwark.protocol.ordering.request;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.message.RequestId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Pool of the requests that are not executed yet, with their vouches (docs/ordering/normal-case.md, request
 * authentication). A replica vouches for requests from the client itself, one digest of each (client, call) only, and
 * for requests that f+1 others vouch for, once it has the body. With 2f+1 vouches a request is <em>ready</em>: a
 * primary that vouches for it, too, proposes it. With f = 1 it is <em>due</em> then, too, which means that backups time
 * it.
 *
 * <p>With more faults f liars can vouch to some replicas only. Then one replica counts 2f+1 vouches and the primary
 * f+1, with which the primary need not have room for the request. So a replica that has had a request ready for a while
 * multicasts READY, as in Bracha's reliable broadcast ("Asynchronous Byzantine agreement protocols", 1987). With f+1
 * READYs a request is ready at the replica that is to propose it. With 2f+1 it is due, and then f+1 correct ones have
 * sent READY to all. No replica sends READY because others do: with f+1 of them it takes the request and vouches, and
 * so all count 2f+1 vouches.
 *
 * <p>Suppose that a replica accepted only one digest against f+1 others. A client could tell the primary another one,
 * and a liar could vouch for the first to the backups only. Backups would then wait for a request that the primary
 * cannot propose. So a client can have several operations executed under one number; they use its own room, and their
 * content identifies duplicates.
 *
 * <p>{@link RequestQuota} decides which bodies are kept. Old vouches do not count: a replica repeats those for the
 * requests that it still has.
 */
public final class RequestPool {
    /** A request that is not ready this long after its client last asked is dropped. */
    private static final long EXPIRY_MILLIS = 30_000;

    /** One call of a client, whatever its digest. */
    private record Call(PrincipalId client, long call) implements Comparable<Call> {
        @Override
        public int compareTo(Call other) {
            int byClient = client.compareTo(other.client);
            return byClient != 0 ? byClient : Long.compare(call, other.call);
        }

        private static Call of(RequestId id) {
            return new Call(id.client(), id.call());
        }
    }

    private final ReplicaConfig config;
    private final RecentResults results;
    private final Map<RequestId, PendingRequest> entries = new LinkedHashMap<>();
    private final Map<RequestId, PendingRequest> ready = new LinkedHashMap<>();

    /** Requests that backups time. */
    private final Map<RequestId, PendingRequest> due = new LinkedHashMap<>();

    /** The one digest of each call that came from the client. */
    private final Map<Call, RequestId> heard = new HashMap<>();

    private final List<RequestEchoes> ofPeers = new ArrayList<>();

    /** Requests for which each replica, including this one, has sent READY. */
    private final List<RequestEchoes> readyAt = new ArrayList<>();

    /** The last numbers that the peers say they have executed. */
    private final long[] executedThere;

    private final EvictedEchoes displaced = new EvictedEchoes();
    private final RequestQuota room;
    private Predicate<RequestId> hasNumber = ignored -> false;
    private List<RequestId> unsaid = new ArrayList<>();
    private List<RequestId> unsaidReady = new ArrayList<>();
    private long order;
    private long tidiedMillis;

    public RequestPool(ReplicaConfig config, RecentResults results) {
        this.config = config;
        this.results = results;
        room = new RequestQuota(config);
        executedThere = new long[config.replicas()];
        for (int i = 0; i < config.replicas(); i++) {
            ofPeers.add(new RequestEchoes(config.room().vouchesPerPeer()));
            readyAt.add(new RequestEchoes(config.room().vouchesPerPeer()));
        }
    }

    /** Sets the test whether a request has a number that is not executed yet, though it may have been forgotten here. */
    public void setHasNumber(Predicate<RequestId> newHasNumber) {
        hasNumber = newHasNumber;
    }

    /**
     * Handles a request from its client.
     *
     * @return false if the client has no more room
     */
    public boolean onRequest(long nowMillis, RequestId id, Request request) {
        RequestId other = heard.get(Call.of(id));
        if (other != null && !other.equals(id)) {
            return true;
        }
        PendingRequest entry = entries.computeIfAbsent(id, this::begin);
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

    /**
     * Returns whether another replica vouches for this request, which has been executed here. That replica has not
     * executed it, or has forgotten it.
     */
    public boolean isWantedByOthers(RequestId id) {
        PendingRequest entry = entries.get(id);
        return entry != null && entry.others() > 0;
    }

    public void onStatus(int from, long executed) {
        executedThere[from] = executed;
    }

    /**
     * Handles vouches of another replica. If the request was executed here, a vouch counts only once the other replica
     * reports the same progress: then it has forgotten the result, and this is a request like any other. Its earlier
     * vouches end when it executes the request, too. A primary that counted one would give the request a number again,
     * and nobody would accept that.
     */
    public void onEcho(long nowMillis, int from, List<RequestId> ids) {
        for (RequestId id : ids) {
            if (results.sequence(id) > executedThere[from]) {
                continue;
            }
            RequestId forgotten = ofPeers.get(from).add(nowMillis, id);
            PendingRequest entry = entries.computeIfAbsent(id, this::begin);
            entry.vouchers |= 1L << from;
            entry.seenMillis = Math.max(entry.seenMillis, nowMillis);
            weigh(nowMillis, entry);
            if (forgotten != null) {
                retract(from, forgotten);
            }
        }
    }

    /** Another replica counts 2f+1 vouches and waits. What was executed here is treated as with vouches. */
    public void onReady(long nowMillis, int from, List<RequestId> ids) {
        for (RequestId id : ids) {
            if (isReadySaid() && results.sequence(id) <= executedThere[from]) {
                PendingRequest entry = entries.computeIfAbsent(id, this::begin);
                entry.seenMillis = Math.max(entry.seenMillis, nowMillis);
                addReady(nowMillis, from, entry);
            }
        }
    }

    private void addReady(long nowMillis, int replica, PendingRequest entry) {
        RequestId forgotten = readyAt.get(replica).add(nowMillis, entry.id);
        entry.saidReady |= 1L << replica;
        entry.hasNews = true;
        weigh(nowMillis, entry);
        if (forgotten != null) {
            retractReady(replica, forgotten);
        }
    }

    /**
     * Returns whether replicas send READY. With f = 1 they need not: a request that f+1 others vouch for is ready at
     * these, and no replica can count more than the primary.
     */
    private boolean isReadySaid() {
        return config.faulty() > 1;
    }

    /** Handles a fetched body. It uses its client's room only if a correct replica supports it. */
    public void onBody(long nowMillis, RequestId id, Request request) {
        PendingRequest entry = entries.get(id);
        if (entry != null && entry.isBacked() && take(nowMillis, entry, request)) {
            weigh(nowMillis, entry);
        }
    }

    /** Discards reports that a peer sent under its old keys; it will repeat them. */
    public void onKeyChange(int peer) {
        ofPeers.get(peer).clear().forEach(id -> retract(peer, id));
        readyAt.get(peer).clear().forEach(id -> retractReady(peer, id));
    }

    /** A backup may accept it: this replica vouches for it, or did a while ago, or a correct one stands behind it. */
    public boolean isAcceptable(RequestId id) {
        return displaced.contains(id) || isVouchedFor(id);
    }

    /** This replica vouches for it, or a correct one stands behind it. */
    public boolean isVouchedFor(RequestId id) {
        PendingRequest entry = entries.get(id);
        return entry != null && (entry.isVouchedHere() || entry.isBacked());
    }

    /** The length of a body that lost its room here, or was executed; -1 if none of this name did. */
    public int evictedBytes(RequestId id) {
        return displaced.bytes(id);
    }

    public @Nullable Request body(RequestId id) {
        PendingRequest entry = entries.get(id);
        return entry == null ? null : entry.body;
    }

    /**
     * Handles the execution of a request.
     *
     * @param bytes the length of its operation
     */
    public void onExecuted(long nowMillis, RequestId id, int bytes) {
        PendingRequest entry = entries.remove(id);
        displaced.onExecuted(nowMillis, id, bytes, entry != null && entry.isVouchedHere());
        if (entry == null) {
            return;
        }
        heard.remove(Call.of(id), id);
        ofPeers.forEach(said -> said.remove(id));
        readyAt.forEach(said -> said.remove(id));
        ready.remove(id);
        due.remove(id);
        room.release(entry);
    }

    /** In the order in which they became ready. */
    public Collection<PendingRequest> ready() {
        return ready.values();
    }

    /** Returns the requests that the primary must number, or has numbered, in the order in which they became due. */
    public Collection<PendingRequest> due() {
        return due.values();
    }

    /** The primary may lack room for this one, or get its body late, through no fault of its own. */
    public boolean isCrowded(PendingRequest entry) {
        return room.isCrowded(entry);
    }

    /**
     * Returns the missing bodies that a correct replica supports, with the replicas that may have them. Requests that
     * become ready with their body are first. There may be more of the rest than links carry, and these find no room
     * and are missing again.
     */
    public SequencedMap<RequestId, Long> missing() {
        SequencedMap<RequestId, Long> missing = new LinkedHashMap<>();
        SequencedMap<RequestId, Long> later = new LinkedHashMap<>();
        for (PendingRequest entry : entries.values()) {
            if (entry.body == null && entry.isBacked()) {
                (entry.isReadyWithOwn() ? missing : later).put(entry.id, entry.sources());
            }
        }
        missing.putAll(later);
        return missing;
    }

    /** The vouches that were not sent yet. */
    public List<RequestId> takeUnsaid() {
        List<RequestId> taken = unsaid;
        unsaid = new ArrayList<>();
        return taken;
    }

    /** Returns the requests for which this replica must send READY, again or for the first time. */
    public List<RequestId> takeUnsaidReady() {
        List<RequestId> taken = unsaidReady;
        unsaidReady = new ArrayList<>();
        taken.removeIf(id -> !entries.containsKey(id));
        return taken;
    }

    public boolean hasOwnVouches() {
        return !room.isEmpty();
    }

    /** Returns the requests that this replica has vouched for since that time or longer, to be repeated. */
    public List<RequestId> ownEchoes(long sinceMillis) {
        List<RequestId> old = new ArrayList<>();
        for (PendingRequest entry : entries.values()) {
            if (entry.isVouchedHere() && entry.vouchedMillis <= sinceMillis) {
                old.add(entry.id);
            }
        }
        return old;
    }

    /** A view begins, in which these requests have numbers already. */
    public void onNewView(Set<RequestId> assigned) {
        for (PendingRequest entry : entries.values()) {
            entry.proposed = assigned.contains(entry.id);
            entry.passedOver = 0;
        }
    }

    /**
     * Handles an accepted proposal of the primary. A request with an earlier number may be unknown here, or may have
     * lost its room. Only an already executed one does not count, as it may arrive late.
     *
     * @param inOrder whether all before it are: then each request that was due before all of these became ready, and
     *     has no number yet, is passed over
     */
    public void onProposed(List<RequestId> ids, boolean inOrder) {
        long firstOrder = Long.MAX_VALUE;
        boolean counts = false;
        for (RequestId id : ids) {
            PendingRequest entry = entries.get(id);
            counts |= entry != null || results.get(id) == null;
            if (entry != null) {
                entry.proposed = true;
                firstOrder = entry.readyMillis < 0 ? firstOrder : Math.min(firstOrder, entry.readyOrder);
            }
        }
        if (counts && inOrder) {
            for (PendingRequest entry : due.values()) {
                if (entry.dueOrder > firstOrder) {
                    break;
                }
                entry.passedOver += entry.proposed ? 0 : 1;
            }
        }
    }

    /**
     * Clears the pool after a state transfer, with which unknown requests were executed. The others vouch again for the
     * pending ones, and clients ask again.
     */
    public void clear() {
        entries.clear();
        ready.clear();
        due.clear();
        heard.clear();
        displaced.clear();
        ofPeers.forEach(RequestEchoes::clear);
        readyAt.forEach(RequestEchoes::clear);
        room.clear();
        unsaid.clear();
        unsaidReady.clear();
    }

    public void onTick(long nowMillis) {
        for (int replica = 0; replica < config.replicas(); replica++) {
            int from = replica;
            expire(ofPeers.get(from), nowMillis - config.timers().echoMillis(), id -> retract(from, id));
            expire(readyAt.get(from), nowMillis - config.timers().keepReadyMillis(), id -> retractReady(from, id));
        }
        if (isReadySaid()) {
            List.copyOf(ready.values()).forEach(entry -> announceReady(nowMillis, entry));
            ready.values().forEach(entry -> weighDue(nowMillis, entry));
        }
        if (nowMillis - tidiedMillis < EXPIRY_MILLIS / 10) {
            return;
        }
        tidiedMillis = nowMillis;
        displaced.expire(nowMillis - EXPIRY_MILLIS);
        for (PendingRequest entry : List.copyOf(entries.values())) {
            if (entry.readyMillis < 0 && entry.body != null && nowMillis - entry.seenMillis > EXPIRY_MILLIS) {
                drop(nowMillis, entry);
            }
        }
    }

    private static void expire(RequestEchoes said, long beforeMillis, Consumer<RequestId> retract) {
        RequestId expired = said.expire(beforeMillis);
        while (expired != null) {
            retract.accept(expired);
            expired = said.expire(beforeMillis);
        }
    }

    /**
     * Sends READY only for a request whose body is here: the sender keeps the body for as long as READY counts, so that
     * the primary can fetch it.
     */
    private void announceReady(long nowMillis, PendingRequest entry) {
        if (entry.readyMillis >= 0
                && entry.body != null
                && entry.hasQuorum()
                && nowMillis - entry.readyMillis >= config.timers().readyDelayMillis()
                && nowMillis - entry.saidMillis >= config.timers().statusMillis()) {
            entry.saidMillis = nowMillis;
            addReady(nowMillis, config.self(), entry);
            unsaidReady.add(entry.id);
        }
    }

    /**
     * Decides whether the request is due, which holds while 2f+1 replicas have recently sent READY. Of these f+1 are
     * correct, and have sent it to the primary, too. At the primary READY counts for longer, which leaves it time to
     * take the request and propose it, independently of the others.
     */
    private void weighDue(long nowMillis, PendingRequest entry) {
        if (nowMillis < entry.dueUntilMillis) {
            return;
        }
        if (entry.hasNews) {
            entry.hasNews = false; // what all have said is looked up for this, and not for each request with each tick
            entry.dueUntilMillis = dueUntil(entry);
        }
        if (nowMillis < entry.dueUntilMillis) {
            becomeDue(nowMillis, entry);
        } else if (entry.dueMillis >= 0) {
            cease(entry);
        }
    }

    private long dueUntil(PendingRequest entry) {
        int needed = config.quorum();
        long[] said = new long[config.replicas()];
        for (int replica = 0; replica < said.length; replica++) {
            said[replica] = readyAt.get(replica).saidMillis(entry.id);
        }
        Arrays.sort(said);
        return said[said.length - needed] + config.timers().echoMillis();
    }

    private void becomeDue(long nowMillis, PendingRequest entry) {
        if (entry.dueMillis < 0) {
            entry.dueMillis = nowMillis;
            entry.sinceMillis = entry.sinceMillis < 0 ? nowMillis : entry.sinceMillis;
            entry.dueOrder = ++order;
            due.put(entry.id, entry);
        }
    }

    private void cease(PendingRequest entry) {
        entry.dueMillis = -1;
        entry.dueUntilMillis = Long.MIN_VALUE;
        due.remove(entry.id);
    }

    private PendingRequest begin(RequestId id) {
        PendingRequest entry = new PendingRequest(id, config);
        entry.proposed = hasNumber.test(id);
        return entry;
    }

    private boolean take(long nowMillis, PendingRequest entry, Request request) {
        return room.take(entry, request, each -> drop(nowMillis, each));
    }

    private void weigh(long nowMillis, PendingRequest entry) {
        if (entry.body != null && !entry.isVouchedHere() && (entry.verified || entry.isBacked())) {
            entry.vouchers |= 1L << config.self();
            entry.vouchedMillis = nowMillis;
            unsaid.add(entry.id);
        }
        if (entry.readyMillis < 0 && entry.isReady()) {
            entry.readyMillis = nowMillis;
            entry.readyOrder = ++order;
            ready.put(entry.id, entry);
            if (!isReadySaid()) {
                becomeDue(nowMillis, entry);
            }
        }
    }

    /** Forgets the body and the own vouch. */
    private void drop(long nowMillis, PendingRequest entry) {
        Request body = entry.body;
        if (body != null && entry.isVouchedHere()) {
            displaced.add(nowMillis, entry.id, body.operation().length());
        }
        heard.remove(Call.of(entry.id), entry.id);
        entry.vouchers &= ~(1L << config.self());
        entry.verified = false;
        room.release(entry);
        onRetracted(entry);
    }

    private void retract(int peer, RequestId id) {
        PendingRequest entry = entries.get(id);
        if (entry != null) {
            entry.vouchers &= ~(1L << peer);
            onRetracted(entry);
        }
    }

    private void retractReady(int replica, RequestId id) {
        PendingRequest entry = entries.get(id);
        if (entry != null) {
            entry.saidReady &= ~(1L << replica);
            entry.hasNews = true;
            entry.dueUntilMillis = Long.MIN_VALUE;
            onRetracted(entry);
        }
    }

    private void onRetracted(PendingRequest entry) {
        if (entry.readyMillis >= 0 && !entry.isReady()) {
            entry.readyMillis = -1;
            ready.remove(entry.id);
            cease(entry);
            entry.hasNews = true;
        }
        removeIfUnknown(entry);
    }

    private void removeIfUnknown(PendingRequest entry) {
        if (entry.body == null && entry.vouchers == 0 && entry.saidReady == 0) {
            entries.remove(entry.id);
        }
    }
}
