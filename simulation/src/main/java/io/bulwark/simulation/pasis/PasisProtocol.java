package io.bulwark.simulation.pasis;

import io.bulwark.simulation.campaign.Setting;
import io.bulwark.simulation.campaign.SimulatedProtocol;

/** The PASIS register as campaigns run it. */
public final class PasisProtocol implements SimulatedProtocol {
    private final PasisParts parts;
    private final boolean replacing;

    public PasisProtocol() {
        this(PasisParts.PRODUCTION);
    }

    public PasisProtocol(PasisParts parts) {
        this(parts, false);
    }

    private PasisProtocol(PasisParts parts, boolean replacing) {
        this.parts = parts;
        this.replacing = replacing;
    }

    /** Nodes are replaced again and again. */
    public static PasisProtocol replacing(PasisParts parts) {
        return new PasisProtocol(parts, true);
    }

    @Override
    public String name() {
        return replacing ? "pasis-replacing" : "pasis";
    }

    @Override
    public PasisWorld build(Setting setting) {
        return new PasisWorld(setting, parts, replacing);
    }
}
