package io.bulwark.protocol.fp;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Askers that wait for the current repair of a block, and askers that want another version: each of these gets the next
 * repair in turn. If they joined the current repair, liars could occupy a node with a version that only they and it can
 * prove. Nobody would then get its MACs for any other version.
 */
final class RepairQueue {
    /** Limit of an asker's pending answers and repairs to come. The node itself asks for nothing twice. */
    private static final int PER_ASKER_MAX = 8;

    static final int NEXT_PER_ASKER_MAX = 2;

    /** @param wanted none for whatever READ finds */
    private record QueuedRepair(PrincipalId asker, Timestamp wanted) implements Comparable<QueuedRepair> {
        private static final Comparator<QueuedRepair> ORDER =
                Comparator.comparing(QueuedRepair::asker).thenComparing(QueuedRepair::wanted);

        static QueuedRepair of(PrincipalId asker, @Nullable Timestamp wanted) {
            return new QueuedRepair(asker, wanted == null ? Timestamp.NONE : wanted);
        }

        boolean isFromNode() {
            return asker.kind() == PrincipalKind.NODE;
        }

        @Override
        public int compareTo(QueuedRepair other) {
            return ORDER.compare(this, other);
        }
    }

    private record WaitingRequest(PrincipalId asker, boolean early, LongConsumer then) {}

    private final PrincipalId self;
    private final int max;
    private final List<WaitingRequest> now = new ArrayList<>();
    private final Map<QueuedRepair, List<WaitingRequest>> next = new LinkedHashMap<>();
    /** Operations look at it, which run on other threads. */
    private volatile boolean anyNext;

    private final List<LongConsumer> untilOver = new ArrayList<>();
    /** Number of waiting requests of each asker, in both. */
    private final Map<PrincipalId, Integer> counts = new HashMap<>();

    private int count;
    private boolean lastOfNode;

    /** @param max of what may wait */
    RepairQueue(PrincipalId self, int max) {
        this.self = self;
        this.max = max;
    }

    boolean hasRoom(PrincipalId asker) {
        return count < max && (asker.equals(self) || counts.getOrDefault(asker, 0) < PER_ASKER_MAX);
    }

    /** Waits for the repair that runs, or begins now. */
    void join(PrincipalId asker, boolean early, LongConsumer then) {
        add(now, new WaitingRequest(asker, early, then));
    }

    /** Returns whether the asker waits for such a repair already. */
    boolean waits(PrincipalId asker, @Nullable Timestamp wanted) {
        return next.containsKey(QueuedRepair.of(asker, wanted));
    }

    /** Waits for a repair of its own; false if the asker waits for enough others. */
    boolean queue(PrincipalId asker, @Nullable Timestamp wanted, boolean early, LongConsumer then) {
        QueuedRepair wish = QueuedRepair.of(asker, wanted);
        long others = next.keySet().stream()
                .filter(other -> other.asker().equals(asker) && !other.equals(wish))
                .count();
        if (!asker.equals(self) && others >= NEXT_PER_ASKER_MAX) {
            return false;
        }
        add(next.computeIfAbsent(wish, ignored -> new ArrayList<>()), new WaitingRequest(asker, early, then));
        anyNext = true;
        return true;
    }

    boolean hasNextRepair() {
        return anyNext;
    }

    /** Runs a task when the current repair is over, whatever else waits. */
    void runWhenOver(LongConsumer then) {
        untilOver.add(then);
    }

    /** Adds all that want this version to the current repair, which is about it; they need none of their own. */
    void joinAll(Timestamp version) {
        Iterator<Map.Entry<QueuedRepair, List<WaitingRequest>>> all =
                next.entrySet().iterator();
        while (all.hasNext()) {
            Map.Entry<QueuedRepair, List<WaitingRequest>> each = all.next();
            if (each.getKey().wanted().equals(version)) {
                now.addAll(each.getValue());
                all.remove();
            }
        }
        anyNext = !next.isEmpty();
    }

    /**
     * Begins a repair for the first asker in turn and for all that want the same version; no asker may be waiting for
     * the repair before. Nodes and clients alternate: there may be many clients, and others may wait for a version that
     * a peer wants.
     */
    @Nullable
    Timestamp beginNext() {
        QueuedRepair first = next.keySet().stream()
                .filter(wish -> wish.isFromNode() != lastOfNode)
                .findFirst()
                .orElseGet(() -> next.keySet().iterator().next());
        lastOfNode = first.isFromNode();
        Timestamp wanted = first.wanted();
        joinAll(wanted);
        return wanted.isNone() ? null : wanted;
    }

    /** The version is proven and staged: those for whom that is enough wait no more. */
    void proven(long nowMillis) {
        release(nowMillis, now.stream().filter(WaitingRequest::early).toList());
    }

    /** Releases all askers of the repair that ran; their further wishes wait in turn. */
    void over(long nowMillis) {
        List<LongConsumer> watching = List.copyOf(untilOver);
        untilOver.clear();
        release(nowMillis, List.copyOf(now));
        watching.forEach(then -> then.accept(nowMillis));
    }

    private void add(List<WaitingRequest> to, WaitingRequest waiting) {
        to.add(waiting);
        counts.merge(waiting.asker(), 1, Integer::sum);
        count++;
    }

    private void release(long nowMillis, List<WaitingRequest> released) {
        now.removeAll(released);
        count -= released.size();
        released.forEach(each -> counts.computeIfPresent(each.asker(), (ignored, left) -> left == 1 ? null : left - 1));
        released.forEach(each -> each.then().accept(nowMillis));
    }
}
