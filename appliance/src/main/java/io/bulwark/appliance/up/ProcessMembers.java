package io.bulwark.appliance.up;

import io.bulwark.appliance.boot.RoleFile;
import io.bulwark.appliance.cluster.ClusterPlan;
import io.bulwark.appliance.cluster.JavaCommand;
import io.bulwark.appliance.cluster.Member;
import io.bulwark.appliance.cluster.NodeSetup;
import io.bulwark.appliance.cluster.ProcessMember;
import io.bulwark.appliance.cluster.ReplicaMember;
import io.bulwark.appliance.cluster.ReplicaProcess;
import io.bulwark.appliance.cluster.ReplicaSetup;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;

/** Each member is a process of its own, so that it can be killed. Its configuration is written when it is made. */
public final class ProcessMembers implements Members {
    private static final int NODE_HEAP_MEBIBYTES = 256;
    private static final int REPLICA_HEAP_MEBIBYTES = 512;

    private final ClusterPlan plan;
    private final Path config;
    private final Map<String, InetSocketAddress> admins = new ConcurrentSkipListMap<>();

    public ProcessMembers(ClusterPlan plan) throws IOException {
        this.plan = plan;
        this.config = Files.createDirectories(directory(plan));
    }

    private static Path directory(ClusterPlan plan) {
        return plan.data().root().resolve("config");
    }

    /** Returns the role file that a replica's process reads. */
    static Path roleFile(ClusterPlan plan, int replica) {
        return directory(plan).resolve("replica-" + replica + ".yaml");
    }

    @Override
    public Member node(int number) {
        NodeSetup setup = plan.node(number, plan.data().node(number));
        Path file = config.resolve("node-" + number + ".yaml");
        write(() -> RoleFile.writeNode(
                configured(setup, setup.listen()), file, plan.data().root()));
        String name = "node-" + number;
        admins.put(name, plan.adminAddress(setup.listen()));
        return new ProcessMember(
                name,
                setup.listen(),
                Optional.of(plan.data().log(name)),
                JavaCommand.member(NODE_HEAP_MEBIBYTES),
                arguments("node", file));
    }

    @Override
    public ReplicaMember replica(int number) {
        ReplicaSetup setup = plan.replica(number, plan.data().replica(number));
        Path file = roleFile(plan, number);
        write(() -> RoleFile.writeReplica(
                configured(setup, setup.listen()), file, plan.data().root()));
        String name = "replica-" + number;
        admins.put(name, plan.adminAddress(setup.listen()));
        return new ReplicaProcess(
                name,
                setup.listen(),
                Optional.of(plan.data().log(name)),
                JavaCommand.member(REPLICA_HEAP_MEBIBYTES),
                arguments("replica", file));
    }

    @Override
    public SortedMap<String, String> problems() {
        SortedMap<String, String> problems = new TreeMap<>();
        admins.forEach((name, admin) -> MemberHealth.problem(admin).ifPresent(problem -> problems.put(name, problem)));
        return problems;
    }

    private <T> RoleFile.Configured<T> configured(T setup, InetSocketAddress listen) {
        return new RoleFile.Configured<>(setup, Optional.of(plan.adminAddress(listen)));
    }

    private static List<String> arguments(String role, Path file) {
        return List.of(role, "--config", file.toString(), "--end-with-input");
    }

    private interface RoleFileWriter {
        void run() throws IOException;
    }

    private static void write(RoleFileWriter writing) {
        try {
            writing.run();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
