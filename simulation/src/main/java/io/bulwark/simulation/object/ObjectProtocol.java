package io.bulwark.simulation.object;

import io.bulwark.simulation.campaign.Setting;
import io.bulwark.simulation.campaign.SimulatedProtocol;

/** Objects, and the metadata that names them, as campaigns run them. */
public final class ObjectProtocol implements SimulatedProtocol {
    private final ObjectParts parts;

    public ObjectProtocol() {
        this(ObjectParts.PRODUCTION);
    }

    public ObjectProtocol(ObjectParts parts) {
        this.parts = parts;
    }

    @Override
    public String name() {
        return "objects";
    }

    @Override
    public ObjectWorld build(Setting setting) {
        return new ObjectWorld(setting, parts);
    }
}
