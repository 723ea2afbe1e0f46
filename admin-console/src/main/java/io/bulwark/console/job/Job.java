package io.bulwark.console.job;

import io.bulwark.client.text.Quantity;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Long work that a person started. Safe for use by many threads. */
public final class Job {
    private static final int LINES_MAX = 200;

    private final long id;
    private final String kind;
    private final String title;
    private final String startedBy;
    private final Clock clock;
    private final Instant started;
    private final AtomicBoolean cancelled = new AtomicBoolean();
    private final List<String> lines = new ArrayList<>();
    private State state = State.RUNNING;
    private long done;
    private long total;
    private Unit unit = Unit.STEPS;
    private @Nullable Instant ended;
    private long changes = 1;

    /** State of a job. It begins as {@code RUNNING} and ends in one of the others. */
    public enum State {
        RUNNING,
        SUCCEEDED,
        FAILED,
        CANCELLED
    }

    /** Unit of the progress. */
    public enum Unit {
        STEPS,
        BYTES
    }

    /**
     * A job as the API shows it.
     *
     * @param kind what it does, such as {@code drain-node}
     * @param done completed parts, in the unit; of {@code total}, which is 0 while unknown
     * @param lines what it reported, the last at the end
     */
    public record View(
            long id,
            String kind,
            String title,
            String startedBy,
            State state,
            Instant started,
            @Nullable Instant ended,
            long done,
            long total,
            Unit unit,
            List<String> lines) {
        /** Returns the progress for people. */
        public String progress() {
            return switch (unit) {
                case BYTES -> Quantity.bytes(done) + " of " + Quantity.bytes(total);
                case STEPS -> String.format(Locale.ROOT, "%,d of %,d steps", done, total);
            };
        }
    }

    Job(long id, String kind, String title, String startedBy, Clock clock) {
        this.id = id;
        this.kind = kind;
        this.title = title;
        this.startedBy = startedBy;
        this.clock = clock;
        started = clock.instant();
    }

    public long id() {
        return id;
    }

    /** Reports how far the work is, in steps. */
    public void progress(long done, long total) {
        progress(done, total, Unit.STEPS);
    }

    /** Reports how far the work is. */
    public synchronized void progress(long done, long total, Unit unit) {
        this.unit = unit;
        this.done = done;
        this.total = total;
        changes++;
        notifyAll();
    }

    /** Reports a step in words. Only the last {@value #LINES_MAX} are kept. */
    public synchronized void report(String line) {
        if (lines.size() == LINES_MAX) {
            lines.removeFirst();
        }
        lines.add(line);
        changes++;
        notifyAll();
    }

    /** Returns whether a person asked for the end. The work looks at it between two steps. */
    public boolean isCancelled() {
        return cancelled.get();
    }

    public synchronized View view() {
        return new View(id, kind, title, startedBy, state, started, ended, done, total, unit, List.copyOf(lines));
    }

    synchronized boolean isRunning() {
        return state == State.RUNNING;
    }

    void cancel() {
        cancelled.set(true);
    }

    synchronized void end(State end, String line) {
        if (!line.isEmpty()) {
            report(line);
        }
        state = end;
        ended = clock.instant();
        changes++;
        notifyAll();
    }

    /** Waits until there are other changes than those known, at most this long; returns the number of all changes. */
    synchronized long awaitChange(long known, Duration wait) throws InterruptedException {
        long deadline = System.nanoTime() + wait.toNanos();
        while (changes == known) {
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (left <= 0) {
                break;
            }
            wait(left);
        }
        return changes;
    }
}
