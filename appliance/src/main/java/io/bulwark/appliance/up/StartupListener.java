package io.bulwark.appliance.up;

/** Is told how the start of an appliance goes. */
@FunctionalInterface
public interface StartupListener {
    /** Something has happened, in one line. */
    void tell(String line);

    /**
     * The start waits: for whom and why, in one line. Said several times in a second.
     *
     * @param line as {@code waiting for node-3 (process 4711 does not listen yet)}
     */
    default void awaits(String line) {}
}
