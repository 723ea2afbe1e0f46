package io.bulwark.client.locking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bulwark.client.object.SessionPool;
import io.bulwark.protocol.locking.Subtree;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** The session is never opened here: a LOCK that is sent waits until the test refuses it. */
@NullMarked
class VolumeLocksTest {
    private static final Subtree DIRECTORY = new Subtree("bucket", "dir/");
    private static final List<Subtree> NAME = List.of(new Subtree("bucket", "dir/name"));
    private static final List<Subtree> LATER = List.of(new Subtree("bucket", "dir/later"));
    private static final List<Subtree> ELSEWHERE = List.of(new Subtree("bucket", "other"));

    private final AtomicInteger opened = new AtomicInteger();
    private final CompletableFuture<SessionPool.Lease> session = new CompletableFuture<>();
    private final VolumeLocks locks = new VolumeLocks(() -> {
        opened.incrementAndGet();
        return session;
    });

    private void refuse() {
        session.completeExceptionally(new IllegalStateException("refused"));
    }

    @Test
    void requestsWaitForTheAnswerToALock() {
        locks.want(DIRECTORY);
        assertThat(opened).hasValue(1);
        CompletableFuture<Optional<SessionPool.Lease>> lease = locks.leaseOf(NAME);
        CompletableFuture<Boolean> request = locks.inOrder(NAME, () -> CompletableFuture.completedFuture(true));
        assertThat(lease).isNotDone();
        assertThat(request).isNotDone();
        assertThat(locks.inOrder(ELSEWHERE, () -> CompletableFuture.completedFuture(true)))
                .isCompletedWithValue(true);
        refuse();
        assertThat(lease).isCompletedWithValue(Optional.empty());
        assertThat(request).isCompletedWithValue(true);
    }

    @Test
    void whoWaitsNoMoreLeavesTheOthersWaiting() {
        locks.want(DIRECTORY);
        locks.leaseOf(NAME).cancel(false);
        CompletableFuture<Boolean> request = locks.inOrder(NAME, () -> CompletableFuture.completedFuture(true));
        assertThat(request).isNotDone();
        refuse();
        assertThat(request).isCompletedWithValue(true);
    }

    @Test
    void lockWaitsForRequestsAndForExtents() {
        CompletableFuture<Boolean> ordered = new CompletableFuture<>();
        assertThat(locks.leaseOf(NAME)).isCompletedWithValue(Optional.empty());
        locks.want(DIRECTORY);
        assertThat(opened).as("extents are being stored").hasValue(0);
        CompletableFuture<Boolean> later = locks.inOrder(LATER, () -> CompletableFuture.completedFuture(true));
        CompletableFuture<Boolean> put = locks.inOrder(NAME, () -> ordered);
        assertThat(opened).as("the put is being ordered").hasValue(0);
        ordered.complete(true);
        assertThat(put).isCompletedWithValue(true);
        assertThat(opened).hasValue(1);
        assertThat(later).isNotDone();
        refuse();
        assertThat(later).isCompletedWithValue(true);
    }

    @Test
    void lockDoesNotWaitForAPutThatNeverEnds() {
        assertThat(locks.leaseOf(NAME)).isCompletedWithValue(Optional.empty());
        locks.want(DIRECTORY);
        await().atMost(Duration.ofSeconds(30)).until(() -> opened.get() == 1);
    }
}
