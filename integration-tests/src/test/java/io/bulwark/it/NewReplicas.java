package io.bulwark.it;

import io.bulwark.appliance.boot.RoleFile;
import io.bulwark.appliance.cluster.JavaCommand;
import io.bulwark.appliance.cluster.Member;
import io.bulwark.appliance.cluster.ProcessMember;
import io.bulwark.appliance.cluster.ReplicaSetup;
import io.bulwark.client.config.ChannelConfig;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.transport.Destination;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Replicas that a {@link LiveCluster} did not begin with, set up as docs/how-to/replace.md has it; ended after the last test. */
@NullMarked
final class NewReplicas implements AfterAllCallback {
    private static final int HEAP_MEBIBYTES = 256;

    private final LiveCluster cluster;
    private final List<Process> supervisors = new ArrayList<>();
    private final List<Member> alone = new ArrayList<>();

    NewReplicas(LiveCluster cluster) {
        this.cluster = cluster;
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        for (Member member : alone) {
            member.stop();
        }
        for (Process supervisor : supervisors) {
            kill(supervisor);
        }
    }

    /** The keys and configuration of a replica that nobody knows yet; returns its public key. */
    String keygen(int number) throws Exception {
        PrincipalId replica = PrincipalId.replica(number);
        Path directory = Files.createDirectories(directory(number));
        Path identity = directory.resolve(replica + ".pem");
        String key = new CommandRun(cluster, "keygen", replica.toString(), "--out", identity.toString())
                .json()
                .get("key")
                .asString();
        ReplicaSetup like = cluster.plan().replica(0, directory.resolve("data"));
        RoleFile.write(
                new ReplicaSetup(
                        number,
                        addressOf(number),
                        like.replicas(),
                        like.data(),
                        like.keys(),
                        new ChannelConfig.Tls(identity, cluster.plan().data().genesis()),
                        like.ordering(),
                        like.nodes(),
                        like.clients(),
                        like.recoveries()),
                role(number));
        return key;
    }

    /** Starts it by itself; returns when it listens. */
    void start(int number) throws Exception {
        String name = PrincipalId.replica(number).toString();
        Member member = new ProcessMember(
                name,
                addressOf(number),
                Optional.of(log(number)),
                JavaCommand.member(HEAP_MEBIBYTES),
                List.of("replica", "--config", role(number).toString(), "--end-with-input"));
        alone.add(member);
        member.start();
        member.awaitListening();
    }

    /** Starts it with a supervisor, as containers and hosts do. */
    Process supervise(int number) throws IOException {
        List<String> command = new ArrayList<>(JavaCommand.member(HEAP_MEBIBYTES));
        command.addAll(List.of("supervise", "--config", role(number).toString()));
        Process supervisor = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log(number).toFile()))
                .start();
        supervisors.add(supervisor);
        return supervisor;
    }

    /** kill -9 of both, as a host goes that loses its power. */
    static void kill(Process supervisor) throws InterruptedException {
        List<ProcessHandle> children = supervisor.children().toList();
        supervisor.destroyForcibly().waitFor();
        children.forEach(ProcessHandle::destroyForcibly);
    }

    InetSocketAddress addressOf(int number) {
        return Destination.of("127.0.0.1", cluster.plan().shape().replicaPort(number));
    }

    boolean listens(int number) {
        InetSocketAddress address = addressOf(number);
        try (Socket _ = new Socket(address.getHostString(), address.getPort())) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    Path log(int number) {
        return cluster.plan().data().log(PrincipalId.replica(number).toString());
    }

    private Path directory(int number) {
        return cluster.root()
                .resolve("joined")
                .resolve(PrincipalId.replica(number).toString());
    }

    private Path role(int number) {
        return directory(number).resolve("role.yaml");
    }
}
