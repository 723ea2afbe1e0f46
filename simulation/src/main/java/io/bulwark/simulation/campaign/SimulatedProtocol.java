package io.bulwark.simulation.campaign;

/** A protocol that campaigns can run. All that is particular to it stands behind this port. */
public interface SimulatedProtocol {
    /** Returns its name in {@code --protocol}. */
    String name();

    /** A new cluster; equal settings give worlds that behave equally. */
    SimulatedWorld build(Setting setting);
}
