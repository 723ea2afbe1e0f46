package io.bulwark.protocol.state;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Pages wanted by digest, and the replicas asked for them in turn, each with few requests at a time. A replica that
 * does not answer or sends a wrong page is avoided for a while, longer each time. So f liars cost a bounded part of the
 * window, and no page waits for them twice in a row. A replica that lacks all requested pages has discarded the
 * checkpoint, and is asked again for the next one.
 *
 * <p>Others discard a checkpoint soon, so no replica may delay a page for as long as an answer may take. A page that is
 * late by a few answer times of correct replicas is requested from the next one, too. The late replica is then asked
 * only for pages that the others have no room for.
 */
final class PageRequests {
    /** Patience is at least so small a part of the time that an answer may take. */
    private static final int PATIENCE_SHARE = 50;

    private static final class Peer {
        final int replica;
        int outstanding;
        long quietUntilMillis = Long.MIN_VALUE;
        long quietMillis;
        /** True if its overdue pages were requested from others. */
        boolean late;
        /** Duration of its last answer with pages. */
        long answerMillis;
        /** True if it is avoided only since it lacks the pages of this checkpoint. */
        boolean lacking;

        Peer(int replica) {
            this.replica = replica;
        }
    }

    /** A request under way. */
    private static final class SentRequest {
        final Peer peer;
        final List<Bytes> digests;
        final long sinceMillis;
        /** True if its pages are requested from others, too. */
        boolean late;

        SentRequest(Peer peer, List<Bytes> digests, long sinceMillis) {
            this.peer = peer;
            this.digests = digests;
            this.sinceMillis = sinceMillis;
        }
    }

    /** Replicas asked for a page without success in this turn, and those of them that answered that they lack it. */
    private static final class PageMisses {
        final Set<Integer> asked = new HashSet<>();
        final Set<Integer> lacking = new HashSet<>();
    }

    /** A page that arrived and is right. */
    record ArrivedPage(Bytes digest, Bytes page) {}

    private final FetchSettings settings;
    private final List<Peer> peers = new ArrayList<>();
    private final Deque<Bytes> wanted = new ArrayDeque<>();
    private final Map<Long, SentRequest> asked = new LinkedHashMap<>();
    private final Map<Bytes, PageMisses> misses = new HashMap<>();

    /** Wanted and not here. */
    private final Set<Bytes> open = new HashSet<>();

    private int turn;
    private long nextToken;

    /**
     * @param tokensFrom first token: different at each start, so that answers to an earlier run are not accepted
     */
    PageRequests(List<Integer> replicas, FetchSettings settings, long tokensFrom) {
        this.settings = settings;
        replicas.forEach(replica -> peers.add(new Peer(replica)));
        nextToken = tokensFrom;
    }

    void want(Bytes digest) {
        if (open.add(digest)) {
            wanted.add(digest);
        }
    }

    /** A page that no request is under way for is not wanted any more. */
    void forget(Bytes digest) {
        wanted.remove(digest);
        misses.remove(digest);
        open.remove(digest);
    }

    /** The number of pages that are wanted and have not arrived. */
    int open() {
        return open.size();
    }

    /** Returns whether more pages could be requested at once. */
    boolean hasRoom() {
        return open.size() < settings.pagesPerRequest() * settings.requestsPerReplica() * peers.size();
    }

    /** Another checkpoint is to be fetched. */
    void clear() {
        wanted.clear();
        asked.clear();
        misses.clear();
        open.clear();
        for (Peer peer : peers) {
            peer.outstanding = 0;
            peer.quietUntilMillis = peer.lacking ? Long.MIN_VALUE : peer.quietUntilMillis;
            peer.lacking = false;
        }
    }

    /** Gives up requests whose time is over, and sends what can be sent. */
    void onTick(long nowMillis, List<FetchEffect> out) {
        long patienceMillis = patienceMillis();
        Iterator<SentRequest> all = asked.values().iterator();
        while (all.hasNext()) {
            SentRequest request = all.next();
            long tookMillis = nowMillis - request.sinceMillis;
            if (!request.late && tookMillis >= patienceMillis) {
                request.late = true;
                request.peer.late = true;
                request.digests.stream().filter(open::contains).forEach(digest -> {
                    wanted.addFirst(digest);
                    missed(request.peer, digest);
                });
            }
            if (tookMillis >= settings.timeoutMillis()) {
                all.remove();
                request.peer.outstanding--;
                quiet(request.peer, nowMillis);
            }
        }
        if (peers.stream().allMatch(peer -> peer.late)) {
            peers.forEach(peer -> peer.late = false);
        }
        send(nowMillis, out);
    }

    /** Four times as long as f + 1 replicas take: liars may be quick, but one of these is correct. */
    private long patienceMillis() {
        long each = peers.stream()
                .mapToLong(peer -> peer.answerMillis)
                .sorted()
                .skip(peers.size() / 3)
                .findFirst()
                .orElse(0);
        return Math.clamp(4 * each, Math.max(1, settings.timeoutMillis() / PATIENCE_SHARE), settings.timeoutMillis());
    }

