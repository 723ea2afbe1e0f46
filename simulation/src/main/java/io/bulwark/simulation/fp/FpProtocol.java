package io.bulwark.simulation.fp;

import io.bulwark.simulation.campaign.Setting;
import io.bulwark.simulation.campaign.SimulatedProtocol;

/** The FP register as campaigns run it. */
public final class FpProtocol implements SimulatedProtocol {
    private static final int MORE_NODES = 2;

    private final FpParts parts;
    private final boolean replacing;

    public FpProtocol() {
        this(FpParts.PRODUCTION);
    }

    public FpProtocol(FpParts parts) {
        this(parts, false);
    }

    private FpProtocol(FpParts parts, boolean replacing) {
        this.parts = parts;
        this.replacing = replacing;
    }

    /** Nodes are replaced again and again. */
    public static FpProtocol replacing(FpParts parts) {
        return new FpProtocol(parts, true);
    }

    @Override
    public String name() {
        return replacing ? "fp-replacing" : "fp";
    }

    @Override
    public FpWorld build(Setting setting) {
        if (!replacing) {
            return new FpWorld(setting, parts, false);
        }
        int more = 1 + setting.random("more nodes").nextInt(MORE_NODES);
        Setting larger = new Setting(
                setting.seed(),
                setting.slots() + more,
                setting.faults(),
                setting.fragments(),
                setting.byzantineClients(),
                setting.steps(),
                setting.network());
        return new FpWorld(larger, parts, true);
    }
}
