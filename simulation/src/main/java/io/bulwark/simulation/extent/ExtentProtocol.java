package io.bulwark.simulation.extent;

import io.bulwark.simulation.campaign.Setting;
import io.bulwark.simulation.campaign.SimulatedProtocol;

/** Extents as campaigns run them. */
public final class ExtentProtocol implements SimulatedProtocol {
    private final ExtentParts parts;

    public ExtentProtocol() {
        this(ExtentParts.PRODUCTION);
    }

    public ExtentProtocol(ExtentParts parts) {
        this.parts = parts;
    }

    @Override
    public String name() {
        return "extent";
    }

    @Override
    public ExtentWorld build(Setting setting) {
        return new ExtentWorld(setting, parts);
    }
}
