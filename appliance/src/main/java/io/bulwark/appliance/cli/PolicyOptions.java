package io.bulwark.appliance.cli;

import io.bulwark.client.PolicyChoice;
import io.bulwark.client.VolumeSpec;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for the protection policy of a volume. */
final class PolicyOptions {
    @Option(
            names = "--protocol",
            paramLabel = "fp|pasis|masking",
            description = {
                "fp verifies each fragment during the write; pasis verifies versions at the time that",
                "--verification gives; masking keeps whole copies, which are read from few nodes (default: fp)."
            })
    private @Nullable String protocol;

    @Option(
            names = "--verification",
            paramLabel = "WHEN",
            description = {
                "For pasis: lazy, read-time, write-time or none. `none` is for measuring registers only: any client",
                "can then destroy the data of others (default: lazy)."
            })
    private @Nullable String verification;

    @Option(
            names = "--faults",
            paramLabel = "F",
            description = "Byzantine nodes to tolerate in each placement group (default: 1).")
    private @Nullable Integer faults;

    @Option(
            names = "--data-fragments",
            paramLabel = "M",
            description = "Number of fragments that reconstruct a block (default: F + 1; 1 for masking).")
    private @Nullable Integer dataFragments;

    @Option(
            names = "--fragments",
            paramLabel = "N",
            description = "For pasis and masking: nodes in a placement group, 4F + 1 or more (default: 4F + 1).")
    private @Nullable Integer fragments;

    @Option(names = "--block-size", paramLabel = "BYTES", description = "Size of a block (default: 1048576).")
    private @Nullable Integer blockBytes;

    boolean given() {
        return faults != null
                || dataFragments != null
                || blockBytes != null
                || fragments != null
                || protocol != null
                || verification != null;
    }

    ProtectionPolicy policy() {
        return checked(choice()::policy);
    }

    VolumeSpec objectVolume(String name) {
        return VolumeSpec.objects(name, checked(choice()::objectPolicy));
    }

    private PolicyChoice choice() {
        return new PolicyChoice(protocol, verification, faults, dataFragments, fragments, blockBytes);
    }

    private static ProtectionPolicy checked(Supplier<ProtectionPolicy> policy) {
        try {
            return policy.get();
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(CommandFailure.USAGE, String.valueOf(e.getMessage()));
        }
    }
}
