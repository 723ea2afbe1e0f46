package io.bulwark.simulation.engine;

/** An operation that begins again in another attempt. An answer reaches only the attempt that asked for it, as under a driver with a request id for each. */
public interface AttemptedOperation {
    /** The number of the attempt that runs, from 0. */
    int attempt();
}
