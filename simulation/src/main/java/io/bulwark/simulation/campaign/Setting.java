package io.bulwark.simulation.campaign;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Protocol;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.simulation.engine.NetworkFaults;
import java.util.Random;
import java.util.SplittableRandom;

/**
 * Parameters of one run.
 *
 * @param seed of everything that is random
 * @param nodes the number of nodes; n of them hold each block
 * @param faults f
 * @param fragments m
 * @param byzantineClients attackers
 * @param steps moves of clients, correct and faulty
 * @param network the network faults at first
 */
public record Setting(
        long seed, int nodes, int faults, int fragments, int byzantineClients, int steps, NetworkFaults network) {
    public Setting {
        if (faults < 1 || fragments <= faults || nodes < fragments + 2 * faults || byzantineClients < 0 || steps < 1) {
            throw new IllegalArgumentException("no such setting: " + nodes + " nodes, f = " + faults + ", m = "
                    + fragments + ", " + byzantineClients + " Byzantine clients, " + steps
                    + " steps; f is 1 or more, m more than"
                    + " f, nodes m + 2f or more, steps 1 or more");
        }
    }

    /** n of the FP protocols: slots of each block. */
    public int slots() {
        return fragments + 2 * faults;
    }

    /** A policy of PASIS: b is f; m and N are at least what goes with m, or less than that: 1 is replication. */
    public ProtectionPolicy pasisPolicy(Random random, int blockBytes) {
        int m = random.nextInt(4) == 0 ? 1 + random.nextInt(fragments) : fragments;
        int n = Math.max(4 * faults + 1, m + 3 * faults) + (random.nextInt(4) == 0 ? 1 : 0);
        Verification verification = switch (random.nextInt(6)) {
            case 0 -> Verification.READ_TIME;
            case 1 -> Verification.WRITE_TIME;
            default -> Verification.LAZY;
        };
        return ProtectionPolicy.pasis(faults, m, n, blockBytes, verification);
    }

    /** A policy of the archive class: up to five spare slots. */
    public ProtectionPolicy archivePolicy(Random random, int blockBytes) {
        return ProtectionPolicy.archive(faults, fragments, slots() + random.nextInt(6), blockBytes);
    }

    /** A policy of this protocol. */
    public ProtectionPolicy policy(Protocol protocol, Random random, int blockBytes) {
        return switch (protocol) {
            case FP -> new ProtectionPolicy(faults, fragments, slots(), blockBytes);
            case PASIS -> pasisPolicy(random, blockBytes);
            case MASKING ->
                ProtectionPolicy.masking(
                        faults, 4 * faults + 1 + (random.nextInt(3) == 0 ? 1 + random.nextInt(4) : 0), blockBytes);
            case ARCHIVE -> archivePolicy(random, blockBytes);
        };
    }

    /** Randomness for one purpose, independent of all others. */
    public SplittableRandom random(String purpose) {
        return new SplittableRandom(seed * 0x9E3779B97F4A7C15L ^ purpose.hashCode());
    }

    @Override
    public String toString() {
        return "seed " + seed + ": " + nodes + " nodes, f = " + faults + ", m = " + fragments + ", n = " + slots()
                + ", " + byzantineClients + " Byzantine clients, " + steps + " steps, " + network;
    }
}
