package io.bulwark.appliance.cli;

import io.bulwark.appliance.boot.RoleFile;
import io.bulwark.appliance.cluster.ClusterPlan;
import io.bulwark.appliance.cluster.Ordering;
import io.bulwark.appliance.cluster.ReplicaSetup;
import io.bulwark.metadata.EngineMove;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code replica move --to ENGINE}. */
@Command(
        name = "move",
        description = {
            "Move the metadata of a stopped appliance to another ordering engine.",
            "--to bft reads the bft-smart state of all replicas, requires 2f+1 equal copies, and writes it for all. "
                    + "The old files are kept: --to bft-smart reverts to them until the appliance has run on bft."
        })
final class ReplicaMoveCommand implements Callable<Integer> {
    @Mixin
    private final GlobalOptions global = new GlobalOptions();

    @Option(names = "--to", paramLabel = "ENGINE", required = true, description = "bft, or bft-smart to revert.")
    private String to = "";

    @Mixin
    private final StoppedReplicas replicas = new StoppedReplicas();

    @Override
    public Integer call() throws IOException {
        Ordering wanted;
        try {
            wanted = Ordering.named(to);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(CommandFailure.USAGE, String.valueOf(e.getMessage()));
        }
        replicas.run(global.data(), (plan, directories) -> {
            if (wanted == Ordering.BFT) {
                toBft(plan, directories);
            } else {
                EngineMove.undo(directories);
                choose(plan, wanted);
                global.print(
                        Map.of("ordering", wanted.toString()),
                        "The appliance is back on bft-smart, in its state before the move.");
            }
        });
        return 0;
    }

    private void toBft(ClusterPlan plan, List<Path> directories) throws IOException {
        EngineMove.Moved moved = EngineMove.move(
                directories,
                plan.replica(0, directories.getFirst()).genesis(),
                plan.data().root().resolve("moving"));
        choose(plan, Ordering.BFT);
        StringBuilder text = new StringBuilder("Moved to bft: " + moved.batches() + " batches; the state of replicas "
                + moved.equal() + " is equal (" + moved.digest().toHex() + ") and is now the state of all.");
        moved.unfit()
                .forEach((replica, why) -> text.append(System.lineSeparator())
                        .append("replica-")
                        .append(replica)
                        .append(" was not counted: ")
                        .append(why)
                        .append('.'));
        text.append(System.lineSeparator())
                .append("The old files (log-*, snapshot-*, incarnation) are kept beside the new ones. Until the "
                        + "appliance has run on bft, `bulwark replica move --to bft-smart` reverts to them.");
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("ordering", Ordering.BFT.toString());
        json.put("batches", moved.batches());
        json.put("stateDigest", moved.digest().toHex());
        json.put("equal", moved.equal());
        json.put("notCounted", moved.unfit());
        global.print(json, text.toString());
    }

    /** Stores the choice for later starts, and writes the files with which members are started one by one. */
    private static void choose(ClusterPlan plan, Ordering ordering) throws IOException {
        plan.data().keep(plan.shape().withOrdering(ordering));
        for (int number = 0; number < plan.shape().replicas(); number++) {
            Path file = plan.data().root().resolve("config").resolve("replica-" + number + ".yaml");
            if (Files.exists(file)) {
                RoleFile.Configured<ReplicaSetup> old = RoleFile.replica(file, Map.of());
                ReplicaSetup setup = old.setup().withOrdering(ordering);
                RoleFile.writeReplica(new RoleFile.Configured<>(setup, old.admin()), file);
            }
        }
    }
}