    /** Takes an answer; gives the pages that are right. */
    List<ArrivedPage> onPages(long nowMillis, int from, long token, List<Bytes> pages, List<FetchEffect> out) {
        SentRequest request = asked.get(token);
        if (request == null || request.peer.replica != from) {
            return List.of();
        }
        asked.remove(token);
        request.peer.outstanding--;
        List<ArrivedPage> arrived = new ArrayList<>();
        boolean right = false;
        Bytes wrong = pages.size() > request.digests.size() ? request.digests.getFirst() : null;
        for (int i = request.digests.size() - 1; i >= 0; i--) {
            Bytes digest = request.digests.get(i);
            Bytes page = i < pages.size() ? pages.get(i) : null;
            if (page != null && !page.isEmpty() && Hashes.sha256(page).equals(digest)) {
                right = true;
                onRight(request, digest, page, arrived);
            } else {
                onNone(request, digest, page != null && page.isEmpty(), out);
                wrong = page == null || page.isEmpty() ? wrong : digest;
            }
        }
        if (wrong != null) {
            out.add(new FetchEffect.WrongPage(from, wrong));
        }
        judge(nowMillis, request, right, wrong != null);
        return arrived;
    }

    private void onRight(SentRequest request, Bytes digest, Bytes page, List<ArrivedPage> arrived) {
        if (open.remove(digest)) {
            arrived.add(new ArrivedPage(digest, page));
            misses.remove(digest);
            if (request.late) {
                wanted.remove(digest);
            }
        }
    }

    /** @param lacking the peer says that it does not have it */
    private void onNone(SentRequest request, Bytes digest, boolean lacking, List<FetchEffect> out) {
        boolean still = open.contains(digest);
        if (still && !request.late) {
            wanted.addFirst(digest);
        }
        if (still && lacking) {
            onLacking(request.peer, digest, out);
        }
    }

    /** Judges the peer by an answer: whether some page in it was right, and whether one was wrong. */
    private void judge(long nowMillis, SentRequest request, boolean right, boolean wrong) {
        Peer peer = request.peer;
        if (wrong) {
            peer.quietMillis = settings.quietMillisMax();
            quiet(peer, nowMillis);
        } else if (!right) {
            peer.lacking = true;
            peer.quietUntilMillis = nowMillis + settings.timeoutMillis();
        } else {
            peer.quietMillis = 0;
            peer.answerMillis = nowMillis - request.sinceMillis;
        }
    }

    private void onLacking(Peer peer, Bytes digest, List<FetchEffect> out) {
        PageMisses of = missed(peer, digest);
        if (of.lacking.add(peer.replica) && of.lacking.size() == peers.size() / 3 + 1) {
            out.add(new FetchEffect.Unavailable(digest));
        }
    }

    /** Once all were asked in vain, all may be asked again. */
    private PageMisses missed(Peer peer, Bytes digest) {
        PageMisses of = misses.computeIfAbsent(digest, ignored -> new PageMisses());
        of.asked.add(peer.replica);
        if (of.asked.size() == peers.size()) {
            misses.remove(digest);
        }
        return of;
    }

    private void quiet(Peer peer, long nowMillis) {
        peer.lacking = false;
        peer.quietMillis = Math.clamp(2 * peer.quietMillis, settings.timeoutMillis(), settings.quietMillisMax());
        peer.quietUntilMillis = nowMillis + peer.quietMillis;
    }

    void send(long nowMillis, List<FetchEffect> out) {
        send(nowMillis, false, out);
        send(nowMillis, true, out);
    }

    private void send(long nowMillis, boolean late, List<FetchEffect> out) {
        for (int skipped = 0; skipped < peers.size() && !wanted.isEmpty(); ) {
            Peer peer = peers.get(turn++ % peers.size());
            List<Bytes> digests = peer.late == late && canAsk(peer, nowMillis) ? take(peer) : List.of();
            if (digests.isEmpty()) {
                skipped++;
                continue;
            }
            skipped = 0;
            long token = nextToken++;
            asked.put(token, new SentRequest(peer, digests, nowMillis));
            peer.outstanding++;
            out.add(new FetchEffect.Send(peer.replica, token, digests));
        }
        turn %= Math.max(1, peers.size());
    }

    private boolean canAsk(Peer peer, long nowMillis) {
        return peer.quietUntilMillis <= nowMillis && peer.outstanding < settings.requestsPerReplica();
    }

    /** The next pages that this replica may have, an equal share for each. */
    private List<Bytes> take(Peer peer) {
        int most = Math.clamp(Math.ceilDiv(wanted.size(), peers.size()), 1, settings.pagesPerRequest());
        List<Bytes> taken = new ArrayList<>();
        Iterator<Bytes> all = wanted.iterator();
        while (all.hasNext() && taken.size() < most) {
            Bytes digest = all.next();
            PageMisses of = misses.get(digest);
            if (of == null || !of.asked.contains(peer.replica)) {
                taken.add(digest);
                all.remove();
            }
        }
        return taken;
    }
}
