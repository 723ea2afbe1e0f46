package io.bulwark.simulation.exhaustive;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Result of the exploration of a world.
 *
 * @param states different ones
 * @param steps that lead from one to another
 * @param schedules orders of steps from the start to where nothing is left to do, or to the bound: those that do not
 *     run into a state of a smaller depth
 * @param depth the most steps in an order
 * @param complete whether nothing was left to do everywhere, so that a larger bound finds nothing more
 * @param localStates states of single parties
 * @param localSteps steps run on the real classes
 * @param histories different ones that were judged
 */
public record Exploration(
        String world,
        long states,
        long steps,
        double schedules,
        int depth,
        boolean complete,
        long localStates,
        long localSteps,
        long histories,
        Optional<Counterexample> counterexample) {
    /**
     * An order after which something is wrong; no shorter one was found.
     *
     * @param steps one line for each
     */
    public record Counterexample(String wrong, List<String> steps) {
        public Counterexample {
            steps = List.copyOf(steps);
        }

        @Override
        public String toString() {
            return wrong + "\n  " + String.join("\n  ", steps);
        }
    }

    /** One line. */
    public String summary() {
        return String.format(
                Locale.ROOT,
                "%s: %,d states, %,d steps, %.3g orders of at most %d steps, %s; %,d states of parties, %,d steps"
                        + " run, %,d histories%s",
                world,
                states,
                steps,
                schedules,
                depth,
                complete ? "complete" : "bounded",
                localStates,
                localSteps,
                histories,
                counterexample.isPresent() ? "; VIOLATION" : "");
    }
}
