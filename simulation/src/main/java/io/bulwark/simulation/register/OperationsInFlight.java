package io.bulwark.simulation.register;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.simulation.engine.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Operations of correct clients in flight on registers, and handlers of their outcomes.
 *
 * @param <G> the groups of the protocol
 */
public final class OperationsInFlight<G> {
    private final Simulation simulation;
    private final List<BegunOperation<G, ?>> all = new ArrayList<>();
    private long completed;

    public OperationsInFlight(Simulation simulation) {
        this.simulation = simulation;
    }

    /** Judges an operation once it has an outcome. */
    public interface Judge<R> {
        /**
         * It has one.
         *
         * @param outdated whether its session was closed or its epoch over meanwhile
         */
        void outcome(R outcome, boolean outdated);
    }

    /** Client of an operation, and its group. */
    public record OwnedWork<G>(PrincipalId client, G group) {}

    private static final class BegunOperation<G, R> {
        private final OwnedWork<G> work;
        private final ClientOperation<R> operation;
        private final Judge<R> judge;
        private boolean outdated;

        BegunOperation(OwnedWork<G> work, ClientOperation<R> operation, Judge<R> judge) {
            this.work = work;
            this.operation = operation;
            this.judge = judge;
        }

        /** Must be called until it is true. */
        boolean over() {
            R outcome = operation.outcome().orElse(null);
            if (outcome != null) {
                judge.outcome(outcome, outdated);
            }
            return outcome != null;
        }
    }

    public <R> void begin(PrincipalId client, G group, ClientOperation<R> operation, Judge<R> judge) {
        all.add(new BegunOperation<>(new OwnedWork<>(client, group), operation, judge));
        simulation.start(client, operation);
    }

    /**
     * Sessions are closed, or epochs over: what was begun before may fail, or never end.
     *
     * @param which what this is so of
     * @return what there is of that
     */
    public List<OwnedWork<G>> outdate(Predicate<OwnedWork<G>> which) {
        List<BegunOperation<G, ?>> found =
                all.stream().filter(begun -> which.test(begun.work)).toList();
        found.forEach(begun -> begun.outdated = true);
        return found.stream().map(begun -> begun.work).toList();
    }

    public boolean hasOutdated() {
        return all.stream().anyMatch(begun -> begun.outdated);
    }

    /** Judges the operations that have ended; returns whether no operation is left that must end. */
    public boolean isIdle() {
        int before = all.size();
        all.removeIf(BegunOperation::over);
        completed += before - all.size();
        return all.stream().allMatch(begun -> begun.outdated);
    }

    /** Returns how many operations had finished at the last query. */
    public long completed() {
        return completed;
    }
}
