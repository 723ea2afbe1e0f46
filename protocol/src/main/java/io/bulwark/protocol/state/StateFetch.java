package io.bulwark.protocol.state;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Fetch of the state of a checkpoint whose digest is known to be correct (proactive recovery paper, section 4.6.2). It
 * is a recursion down the tree over the pages that differ. Each is verified against the digest in its parent, so that
 * no reply needs votes or a MAC to be believed. In recovery (section 4.4, "check and fetch state") it digests every
 * local page, too.
 *
 * <p>A page whose lm is not above the last checkpoint here belongs to that, with all below it: the recursion ends
 * there, unless everything is checked. Arrived pages stay in the store, staged, when the others have discarded the
 * checkpoint and {@link #target} names a newer one. Of that only the new pages are visited, so that a fetch ends while
 * the others run, if pages arrive faster than they change. Single-threaded; the effects of a call are carried out
 * before the next.
 */
public final class StateFetch {
    /** Pages that are read from the store in one step, at most: 4 MiB, or 256 long values. */
    private static final int STEP_PAGES = 256;

    /**
     * Progress so far.
     *
     * @param read pages that were looked for here
     * @param damaged pages of own checkpoints that were not right here
     * @param fetched pages that came from others and were right
     * @param fetchedBytes their bytes
     */
    public record Progress(long read, long damaged, long fetched, long fetchedBytes) {}

    private record NextTarget(long number, Bytes digest) {}

    /** A page to look for, and the one that it is below. */
    private record Visit(Child.Ref ref, @Nullable Visit above) {}

    private final PageStore store;
    private final PageRequests requests;
    private final boolean checking;

    private long number;
    private Bytes root = Bytes.EMPTY;
    /** Pages that are not above this belong to the last checkpoint here; -1 if there is none. */
    private long local = -1;

    private boolean here;
    private boolean done = true;
    /** Target to fetch if a page of a seemingly complete local state turns out to be damaged. */
    private @Nullable NextTarget next;

    private final Deque<Visit> visits = new ArrayDeque<>();
    private final Map<Bytes, Visit> fetching = new HashMap<>();
    /** Pages that were found right, with all below them, for an earlier target. */
    private final DigestSet whole = new DigestSet();
    /** Pages of {@link #whole} that the target also has, and the pages below them; they still count as reached. */
    private final Deque<Child.Ref> gathered = new ArrayDeque<>();
    /** The pages of the target, or the topmost of those that it shares with the last checkpoint here. */
    private DigestSet reached = new DigestSet();
    /** Pages of the last checkpoint here that may not be the target's: what remains to be walked, once all is here. */
    private final Deque<Child.Ref> leaving = new ArrayDeque<>();

    private final List<Child.Ref> retired = new ArrayList<>();
    /** Pages of the store that are not the target's, up to the last one that was listed. */
    private final List<Bytes> removed = new ArrayList<>();

    private Bytes listed = Bytes.EMPTY;
    /** All of the target is here; what is not the target's is being found. */
    private boolean complete;

    private long read;
    private long damaged;
    private long fetched;
    private long fetchedBytes;

    /**
     * Creates a fetch without a target.
     *
     * @param replicas the others
     * @param checking whether local pages are not trusted, but digested
     * @param tokensFrom a number that differs from start to start
     */
    public StateFetch(
            PageStore store, List<Integer> replicas, FetchSettings settings, boolean checking, long tokensFrom) {
        this.store = store;
        this.requests = new PageRequests(replicas, settings, tokensFrom);
        this.checking = checking;
    }

    /** Removes what was fetched for a checkpoint that never became complete; for a store without a fetch under way. */
    public static PageBatch abandoned(PageStore store) {
        return new PageBatch(Map.of(), Map.of(), List.copyOf(store.staged()), Map.of(), Set.of(), true, false);
    }

    /**
     * Begins, or continues with a newer checkpoint, unless all pages of the last one are here already: then that one is
     * completed first. While pages of a checkpoint of this replica are checked, it is not discarded.
     *
     * @param atNumber of the checkpoint; above that of the last one here, unless all is checked
     * @param digest that f+1 replicas, or a certificate, vouch for
     */
    public List<FetchEffect> target(long nowMillis, long atNumber, Bytes digest) {
        SortedMap<Long, CheckpointRecord> checkpoints = checkpoints();
        long last = checkpoints.isEmpty() ? -1 : checkpoints.lastKey();
        if (!checking && atNumber <= last) {
            throw new IllegalArgumentException("checkpoint " + atNumber + " is not after " + last);
        }
        if (!done && hasAllPages()) {
            next = new NextTarget(atNumber, digest);
            return step(nowMillis, new ArrayList<>());
        }
        next = null;
        keepWhole();
        number = atNumber;
        root = digest;
        local = last;
        CheckpointRecord same = checkpoints.get(atNumber);
        here = same != null && same.root().equals(digest);
        done = false;
        complete = false;
        requests.clear();
        fetching.clear();
        leaving.clear();
        retired.clear();
        reached = new DigestSet();
        visits.clear();
        gathered.clear();
        visits.push(new Visit(new Child.Ref(digest, Child.LM_UNKNOWN), null));
        return step(nowMillis, new ArrayList<>());
    }

    /**
     * Takes an answer: pages in the order of the request, empty where one is lacking, fewer than were asked for if it ends
     * early.
     */
    public List<FetchEffect> onPages(long nowMillis, int from, long token, List<Bytes> pages) {
        List<FetchEffect> out = new ArrayList<>();
        Map<Bytes, Bytes> repaired = new LinkedHashMap<>();
        Map<Bytes, Bytes> staged = new LinkedHashMap<>();
        for (PageRequests.ArrivedPage arrived : requests.onPages(nowMillis, from, token, pages, out)) {
            fetched++;
            fetchedBytes += arrived.page().length();
            Visit visit = fetching.remove(arrived.digest());
            if (visit != null) {
                (here ? repaired : staged).put(arrived.digest(), arrived.page());
                descend(visit, arrived.page());
            }
        }
        if (!repaired.isEmpty() || !staged.isEmpty()) {
            out.add(new FetchEffect.Write(PageBatch.staged(repaired, staged)));
        }
        return step(nowMillis, out);
    }

    /** Due every few hundred milliseconds, and whenever {@link FetchEffect.ImmediateTick} asks for it. */
    public List<FetchEffect> onTick(long nowMillis) {
        return step(nowMillis, new ArrayList<>());
    }

    public Progress progress() {
        return new Progress(read, damaged, fetched, fetchedBytes);
    }

    private List<FetchEffect> step(long nowMillis, List<FetchEffect> out) {
        if (done) {
            return out;
        }
        int budget = STEP_PAGES;
        while (!visits.isEmpty() && requests.hasRoom() && budget > 0) {
            budget -= visit(visits.pop(), out);
        }
        requests.onTick(nowMillis, out);
        boolean wrote = out.stream().anyMatch(FetchEffect.Write.class::isInstance);
        if (hasAllPages()) {
            if (wrote || budget == 0) {
                // Decisions at the end are based on the store.
                out.add(new FetchEffect.ImmediateTick());
            } else if (!gathered.isEmpty()) {
                gather(budget, out);
                NextTarget later = next;
                if (later != null && !hasAllPages()) {
                    // The others may have no page of this checkpoint any more.
                    out.addAll(target(nowMillis, later.number(), later.digest()));
                    return out;
                }
                out.add(new FetchEffect.ImmediateTick());
            } else {
                finish(budget, out);
            }
        } else if (!visits.isEmpty() && requests.hasRoom()) {
            out.add(new FetchEffect.ImmediateTick());
        }
        return out;
    }

    /** All pages of the target are here. */
    private boolean hasAllPages() {
        return visits.isEmpty() && requests.open() == 0;
    }

    /** Keeps the reached pages that have no missing page below them; they need no further check. */
    private void keepWhole() {
        DigestSet open = new DigestSet();
        visits.forEach(visit -> open(visit, open));
        fetching.values().forEach(visit -> open(visit, open));
        whole.addAll(reached, open);
    }

    private static void open(Visit from, DigestSet open) {
        for (Visit visit = from; visit != null && !open.contains(visit.ref().digest()); visit = visit.above()) {
            open.add(visit.ref().digest());
        }
    }

    /** Looks for a page here; gives how many pages that read. */
    private int visit(Visit visit, List<FetchEffect> out) {
        Child.Ref ref = visit.ref();
        if (whole.contains(ref.digest())) {
            gathered.push(ref);
            return 0;
        }
        reached.add(ref.digest());
        if (!checking && isOwn(ref)) {
            return 0;
        }
        read++;
        Optional<Bytes> page = store.get(ref.digest());
        if (page.isPresent() && Hashes.sha256(page.get()).equals(ref.digest())) {
            descend(visit, page.get());
        } else {
            if (isOwn(ref)) {
                damaged++;
                out.add(new FetchEffect.Damaged(ref.digest(), page.isEmpty()));
            }
            want(visit);
        }
        return 1;
    }

    private void want(Visit visit) {
        fetching.put(visit.ref().digest(), visit);
        requests.want(visit.ref().digest());
    }

    /** Descends through whole pages, so that the reached set contains all of the target. */
    private void gather(int budget, List<FetchEffect> out) {
        int left = budget;
        while (!gathered.isEmpty() && left > 0) {
            Child.Ref ref = gathered.pop();
            reached.add(ref.digest());
            if (!checking && isOwn(ref)) {
                continue;
            }
            left--;
            Optional<PageCodec.Outline> outline = store.get(ref.digest()).flatMap(page -> readable(ref, page));
            if (outline.isEmpty()) {
                // It was here a moment ago.
                out.add(new FetchEffect.Damaged(ref.digest(), true));
                want(new Visit(ref, null));
            } else if (outline.get().level() > 0) {
                outline.get().below().forEach(gathered::push);
            } else {
                outline.get().below().forEach(value -> reached.add(value.digest()));
            }
        }
    }

    private static Optional<PageCodec.Outline> readable(Child.Ref ref, Bytes page) {
        try {
            return Optional.of(PageCodec.outline(page, ref.digest()));
        } catch (MalformedException e) {
            return Optional.empty();
        }
    }

    private boolean isOwn(Child.Ref ref) {
        return ref.lm() == Child.LM_UNKNOWN ? here : ref.lm() <= local;
    }

    private void descend(Visit above, Bytes page) {
        outline(above.ref(), page).below().forEach(ref -> visits.push(new Visit(ref, above)));
    }

    private PageCodec.Outline outline(Child.Ref ref, Bytes page) {
        try {
            PageCodec.Outline outline = PageCodec.outline(page, ref.digest());
            if (ref.lm() != Child.LM_UNKNOWN && ref.lm() != outline.lm()) {
                throw new MalformedException("lm " + outline.lm() + ", not " + ref.lm());
            }
            return outline;
        } catch (MalformedException e) {
            // No correct replica has such a page: more than f vouched for the digest of the root.
            throw new IllegalStateException("page " + ref.digest().toHex() + " of checkpoint " + number, e);
        }
    }

    private void finish(int budget, List<FetchEffect> out) {
        SortedMap<Long, CheckpointRecord> checkpoints = checkpoints();
        if (here || (!checking && !checkpoints.isEmpty() && checkpoints.lastKey() >= number)) {
            // Checked in place, or this replica came as far by itself.
            end(abandoned(store), out);
        } else if (checking) {
            replace(out);
        } else {
            retire(budget, checkpoints, out);
        }
    }

    /** Replaces the local state, which may be wrong: of all pages in the store, only those of the target stay. */
    private void replace(List<FetchEffect> out) {
        if (!complete) {
            complete = true;
            listed = Bytes.EMPTY;
            removed.clear();
        }
        List<Bytes> some = store.digests(listed, STEP_PAGES);
        some.stream().filter(digest -> !reached.contains(digest)).forEach(removed::add);
        if (!some.isEmpty()) {
            listed = some.getLast();
            out.add(new FetchEffect.ImmediateTick());
            return;
        }
        Set<Long> discarded = new HashSet<>(store.checkpoints().keySet());
        discarded.remove(number);
        Bytes added = new CheckpointRecord(root, List.of()).encode();
        end(new PageBatch(Map.of(), Map.of(), removed, Map.of(number, added), discarded, true, true), out);
    }

    /** Finds the pages that the last checkpoint here does not share with the target; they go when it is discarded. */
    private void retire(int budget, SortedMap<Long, CheckpointRecord> checkpoints, List<FetchEffect> out) {
        if (!complete) {
            complete = true;
            if (!checkpoints.isEmpty()) {
                CheckpointRecord last = checkpoints.sequencedValues().getLast();
                leaving.push(new Child.Ref(last.root(), Child.LM_UNKNOWN));
            }
        }
        int left = budget;
        while (!leaving.isEmpty() && left > 0) {
            left--;
            leave(leaving.pop());
        }
        if (!leaving.isEmpty()) {
            out.add(new FetchEffect.ImmediateTick());
            return;
        }
        List<Bytes> unused = new ArrayList<>();
        store.staged().stream().filter(digest -> !reached.contains(digest)).forEach(unused::add);
        Bytes added = new CheckpointRecord(root, retired).encode();
        end(new PageBatch(Map.of(), Map.of(), unused, Map.of(number, added), Set.of(), true, true), out);
    }

    private void leave(Child.Ref ref) {
        if (reached.contains(ref.digest())) {
            return;
        }
        Optional<Bytes> page = store.get(ref.digest());
        if (page.isEmpty() || !Hashes.sha256(page.get()).equals(ref.digest())) {
            // The pages below stay in the store until this replica recovers in full.
            return;
        }
        PageCodec.Outline outline = outline(ref, page.get());
        retired.add(new Child.Ref(ref.digest(), outline.lm()));
        if (outline.level() > 0) {
            outline.below().forEach(leaving::push);
        } else {
            outline.below().stream()
                    .filter(value -> !reached.contains(value.digest()))
                    .forEach(retired::add);
        }
    }

    private void end(PageBatch batch, List<FetchEffect> out) {
        done = true;
        out.add(new FetchEffect.Complete(number, root, batch));
    }

    private SortedMap<Long, CheckpointRecord> checkpoints() {
        SortedMap<Long, CheckpointRecord> found = new TreeMap<>();
        store.checkpoints()
                .forEach((at, bytes) -> CheckpointRecord.decode(bytes).ifPresent(record -> found.put(at, record)));
        return found;
    }
}
