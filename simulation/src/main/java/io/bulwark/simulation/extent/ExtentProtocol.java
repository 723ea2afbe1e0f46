package io.bulwark.simulation.extent;

import io.bulwark.protocol.cluster.Protocol;
import io.bulwark.simulation.campaign.Setting;
import io.bulwark.simulation.campaign.SimulatedProtocol;

/** Extents as campaigns run them. */
public final class ExtentProtocol implements SimulatedProtocol {
    private final ExtentParts parts;
    private final Protocol protocol;

    /** Makes the protocol under FP. */
    public ExtentProtocol() {
        this(ExtentParts.PRODUCTION, Protocol.FP);
    }

    public ExtentProtocol(ExtentParts parts, Protocol protocol) {
        this.parts = parts;
        this.protocol = protocol;
    }

    /** Returns the protocol under PASIS, by a policy that the seed chooses. */
    public static ExtentProtocol pasis() {
        return new ExtentProtocol(ExtentParts.PRODUCTION, Protocol.PASIS);
    }

    /** Returns the protocol of the archive class, by a policy that the seed chooses. */
    public static ExtentProtocol archive() {
        return new ExtentProtocol(ExtentParts.PRODUCTION, Protocol.ARCHIVE);
    }

    @Override
    public String name() {
        return protocol == Protocol.FP ? "extent" : "extent-" + protocol.text();
    }

    @Override
    public ExtentWorld build(Setting setting) {
        return new ExtentWorld(setting, parts, protocol);
    }
}
