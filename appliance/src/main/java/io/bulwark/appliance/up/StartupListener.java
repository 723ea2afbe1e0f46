package io.bulwark.appliance.up;

/** Receives the progress of the start of an appliance. */
@FunctionalInterface
public interface StartupListener {
    /** Receives an event, as one line. */
    void tell(String line);

    /**
     * The start waits: for whom and why, in one line. Said several times in a second.
     *
     * @param line as {@code waiting for node-3 (process 4711 does not listen yet)}
     */
    default void awaits(String line) {}
}
