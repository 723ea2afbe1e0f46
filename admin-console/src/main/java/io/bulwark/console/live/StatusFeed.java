package io.bulwark.console.live;

import io.bulwark.console.live.EventSource.Event;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** The number of the last change of the cluster's status, for streams that wait for the next one. Thread-safe. */
@Component
class StatusFeed {
    private long number;
    private StatusEvent last = new StatusEvent(Instant.EPOCH, false, "the cluster was not asked yet");

    /**
     * The status changed; {@code GET /api/v1/status} has it.
     *
     * @param reachable whether the cluster answered
     * @param problem why it did not; null if it did
     */
    record StatusEvent(
            Instant at, boolean reachable, @Nullable String problem) {}

    synchronized void publish(StatusEvent event) {
        number++;
        last = event;
        notifyAll();
    }

    /** Returns a source whose first event is the last change, so that a page that connects again misses nothing. */
    EventSource source() {
        return new Following();
    }

    private synchronized Optional<Event> after(long known, Duration wait) throws InterruptedException {
        long deadline = System.nanoTime() + wait.toNanos();
        while (number == known) {
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (left <= 0) {
                return Optional.empty();
            }
            wait(left);
        }
        return Optional.of(new Event("status", number, last));
    }

    private final class Following implements EventSource {
        private long known;

        @Override
        public Optional<Event> next(Duration wait) throws InterruptedException {
            Optional<Event> next = after(known, wait);
            next.ifPresent(event -> known = event.id());
            return next;
        }

        @Override
        public boolean isOver() {
            return false;
        }
    }
}
