package io.bulwark.appliance.cli;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.bulwark.appliance.cluster.ClusterPlan;
import io.bulwark.appliance.cluster.Ordering;
import io.bulwark.appliance.cluster.ReplicaSetup;
import io.bulwark.metadata.NamespaceMachine;
import io.bulwark.metadata.ReplicaConfig;
import io.bulwark.metadata.ReplicaDirectory;
import io.bulwark.metadata.bft.HistoryRestore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code replica restore [--from N]}. */
@Command(
        name = "restore",
        description = {
            "Show the last executed number on each replica's disk, or restore all replicas from replica N.",
            "For replicas that stopped with contradicting histories. All replicas begin with the state of the "
                    + "chosen one, after it executes the decided requests of its log; later requests of the others "
                    + "are lost. The old files are kept in before-restore-NUMBER of each directory."
        })
final class ReplicaRestoreCommand implements Callable<Integer> {
    @Mixin
    private final GlobalOptions global = new GlobalOptions();

    @Mixin
    private final StoppedReplicas replicas = new StoppedReplicas();

    @Option(names = "--from", paramLabel = "N", description = "Number of the replica with the correct history.")
    private @Nullable Integer from;

    @Override
    public Integer call() throws IOException {
        replicas.run(global.data(), this::run);
        return 0;
    }

    private void run(ClusterPlan plan, List<Path> directories) throws IOException {
        if (plan.shape().ordering() != Ordering.BFT) {
            throw new CommandFailure(
                    CommandFailure.USAGE, "the engine " + plan.shape().ordering() + " has no such command");
        }
        ReplicaSetup setup = plan.replica(0, directories.getFirst());
        ReplicaConfig config = ReplicaConfig.of(0, setup.replicas(), directories.getFirst());
        HistoryRestore restore = new HistoryRestore(
                config,
                state -> new NamespaceMachine(setup.genesis(), config.fixed().faulty(), state),
                plan.data().root().resolve("restoring"));
        Integer chosen = from;
        if (chosen == null) {
            show(restore, directories);
            return;
        }
        if (chosen < 0 || chosen >= directories.size()) {
            throw new CommandFailure(CommandFailure.USAGE, "there are replicas 0 to " + (directories.size() - 1));
        }
        HistoryRestore.RestoreResult restored = restore.restore(directories, chosen);
        global.print(
                new RestoredView(
                        chosen,
                        restored.executed(),
                        restored.checkpoint(),
                        restored.digest().toHex()),
                "All replicas resume with the state that replica-" + chosen + " had executed, up to number "
                        + restored.executed()
                        + ". The old files are in before-restore-" + restored.checkpoint()
                        + " of each directory; remove them after `bulwark verify` has read every object.");
    }

    private void show(HistoryRestore restore, List<Path> directories) throws IOException {
        StringBuilder text = new StringBuilder();
        List<ReachView> json = new ArrayList<>();
        for (int replica = 0; replica < directories.size(); replica++) {
            Long executed = null;
            String problem = null;
            text.append("replica-").append(replica);
            try {
                executed = restore.reach(directories.get(replica)).executed();
                text.append(" has executed up to number ").append(executed);
            } catch (IOException e) {
                problem = String.valueOf(e.getMessage());
                text.append(" cannot be chosen: ").append(problem);
            }
            String stopped =
                    new ReplicaDirectory(directories.get(replica)).stopped().orElse("");
            text.append(stopped.isEmpty() ? "" : "; it has stopped: " + stopped).append(System.lineSeparator());
            json.add(new ReachView(replica, executed, problem, stopped));
        }
        global.print(
                new ReachesView(json),
                text.append("Nothing was changed. Choose one with --from N.").toString());
    }

    private record RestoredView(int from, long executed, long checkpoint, String stateDigest) {}

    private record ReachesView(List<ReachView> replicas) {}

    /**
     * The state of one replica.
     *
     * @param executed null if it cannot be chosen
     * @param problem null if it can
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record ReachView(
            int replica, @Nullable Long executed, @Nullable String problem, String stopped) {}
}
