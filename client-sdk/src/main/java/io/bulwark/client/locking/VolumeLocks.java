package io.bulwark.client.locking;

import io.bulwark.client.object.SessionPool;
import io.bulwark.protocol.locking.Subtree;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Locks of a client in one volume: those that are held, and those that are wanted. A LOCK waits for the client's own
 * requests in the order of all that are about its names, and later ones wait for it: the replicas would take them for
 * those of somebody else. Thread-safe.
 */
final class VolumeLocks {
    /** Locks that were refused, or given up to others, are not asked for again before. */
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** The pause of one subtree among others doubles up to this one: asking for it closes the log. */
    private static final long PAUSE_NANOS_MAX = TimeUnit.SECONDS.toNanos(64);

    private static final int PAUSES_MAX = 1_024;

    /** A LOCK waits so long for the extents of a put. A put that takes longer, and comes then, ends the lock. */
    private static final long PUT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final Supplier<CompletableFuture<SessionPool.Lease>> opening;
    private final LockPolicy policy = new LockPolicy();
    private final List<Subtree> hints = new ArrayList<>();
    private final List<List<Subtree>> inFlight = new ArrayList<>();
    /** Names of puts without a lock whose extents are being stored, and until when a LOCK waits for them. */
    private final Map<List<Subtree>, Long> puts = new HashMap<>();

    private @Nullable CompletableFuture<SessionPool.Lease> lease;
    private List<Subtree> wanted = List.of();
    /** Subtrees that a LOCK is to name; none if there is no such LOCK. */
    private List<Subtree> asked = List.of();

    private CompletableFuture<Boolean> answer = CompletableFuture.completedFuture(false);
    private boolean sent;
    private long pauseUntilNanos = System.nanoTime();
    private final Map<Subtree, Pause> pauses = new HashMap<>();

    /** Time in which a subtree that others need is not asked for. */
    private record Pause(long nanos, long untilNanos) {}

    /** @param opening opens a session with a {@link LockHolding} when the first lock is wanted */
    VolumeLocks(Supplier<CompletableFuture<SessionPool.Lease>> opening) {
        this.opening = opening;
    }

    /** Returns the session, once it is open. */
    synchronized Optional<SessionPool.Lease> lease() {
        return Optional.ofNullable(lease)
                .filter(opened -> opened.isDone() && !opened.isCompletedExceptionally())
                .map(CompletableFuture::join);
    }

    Optional<LockHolding> holding() {
        return lease().map(opened -> (LockHolding) opened.session());
    }

    /** Returns the subtrees whose log takes entries. */
    List<Subtree> held() {
        return holding().map(LockHolding::held).orElse(List.of());
    }

    /** Returns whether the session could not be opened, or is closed. */
    synchronized boolean isGone() {
        return lease != null
                && lease.isDone()
                && (lease.isCompletedExceptionally()
                        || ((LockHolding) lease.join().session()).isGone());
    }

    /** Completes once no LOCK of this client is about to be answered that names one of these. */
    synchronized CompletableFuture<Boolean> whenAnswered(List<Subtree> names) {
        return LockableNames.overlap(names, asked) ? answer : CompletableFuture.completedFuture(true);
    }

    /**
     * Runs a request in the order of all, without a lock of this client in its way.
     *
     * @param names that it is about
     */
    <T> CompletableFuture<T> inOrder(List<Subtree> names, Supplier<CompletableFuture<T>> request) {
        CompletableFuture<Boolean> obstacle = begin(names);
        return obstacle == null
                ? request.get().whenComplete((ignored1, ignored2) -> end(names))
                : obstacle.handle((ignored1, ignored2) -> true).thenCompose(ignored -> inOrder(names, request));
    }

    /** Returns what to wait for before the request begins; null if it has begun. */
    private synchronized @Nullable CompletableFuture<Boolean> begin(List<Subtree> names) {
        // A LOCK that is not sent yet waits for the puts whose extents were being stored.
        if (LockableNames.overlap(names, asked) && (sent || !puts.containsKey(names))) {
            return answer;
        }
        Optional<CompletableFuture<Boolean>> freeing = holding().flatMap(holding -> holding.freeing(names));
        if (freeing.isEmpty()) {
            puts.remove(names);
            inFlight.add(names);
        }
        return freeing.orElse(null);
    }

