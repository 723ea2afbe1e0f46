package io.bulwark.simulation.metadata;

import io.bulwark.protocol.metadata.Genesis;
import io.bulwark.protocol.metadata.MetadataStateMachine;
import java.util.function.Consumer;

/** State after all that was ordered, whichever replicas are up. Invariants and the choices of a nemesis rest on it. */
public final class OrderedState {
    private final CommandOrder order;
    private final MetadataStateMachine machine;
    private final Consumer<MetadataStateMachine> listener;
    private int executed;

    /**
     * @param faults the number of replicas that may be faulty
     * @param listener receives the state after each entry
     */
    public OrderedState(CommandOrder order, Genesis genesis, int faults, Consumer<MetadataStateMachine> listener) {
        this.order = order;
        this.listener = listener;
        machine = new MetadataStateMachine(genesis).withFaulty(faults);
    }

    /** Returns the state. It changes with the next call. */
    public MetadataStateMachine now() {
        for (; executed < order.size(); executed++) {
            CommandOrder.Entry entry = order.at(executed);
            if (!entry.query()) {
                machine.execute(entry.submitter(), entry.body(), entry.agreedMillis());
                listener.accept(machine);
            }
            CommandOrder.reconfigure(machine, executed);
        }
        return machine;
    }
}
