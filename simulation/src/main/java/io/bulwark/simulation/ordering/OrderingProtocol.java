package io.bulwark.simulation.ordering;

import io.bulwark.simulation.campaign.Setting;
import io.bulwark.simulation.campaign.SimulatedProtocol;

/** The ordering engine in campaigns: n = 3f+1, whatever the setting says of nodes and fragments. */
public final class OrderingProtocol implements SimulatedProtocol {
    @Override
    public String name() {
        return "ordering";
    }

    @Override
    public OrderingWorld build(Setting setting) {
        return new OrderingWorld(setting);
    }
}