    /**
     * Finds the session with the log that takes a put, once no LOCK is about to be answered that names it. Without such a
     * log, its extents are stored now, and it is ordered then.
     */
    CompletableFuture<Optional<SessionPool.Lease>> leaseOf(List<Subtree> name) {
        return whenAnswered(name).thenApply(ignored -> {
            synchronized (this) {
                if (LockableNames.areWithin(name, held())) {
                    return lease();
                }
                puts.put(name, System.nanoTime() + PUT_NANOS);
                return Optional.empty();
            }
        });
    }

    private synchronized void end(List<Subtree> names) {
        inFlight.remove(names);
        send();
    }

    /** Wants a lock that a user of the client has hinted at. */
    synchronized void want(Subtree subtree) {
        if (!hints.contains(subtree)) {
            hints.add(subtree);
        }
        wanted = policy.with(wanted, subtree);
        ask();
    }

    /** Forgets a hint, and gives all locks up: those that are wanted are asked for again. */
    synchronized void forget(Subtree subtree) {
        hints.remove(subtree);
        wantHinted();
        holding().ifPresent(held -> {
            var unused = held.unlock();
        });
    }

    private void wantHinted() {
        wanted = List.of();
        for (Subtree hint : hints) {
            wanted = policy.with(wanted, hint);
        }
    }

    /** Counts an access, and asks for the locks that are worth it. */
    synchronized void onAccess(String bucket, String key) {
        Optional<Subtree> worth = policy.onAccess(bucket, key);
        worth.ifPresent(subtree -> wanted = policy.with(wanted, subtree));
        List<Subtree> name = List.of(new Subtree(bucket, key));
        if (LockableNames.areWithin(name, wanted) && !LockableNames.areWithin(name, held())) {
            ask();
        }
    }

    private void ask() {
        long now = System.nanoTime();
        List<Subtree> free =
                wanted.stream().filter(subtree -> !isPaused(subtree, now)).toList();
        if (asked.isEmpty() && !free.isEmpty() && !free.equals(held()) && now - pauseUntilNanos >= 0) {
            asked = free;
            answer = new CompletableFuture<>();
            sent = false;
            send();
            if (!sent) {
                CompletableFuture.delayedExecutor(PUT_NANOS, TimeUnit.NANOSECONDS)
                        .execute(this::send);
            }
        }
    }

    private boolean isPaused(Subtree subtree, long nowNanos) {
        return pauses.entrySet().stream()
                .anyMatch(pause -> subtree.overlaps(pause.getKey()) && nowNanos - pause.getValue().untilNanos < 0);
    }

    /** Sends the LOCK once none of the client's own requests is in its way. */
    private synchronized void send() {
        long now = System.nanoTime();
        puts.values().removeIf(endNanos -> now - endNanos >= 0);
        if (asked.isEmpty()
                || sent
                || Stream.concat(inFlight.stream(), puts.keySet().stream())
                        .anyMatch(names -> LockableNames.overlap(names, asked))) {
            return;
        }
        sent = true;
        CompletableFuture<SessionPool.Lease> opened = lease;
        if (opened == null) {
            opened = opening.get();
            lease = opened;
        }
        List<Subtree> named = asked;
        var unused = opened.thenCompose(session -> ((LockHolding) session.session()).lock(named))
                .whenComplete((held, failure) -> onAnswer(named, failure == null && held));
    }

    private void onAnswer(List<Subtree> named, boolean held) {
        CompletableFuture<Boolean> answered;
        boolean isPart = false;
        synchronized (this) {
            answered = answer;
            asked = List.of();
            if (!held) {
                Optional<Subtree> part = holding().flatMap(LockHolding::refused);
                if (part.isPresent() && named.size() > 1) {
                    giveUp(part.get());
                } else {
                    pauseUntilNanos = System.nanoTime() + PAUSE_NANOS;
                    named.forEach(policy::onContended);
                    wantHinted();
                }
                isPart = part.isPresent() && named.size() > 1;
            }
        }
        answered.complete(held);
        if (isPart) {
            askAgain();
        }
    }

    /** Others need this subtree; the rest is worth a lock still. */
    private void giveUp(Subtree part) {
        policy.onContended(part);
        wanted = wanted.stream()
                .filter(subtree -> !subtree.overlaps(part) || hints.contains(subtree))
                .toList();
        if (pauses.size() >= PAUSES_MAX) {
            pauses.clear();
        }
        Pause before = pauses.get(part);
        long nanos = before == null ? PAUSE_NANOS : Math.min(2 * before.nanos, PAUSE_NANOS_MAX);
        pauses.put(part, new Pause(nanos, System.nanoTime() + nanos));
    }

    private synchronized void askAgain() {
        ask();
    }
}
