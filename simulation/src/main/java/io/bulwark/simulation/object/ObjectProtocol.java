package io.bulwark.simulation.object;

import io.bulwark.protocol.cluster.Protocol;
import io.bulwark.simulation.campaign.Setting;
import io.bulwark.simulation.campaign.SimulatedProtocol;

/** Objects, and the metadata that names them, as campaigns run them. */
public final class ObjectProtocol implements SimulatedProtocol {
    private final ObjectParts parts;
    private final Protocol protocol;

    /** Under FP. */
    public ObjectProtocol() {
        this(ObjectParts.PRODUCTION, Protocol.FP);
    }

    public ObjectProtocol(ObjectParts parts, Protocol protocol) {
        this.parts = parts;
        this.protocol = protocol;
    }

    /** Under PASIS, by a policy that the seed chooses. */
    public static ObjectProtocol pasis() {
        return new ObjectProtocol(ObjectParts.PRODUCTION, Protocol.PASIS);
    }

    @Override
    public String name() {
        return protocol == Protocol.FP ? "objects" : "objects-pasis";
    }

    @Override
    public ObjectWorld build(Setting setting) {
        return new ObjectWorld(setting, parts, protocol);
    }
}
