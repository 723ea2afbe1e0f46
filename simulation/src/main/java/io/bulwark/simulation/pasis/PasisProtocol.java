package io.bulwark.simulation.pasis;

import io.bulwark.simulation.campaign.Setting;
import io.bulwark.simulation.campaign.SimulatedProtocol;

/** The PASIS register as campaigns run it. */
public final class PasisProtocol implements SimulatedProtocol {
    private final PasisParts parts;

    public PasisProtocol() {
        this(PasisParts.PRODUCTION);
    }

    public PasisProtocol(PasisParts parts) {
        this.parts = parts;
    }

    @Override
    public String name() {
        return "pasis";
    }

    @Override
    public PasisWorld build(Setting setting) {
        return new PasisWorld(setting, parts);
    }
}
