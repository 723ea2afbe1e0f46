package io.bulwark.simulation.campaign;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.simulation.engine.Simulation;
import io.bulwark.simulation.history.History;
import java.util.List;
import java.util.Set;

/**
 * One cluster in one simulation, with its correct clients, its attackers and its invariants. A violated invariant is thrown
 * as {@link InvariantViolation}, from any of these methods or from within the simulation, as soon as it is seen.
 */
public interface SimulatedWorld {
    Simulation simulation();

    /** The nodes of the simulation: what the nemesis pauses, crashes and cuts off. */
    List<PrincipalId> nodes();

    /** Returns the nodes that may lie and lose data: at most f of each group. */
    Set<PrincipalId> faulty();

    /** Begins something: an operation of a correct client, or a move of a faulty one. Chosen by the setting's seed. */
    void step();

    /** Every node is up, awake and connected again: what replicas tell nodes, they tell now once more. */
    default void healed() {}

    /** Returns whether all started operations of correct clients are over. */
    boolean isIdle();

    /** All that must hold at any moment; called after each step. */
    void check();

    /** Begins to read, by correct clients, everything that may have been written. The faulty nodes are gone by now. */
    void readEverything();

    /** All that must hold once everything was read, beside the history. */
    void checkAtEnd();

    /**
     * Returns the operations of correct clients, and those that correct nodes allowed faulty ones. The history must be
     * linearizable. Empty if write-once.
     */
    default History history() {
        return new History(List.of());
    }

    /** Returns the number of finished operations of correct clients. */
    long completed();
}
