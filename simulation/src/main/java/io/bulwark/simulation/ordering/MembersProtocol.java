package io.bulwark.simulation.ordering;

import io.bulwark.simulation.campaign.Setting;
import io.bulwark.simulation.campaign.SimulatedProtocol;

/** The ordering engine while its replicas are replaced (docs/decisions/0020). */
public final class MembersProtocol implements SimulatedProtocol {
    private static final int SPARES = 6;

    @Override
    public String name() {
        return "members";
    }

    @Override
    public OrderingWorld build(Setting setting) {
        return new OrderingWorld(setting, SPARES);
    }
}
