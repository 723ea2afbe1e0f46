package io.bulwark.simulation.fp;

import io.bulwark.simulation.campaign.Setting;
import io.bulwark.simulation.campaign.SimulatedProtocol;

/** The FP register as campaigns run it. */
public final class FpProtocol implements SimulatedProtocol {
    private final FpParts parts;

    public FpProtocol() {
        this(FpParts.PRODUCTION);
    }

    public FpProtocol(FpParts parts) {
        this.parts = parts;
    }

    @Override
    public String name() {
        return "fp";
    }

    @Override
    public FpWorld build(Setting setting) {
        return new FpWorld(setting, parts);
    }
}
