package io.bulwark.simulation.campaign;

import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** One seed after another until somebody has enough, or to the first violation. */
public final class Campaign {
    /**
     * Where a campaign stands.
     *
     * @param run the last one, over by now
     * @param runs how many are over
     * @param operations of correct clients, in all of them
     * @param events of the simulations, in all of them
     * @param undecided keys of histories that were given up, in all of them
     * @param violation what the last run came to
     */
    public record Progress(
            Run run, long runs, long operations, long events, long undecided, Optional<InvariantViolation> violation) {}

    private final SimulatedProtocol protocol;
    private final Shape shape;
    private final long firstSeed;

    public Campaign(SimulatedProtocol protocol, Shape shape, long firstSeed) {
        this.protocol = protocol;
        this.shape = shape;
        this.firstSeed = firstSeed;
    }

    /**
     * Runs at least one seed.
     *
     * @param enough asked after each run
     * @param told of each run
     * @return how it ended
     */
    public Progress go(BooleanSupplier enough, Consumer<Progress> told) {
        Progress progress = null;
        do {
            long runs = progress == null ? 0 : progress.runs();
            Run run = new Run(protocol, shape.setting(firstSeed + runs));
            Optional<InvariantViolation> violation = run.go();
            progress = new Progress(
                    run,
                    runs + 1,
                    (progress == null ? 0 : progress.operations()) + run.world().completed(),
                    (progress == null ? 0 : progress.events())
                            + run.world().simulation().trace().events(),
                    (progress == null ? 0 : progress.undecided()) + run.undecided(),
                    violation);
            told.accept(progress);
        } while (progress.violation().isEmpty() && !enough.getAsBoolean());
        return progress;
    }
}
