package io.bulwark.appliance.cli;

import io.bulwark.client.Bulwark;
import io.bulwark.client.PolicyChoice;
import io.bulwark.client.VolumeSpec;
import io.bulwark.protocol.cluster.ArchiveChooser;
import io.bulwark.protocol.cluster.AvailabilityTarget;
import io.bulwark.protocol.cluster.PolicyAdvice;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** Options for the protection policy of a volume. */
final class PolicyOptions {
    @Option(
            names = "--protocol",
            paramLabel = "fp|pasis|masking|archive",
            description = {
                "fp verifies each fragment during the write; pasis verifies versions at the time that",
                "--verification gives; masking keeps whole copies, which are read from few nodes; archive spreads",
                "large objects over many nodes, of which many may be away (default: fp)."
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
            names = "--faults-max",
            paramLabel = "G",
            description = {
                "Byzantine nodes that the volume is to tolerate later, after `volume set --faults`: the defaults of",
                "--data-fragments and --fragments leave room for them (default: F)."
            })
    private @Nullable Integer faultsMax;

    @Option(
            names = "--data-fragments",
            paramLabel = "M",
            description = "Number of fragments that reconstruct a block (default: G + 1; 1 for masking).")
    private @Nullable Integer dataFragments;

    @Option(
            names = "--fragments",
            paramLabel = "N",
            description = {
                "Nodes in a placement group. For pasis and masking 4F + 1 or more (default: 4G + 1); for archive",
                "3F + 1 or more (default: all nodes)."
            })
    private @Nullable Integer fragments;

    @Option(names = "--block-size", paramLabel = "BYTES", description = "Size of a block (default: 1048576).")
    private @Nullable Integer blockBytes;

    @ArgGroup(exclusive = false)
    private @Nullable TargetOptions target;

    boolean given() {
        return faults != null || isMoreThanFaults();
    }

    /** Returns the faults to tolerate; no other option may be given. */
    int onlyFaults(int standard) {
        if (isMoreThanFaults()) {
            throw new CommandFailure(CommandFailure.USAGE, "of the policy, only --faults can be chosen here");
        }
        return faults == null ? standard : faults;
    }

    private boolean isMoreThanFaults() {
        return target != null
                || faultsMax != null
                || dataFragments != null
                || blockBytes != null
                || fragments != null
                || protocol != null
                || verification != null;
    }

    ProtectionPolicy policy() {
        return checked(choice()::policy);
    }

    /** Checks the policy for objects as far as that is possible without the cluster. */
    void checkForObjects() {
        Integer slots = fragments;
        if (target == null) {
            checked(choice()::objectPolicy);
        } else if (slots != null) {
            checked(() -> archive(slots));
        } else {
            checked(this::wanted);
        }
    }

    /** A volume for objects; the archive class is spread over all nodes that the cluster has. */
    VolumeSpec objectVolume(String name, Bulwark client) {
        if (target == null) {
            return VolumeSpec.objects(name, checked(choice()::objectPolicy));
        }
        int nodes = fragments != null
                ? fragments
                : Math.min(255, client.nodes().map().nodes().size());
        return VolumeSpec.objects(name, checked(() -> archive(nodes)));
    }

    /** Returns a sentence about a policy that was chosen for a target, else nothing. */
    String chosenText(ProtectionPolicy made) {
        if (target == null) {
            return "";
        }
        AvailabilityTarget wanted = wanted();
        PolicyAdvice advice = PolicyAdvice.of(made, wanted);
        return String.format(
                Locale.ROOT,
                " With each node up at %s, too few answer with probability %.1e right after a write (target: %.0e), and"
                        + " %.1e later.",
                wanted.availability(),
                advice.afterWrite(),
                wanted.target(),
                advice.whenComplete());
    }

    private AvailabilityTarget wanted() {
        TargetOptions given = target;
        if (given == null
                || !"archive".equals(protocol)
                || faultsMax != null
                || dataFragments != null
                || blockBytes != null) {
            throw new IllegalArgumentException("--availability and --target choose the other numbers of --protocol"
                    + " archive; give none of --faults-max, --data-fragments and --block-size");
        }
        return given.target();
    }

    private ProtectionPolicy archive(int nodes) {
        return ArchiveChooser.choose(wanted(), faults == null ? 1 : faults, nodes);
    }

    private PolicyChoice choice() {
        return new PolicyChoice(protocol, verification, faults, faultsMax, dataFragments, fragments, blockBytes);
    }

    private static <T> T checked(Supplier<T> policy) {
        try {
            return policy.get();
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(CommandFailure.USAGE, String.valueOf(e.getMessage()));
        }
    }
}
