package io.bulwark.appliance.cli;

import io.bulwark.client.VolumeSpec;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Verification;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for the protection policy of a volume. */
final class PolicyOptions {
    @Option(
            names = "--protocol",
            paramLabel = "fp|pasis",
            description = {
                "fp verifies each fragment during the write; pasis verifies versions at the time that",
                "--verification gives (default: fp)."
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
            description = "Number of fragments that reconstruct a block (default: F + 1).")
    private @Nullable Integer dataFragments;

    @Option(
            names = "--fragments",
            paramLabel = "N",
            description = "For pasis: nodes in a placement group, 4F + 1 or more (default: 4F + 1).")
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
        int f = faults == null ? 1 : faults;
        int m = dataFragments == null ? f + 1 : dataFragments;
        int bytes = blockBytes == null ? 1 << 20 : blockBytes;
        try {
            return switch (protocol == null ? "fp" : protocol) {
                case "fp" -> {
                    if (verification != null || fragments != null) {
                        throw new CommandFailure(
                                CommandFailure.USAGE, "--verification and --fragments go with --protocol pasis");
                    }
                    yield new ProtectionPolicy(f, m, m + 2 * f, bytes);
                }
                case "pasis" ->
                    ProtectionPolicy.pasis(f, m, fragments == null ? 4 * f + 1 : fragments, bytes, verification());
                default ->
                    throw new CommandFailure(
                            CommandFailure.USAGE, "there is no protocol \"" + protocol + "\"; there are fp and pasis");
            };
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(CommandFailure.USAGE, String.valueOf(e.getMessage()));
        }
    }

    VolumeSpec objectVolume(String name) {
        ProtectionPolicy policy = policy();
        if (policy.verification() == Verification.NONE) {
            throw new CommandFailure(
                    CommandFailure.USAGE,
                    "a volume without verification keeps no objects; give lazy, read-time or write-time");
        }
        return VolumeSpec.objects(name, policy);
    }

    private Verification verification() {
        String when = verification == null ? Verification.LAZY.text() : verification;
        return Verification.of(when)
                .orElseThrow(() -> new CommandFailure(
                        CommandFailure.USAGE,
                        "there is no verification \"" + when + "\"; there are lazy, read-time, write-time and none"));
    }
}
