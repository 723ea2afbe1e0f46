package io.bulwark.console.job;

import io.bulwark.console.live.EventSource;
import java.time.Duration;
import java.util.Optional;

/** Events of one job: its state now, then each change, until it has ended. */
final class JobEvents implements EventSource {
    private final Job job;
    private long known;
    private boolean over;

    JobEvents(Job job) {
        this.job = job;
    }

    @Override
    public Optional<Event> next(Duration wait) throws InterruptedException {
        long now = job.awaitChange(known, wait);
        if (now == known) {
            return Optional.empty();
        }
        known = now;
        Job.View view = job.view();
        over = view.state() != Job.State.RUNNING;
        return Optional.of(new Event("job", now, view));
    }

    @Override
    public boolean isOver() {
        return over;
    }
}
