package io.bulwark.appliance.cli;

import io.bulwark.client.VolumeSpec;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How the blocks of a volume are protected. */
final class PolicyOptions {
    @Option(
            names = "--faults",
            paramLabel = "F",
            description = "Byzantine nodes to tolerate in each placement group (default: 1).")
    private @Nullable Integer faults;

    @Option(
            names = "--data-fragments",
            paramLabel = "M",
            description = "Fragments that give a block back (default: F + 1).")
    private @Nullable Integer dataFragments;

    @Option(names = "--block-size", paramLabel = "BYTES", description = "Size of a block (default: 1048576).")
    private @Nullable Integer blockBytes;

    boolean given() {
        return faults != null || dataFragments != null || blockBytes != null;
    }

    ProtectionPolicy policy() {
        int f = faults == null ? 1 : faults;
        int m = dataFragments == null ? f + 1 : dataFragments;
        try {
            return new ProtectionPolicy(f, m, m + 2 * f, blockBytes == null ? 1 << 20 : blockBytes);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(CommandFailure.USAGE, String.valueOf(e.getMessage()));
        }
    }

    VolumeSpec objectVolume(String name) {
        return VolumeSpec.objects(name, policy());
    }
}
