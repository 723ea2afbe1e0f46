package io.bulwark.appliance.cli;

import io.bulwark.protocol.cluster.AvailabilityTarget;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options from which the numbers of the archive class are chosen. */
final class TargetOptions {
    private static final double TARGET = 1e-6;

    @Option(
            names = "--availability",
            paramLabel = "MU",
            description = {
                "For archive: probability with which a node answers in time, such as 0.9. It chooses --data-fragments,",
                "and of a new volume --block-size, so that the target is reached."
            })
    private @Nullable Double availability;

    @Option(
            names = "--target",
            paramLabel = "P",
            description = "For archive: probability with which too few nodes may answer (default: 1e-6).")
    private @Nullable Double target;

    AvailabilityTarget target() {
        if (availability == null) {
            throw new CommandFailure(CommandFailure.USAGE, "--target goes with --availability");
        }
        try {
            return new AvailabilityTarget(availability, target == null ? TARGET : target);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(CommandFailure.USAGE, String.valueOf(e.getMessage()));
        }
    }
}
