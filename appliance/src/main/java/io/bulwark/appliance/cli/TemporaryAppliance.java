package io.bulwark.appliance.cli;

import io.bulwark.appliance.cluster.ClusterPlan;
import io.bulwark.appliance.cluster.ClusterShape;
import io.bulwark.appliance.cluster.DataDirectory;
import io.bulwark.appliance.cluster.DirectoryLock;
import io.bulwark.appliance.cluster.PortConflicts;
import io.bulwark.appliance.up.Appliance;
import io.bulwark.appliance.up.Members;
import io.bulwark.transport.file.Directories;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;

/** Appliance in a temporary directory, which is removed at its end. */
final class TemporaryAppliance {
    static final String PORT_BASE = "8400";

    private TemporaryAppliance() {}

    /** Use of the appliance; false if it found a fault. */
    interface Use {
        boolean run(Path place, Path clientProperties, Appliance appliance) throws IOException, InterruptedException;
    }

    static boolean run(String name, ClusterShape shape, Function<ClusterPlan, Members> members, Use use)
            throws Exception {
        Path place = Files.createTempDirectory(name);
        try {
            DataDirectory data = DataDirectory.create(place);
            ClusterPlan plan = new ClusterPlan(data, shape);
            Optional<String> taken = PortConflicts.findHolder(plan.ports(false), 0);
            if (taken.isPresent()) {
                throw new CommandFailure(
                        CommandFailure.FAILED,
                        taken.get() + "; choose other ports with --port-base N (default: " + PORT_BASE + ")");
            }
            data.keep(shape);
            try (DirectoryLock _ = data.lock();
                    Appliance appliance = Appliance.of(plan)) {
                // Ctrl-C leaves no data behind either.
                Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(() -> {
                    appliance.shutDown();
                    delete(place);
                }));
                StartupLines lines = StartupLines.standard();
                appliance.start(members.apply(plan), lines);
                lines.erase();
                boolean good = use.run(place, data.clientProperties(), appliance);
                return good;
            }
        } finally {
            delete(place);
        }
    }

    private static void delete(Path place) {
        try {
            Directories.delete(place);
        } catch (IOException | UncheckedIOException e) {
            System.err.println("bulwark: cannot remove all of " + place + ": " + e.getMessage());
        }
    }
}
