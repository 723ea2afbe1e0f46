package io.bulwark.client.locking;

import io.bulwark.client.object.SessionPool;
import io.bulwark.protocol.locking.Subtree;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Locks of a client in one volume: those that are held, and those that are wanted. Thread-safe. */
final class VolumeLocks {
    /** Locks that were refused, or given up to others, are not asked for again before. */
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final Supplier<CompletableFuture<SessionPool.Lease>> opening;
    private final LockPolicy policy = new LockPolicy();
    private final List<Subtree> hints = new ArrayList<>();
    private @Nullable CompletableFuture<SessionPool.Lease> lease;
    private List<Subtree> wanted = List.of();
    private boolean asking;
    private long pauseUntilNanos = System.nanoTime();

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
                && (lease.isCompletedExceptionally() || ((LockHolding) lease.join().session()).isGone());
    }

    /** Wants a lock that a user of the client has hinted at. */
    synchronized void want(Subtree subtree) {
        if (!hints.contains(subtree)) {
            hints.add(subtree);
        }
        wanted = policy.with(wanted, subtree);
        ask();
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
        if (asking || System.nanoTime() - pauseUntilNanos < 0) {
            return;
        }
        asking = true;
        CompletableFuture<SessionPool.Lease> opened = lease;
        if (opened == null) {
            opened = opening.get();
            lease = opened;
        }
        List<Subtree> asked = wanted;
        var unused = opened.thenCompose(session -> ((LockHolding) session.session()).lock(asked))
                .whenComplete((held, failure) -> onAsked(asked, failure == null && held));
    }

    private synchronized void onAsked(List<Subtree> asked, boolean held) {
        asking = false;
        if (!held) {
            pauseUntilNanos = System.nanoTime() + PAUSE_NANOS;
            asked.forEach(policy::onContended);
            wanted = List.of();
            for (Subtree hint : hints) {
                wanted = policy.with(wanted, hint);
            }
        }
    }
}
