package io.bulwark.appliance.cli;

import io.bulwark.appliance.cluster.ClusterPlan;
import io.bulwark.appliance.cluster.ClusterShape;
import io.bulwark.appliance.cluster.DataDirectory;
import io.bulwark.appliance.cluster.DirectoryLock;
import io.bulwark.appliance.cluster.MemberAddresses;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import picocli.CommandLine.Option;

/** The replicas of an appliance that does not run, for commands that change what all of them have on disk. */
final class StoppedReplicas {
    private static final int CONNECT_MILLIS_MAX = 500;

    @Option(
            names = "--replica-data",
            paramLabel = "DIR",
            description =
                    "Data directory of a replica; repeat for each replica, in the order of their numbers (default: "
                            + "those of the appliance).")
    private List<Path> given = new ArrayList<>();

    /** Action on stopped replicas. */
    interface Action {
        void run(ClusterPlan plan, List<Path> directories) throws IOException;
    }

    /** Runs an action while nothing else can start. */
    void run(Path root, Action action) throws IOException {
        if (!Files.isDirectory(root)) {
            throw new CommandFailure(CommandFailure.USAGE, "there is no appliance in " + root);
        }
        DataDirectory data = DataDirectory.create(root);
        try (DirectoryLock _ = data.lock()) {
            ClusterShape shape = data.shape()
                    .orElseThrow(
                            () -> new CommandFailure(CommandFailure.USAGE, "no appliance was ever started in " + root));
            ClusterPlan plan = new ClusterPlan(
                    data, shape, MemberAddresses.kept(data, shape).orElse(MemberAddresses.loopback()));
            List<Path> directories = directories(plan);
            requireStopped(plan);
            action.run(plan, directories);
        }
    }

    private List<Path> directories(ClusterPlan plan) {
        int replicas = plan.shape().replicas();
        if (given.isEmpty()) {
            return IntStream.range(0, replicas)
                    .mapToObj(number -> plan.data().replica(number))
                    .toList();
        }
        if (given.size() != replicas) {
            throw new CommandFailure(
                    CommandFailure.USAGE,
                    "there are " + replicas + " replicas; --replica-data was given " + given.size() + " times");
        }
        return given.stream().map(Path::toAbsolutePath).toList();
    }

    /** Members that were started one by one do not lock the appliance's directory. */
    private static void requireStopped(ClusterPlan plan) {
        List<InetSocketAddress> addresses =
                plan.replica(0, plan.data().replica(0)).replicas();
        for (int number = 0; number < addresses.size(); number++) {
            try (Socket socket = new Socket()) {
                socket.connect(addresses.get(number), CONNECT_MILLIS_MAX);
            } catch (IOException e) {
                continue; // Nobody listens: it is stopped.
            }
            throw new CommandFailure(
                    CommandFailure.FAILED,
                    "replica-" + number + " runs at " + addresses.get(number) + ": stop all replicas first");
        }
    }
}
