package io.bulwark.simulation.object;

import io.bulwark.protocol.cluster.Protocol;
import io.bulwark.simulation.campaign.Setting;
import io.bulwark.simulation.campaign.SimulatedProtocol;

/** Objects, and the metadata that names them, as campaigns run them. */
public final class ObjectProtocol implements SimulatedProtocol {
    private final ObjectParts parts;
    private final Protocol protocol;
    private final boolean replacing;

    /** Makes the protocol under FP. */
    public ObjectProtocol() {
        this(ObjectParts.PRODUCTION, Protocol.FP);
    }

    public ObjectProtocol(ObjectParts parts, Protocol protocol) {
        this(parts, protocol, false);
    }

    private ObjectProtocol(ObjectParts parts, Protocol protocol, boolean replacing) {
        this.parts = parts;
        this.protocol = protocol;
        this.replacing = replacing;
    }

    /** Nodes are replaced again and again. */
    public static ObjectProtocol replacing(ObjectParts parts, Protocol protocol) {
        return new ObjectProtocol(parts, protocol, true);
    }

    /** Returns the protocol under PASIS, by a policy that the seed chooses. */
    public static ObjectProtocol pasis() {
        return new ObjectProtocol(ObjectParts.PRODUCTION, Protocol.PASIS);
    }

    /** Returns the protocol of the archive class, by a policy that the seed chooses. */
    public static ObjectProtocol archive() {
        return new ObjectProtocol(ObjectParts.PRODUCTION, Protocol.ARCHIVE);
    }

    @Override
    public String name() {
        return (protocol == Protocol.FP ? "objects" : "objects-" + protocol.text()) + (replacing ? "-replacing" : "");
    }

    @Override
    public ObjectWorld build(Setting setting) {
        return new ObjectWorld(setting, parts, protocol, replacing);
    }
}
