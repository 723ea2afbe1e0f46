package io.bulwark.simulation.fp;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.simulation.campaign.Setting;
import io.bulwark.simulation.campaign.SimulatedProtocol;
import java.util.ArrayList;
import java.util.List;

/** The FP register as campaigns run it. */
public final class FpProtocol implements SimulatedProtocol {
    private static final int MORE_NODES = 2;

    private final FpParts parts;
    private final boolean replacing;
    private final boolean policies;

    public FpProtocol() {
        this(FpParts.PRODUCTION);
    }

    public FpProtocol(FpParts parts) {
        this(parts, false, false);
    }

    private FpProtocol(FpParts parts, boolean replacing, boolean policies) {
        this.parts = parts;
        this.replacing = replacing;
        this.policies = policies;
    }

    /** Nodes are replaced again and again. */
    public static FpProtocol replacing(FpParts parts) {
        return new FpProtocol(parts, true, false);
    }

    /** Nodes are replaced, and the volume gets other policies. */
    public static FpProtocol changingPolicy(FpParts parts) {
        return new FpProtocol(parts, true, true);
    }

    @Override
    public String name() {
        return policies ? "fp-policies" : replacing ? "fp-replacing" : "fp";
    }

    @Override
    public FpWorld build(Setting setting) {
        if (!replacing) {
            return new FpWorld(setting, parts, false, List.of());
        }
        int more = 1 + setting.random("more nodes").nextInt(MORE_NODES);
        Setting larger = new Setting(
                setting.seed(),
                setting.slots() + more + (policies ? 1 : 0),
                setting.faults(),
                setting.fragments(),
                setting.byzantineClients(),
                setting.steps(),
                setting.network());
        return new FpWorld(larger, parts, true, policies ? policies(larger) : List.of());
    }

    /** Policies that tolerate as many faults or more, with as many data fragments or more, on so many nodes. */
    private static List<ProtectionPolicy> policies(Setting setting) {
        List<ProtectionPolicy> all = new ArrayList<>();
        for (int f = setting.faults(); f <= setting.faults() + 1; f++) {
            for (int m = Math.max(f + 1, setting.fragments()); m + 2 * f <= setting.nodes(); m++) {
                all.add(new ProtectionPolicy(f, m, m + 2 * f, ProtectionPolicy.BLOCK_BYTES_MIN));
            }
        }
        return all;
    }
}
