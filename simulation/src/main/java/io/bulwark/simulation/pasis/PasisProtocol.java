package io.bulwark.simulation.pasis;

import io.bulwark.protocol.cluster.Protocol;
import io.bulwark.simulation.campaign.Setting;
import io.bulwark.simulation.campaign.SimulatedProtocol;

/** The PASIS register as campaigns run it, and the register of masking quorums, whose nodes are the same. */
public final class PasisProtocol implements SimulatedProtocol {
    private final PasisParts parts;
    private final Protocol protocol;
    private final boolean replacing;
    private final boolean policies;

    public PasisProtocol() {
        this(PasisParts.PRODUCTION);
    }

    public PasisProtocol(PasisParts parts) {
        this(parts, Protocol.PASIS, false, false);
    }

    private PasisProtocol(PasisParts parts, Protocol protocol, boolean replacing, boolean policies) {
        this.parts = parts;
        this.protocol = protocol;
        this.replacing = replacing;
        this.policies = policies;
    }

    /** Nodes are replaced again and again. */
    public static PasisProtocol replacing(PasisParts parts) {
        return new PasisProtocol(parts, Protocol.PASIS, true, false);
    }

    /** Returns masking quorums, under which nodes are perhaps replaced again and again. */
    public static PasisProtocol masking(PasisParts parts, boolean replacing) {
        return new PasisProtocol(parts, Protocol.MASKING, replacing, false);
    }

    /** Nodes are replaced, and the volume gets other policies. */
    public static PasisProtocol changingPolicy(PasisParts parts, Protocol protocol) {
        return new PasisProtocol(parts, protocol, true, true);
    }

    @Override
    public String name() {
        return protocol.text() + (policies ? "-policies" : replacing ? "-replacing" : "");
    }

    @Override
    public PasisWorld build(Setting setting) {
        return new PasisWorld(setting, parts, protocol, replacing, policies);
    }
}
