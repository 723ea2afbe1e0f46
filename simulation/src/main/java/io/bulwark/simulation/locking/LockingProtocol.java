package io.bulwark.simulation.locking;

import io.bulwark.simulation.campaign.Setting;
import io.bulwark.simulation.campaign.SimulatedProtocol;

/** Byzantine Locking, as campaigns run it. */
public final class LockingProtocol implements SimulatedProtocol {
    @Override
    public String name() {
        return "locking";
    }

    @Override
    public LockingWorld build(Setting setting) {
        return new LockingWorld(setting);
    }
}
