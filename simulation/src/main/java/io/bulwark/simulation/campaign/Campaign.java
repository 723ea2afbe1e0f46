package io.bulwark.simulation.campaign;

import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One seed after another until somebody has enough, or to the first violation. Several threads may share one campaign. */
public final class Campaign {
    /**
     * Progress of a campaign.
     *
     * @param run the last run that ended; after violations, the violating run with the least seed
     * @param runs the number of finished runs
     * @param operations of correct clients, in all of them
     * @param events of the simulations, in all of them
     * @param undecided keys of histories that were given up, in all of them
     * @param violation the violation that the run found
     */
    public record Progress(
            Run run, long runs, long operations, long events, long undecided, Optional<InvariantViolation> violation) {}

    private final SimulatedProtocol protocol;
    private final Shape shape;
    private final long firstSeed;
    private long seedsTaken;
    private @Nullable Run last;
    private Optional<InvariantViolation> violation = Optional.empty();
    private long runs;
    private long operations;
    private long events;
    private long undecided;

    public Campaign(SimulatedProtocol protocol, Shape shape, long firstSeed) {
        this.protocol = protocol;
        this.shape = shape;
        this.firstSeed = firstSeed;
    }

    /**
     * Runs seeds until {@code enough} holds, but at least one, or until a run ends with a violation. Each calling
     * thread takes its share of the seeds, in their order. Every run that was begun is completed. The violation shown
     * is that of the least seed that has one, for any number of threads.
     *
     * @param enough asked before each run except the very first, by one thread at a time
     * @param told receives the progress after each run, from one thread at a time
     */
    public void go(BooleanSupplier enough, Consumer<Progress> told) {
        for (Setting next = next(enough); next != null; next = next(enough)) {
            Run run = new Run(protocol, next);
            Optional<InvariantViolation> found = run.go();
            synchronized (this) {
                count(run, found);
                told.accept(progress());
            }
        }
    }

    private synchronized @Nullable Setting next(BooleanSupplier enough) {
        if (violation.isPresent() || (seedsTaken > 0 && enough.getAsBoolean())) {
            return null;
        }
        return shape.setting(firstSeed + seedsTaken++);
    }

    private void count(Run run, Optional<InvariantViolation> found) {
        runs++;
        operations += run.world().completed();
        events += run.world().simulation().trace().events();
        undecided += run.undecided();
        boolean sooner = last == null || run.setting().seed() < last.setting().seed();
        if (violation.isEmpty() || (found.isPresent() && sooner)) {
            last = run;
            violation = found;
        }
    }

    /**
     * Returns the progress of the campaign; its final result once all threads have ended.
     *
     * @throws IllegalStateException if no run is over
     */
    public Progress progress() {
        return standing().orElseThrow(() -> new IllegalStateException("no run is over"));
    }

    /** Returns the progress of the campaign, if a run is over. */
    public synchronized Optional<Progress> standing() {
        return Optional.ofNullable(last).map(run -> new Progress(run, runs, operations, events, undecided, violation));
    }
}
