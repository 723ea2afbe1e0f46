package io.bulwark.simulation.object;

import io.bulwark.protocol.cluster.Protocol;
import io.bulwark.simulation.campaign.Setting;
import io.bulwark.simulation.campaign.SimulatedProtocol;

/** Objects, and the metadata that names them, as campaigns run them. */
public final class ObjectProtocol implements SimulatedProtocol {
    private final ObjectParts parts;
    private final Protocol protocol;
    private final Operation operation;

    /** Work of an operator during a run. */
    private enum Operation {
        NOTHING(""),
        REPLACES_NODES("-replacing"),
        CHANGES_POLICY("-policies");

        private final String suffix;

        Operation(String suffix) {
            this.suffix = suffix;
        }
    }

    /** Makes the protocol under FP. */
    public ObjectProtocol() {
        this(ObjectParts.PRODUCTION, Protocol.FP);
    }

    public ObjectProtocol(ObjectParts parts, Protocol protocol) {
        this(parts, protocol, Operation.NOTHING);
    }

    private ObjectProtocol(ObjectParts parts, Protocol protocol, Operation operation) {
        this.parts = parts;
        this.protocol = protocol;
        this.operation = operation;
    }

    /** Nodes are replaced again and again. */
    public static ObjectProtocol replacing(ObjectParts parts, Protocol protocol) {
        return new ObjectProtocol(parts, protocol, Operation.REPLACES_NODES);
    }

    /** The volume gets other policies and is refilled; in half of the runs nodes are replaced, too. */
    public static ObjectProtocol changingPolicy(ObjectParts parts, Protocol protocol) {
        return new ObjectProtocol(parts, protocol, Operation.CHANGES_POLICY);
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
        return (protocol == Protocol.FP ? "objects" : "objects-" + protocol.text()) + operation.suffix;
    }

    @Override
    public ObjectWorld build(Setting setting) {
        boolean changesPolicy = operation == Operation.CHANGES_POLICY;
        boolean replacing =
                changesPolicy ? setting.random("replacing").nextBoolean() : operation == Operation.REPLACES_NODES;
        return new ObjectWorld(setting, parts, protocol, replacing, changesPolicy);
    }
}
