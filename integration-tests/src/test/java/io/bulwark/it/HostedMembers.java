package io.bulwark.it;

import io.bulwark.appliance.boot.Bundle;
import io.bulwark.appliance.cluster.ClusterPlan;
import io.bulwark.appliance.cluster.ClusterShape;
import io.bulwark.appliance.cluster.DataDirectory;
import io.bulwark.appliance.cluster.JavaCommand;
import io.bulwark.appliance.cluster.Member;
import io.bulwark.appliance.cluster.MemberAddresses;
import io.bulwark.appliance.cluster.NodeSetup;
import io.bulwark.appliance.cluster.ProcessMember;
import io.bulwark.appliance.cluster.ReplicaMember;
import io.bulwark.appliance.cluster.ReplicaProcess;
import io.bulwark.appliance.cluster.ReplicaSetup;
import io.bulwark.appliance.network.HostNetwork;
import io.bulwark.appliance.up.Members;
import io.bulwark.protocol.id.PrincipalId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;

/**
 * Members in processes of their own, each on its own host of a {@link HostNetwork}. A host has what {@code init
 * --bundles} gives it, and nobody else's keys. Clients are in this process, on its own host.
 */
@NullMarked
final class HostedMembers implements Members, Links {
    private static final int HEAP_MEBIBYTES = 256;

    private final ClusterPlan plan;
    private final HostNetwork network;

    /** @param plan with {@link #addresses} */
    HostedMembers(ClusterPlan plan, HostNetwork network) {
        this.plan = plan;
        this.network = network;
    }

    /** Makes a host for each member that has none yet. */
    static MemberAddresses addresses(DataDirectory data, ClusterShape shape, HostNetwork network) throws IOException {
        List<String> lines = new ArrayList<>();
        for (String member : names(shape).toList()) {
            boolean known =
                    network.hosts().stream().anyMatch(host -> host.name().equals(member));
            HostNetwork.Host host = known ? network.host(member) : network.add(member);
            lines.add(member + "=" + host.address());
        }
        return MemberAddresses.read(Files.write(data.root().resolve("hosts.properties"), lines), shape);
    }

    private static Stream<String> names(ClusterShape shape) {
        return Stream.concat(
                IntStream.range(0, shape.nodes()).mapToObj(i -> "node-" + i),
                IntStream.range(0, shape.replicas()).mapToObj(i -> "replica-" + i));
    }

    @Override
    public Member node(int number) {
        NodeSetup setup = plan.node(number, plan.data().node(number));
        return member(
                "node",
                number,
                setup.listen(),
                directory -> Bundle.write(directory, setup, admin(setup.listen())),
                ProcessMember::new);
    }

    @Override
    public ReplicaMember replica(int number) {
        ReplicaSetup setup = plan.replica(number, plan.data().replica(number));
        return member(
                "replica",
                number,
                setup.listen(),
                directory -> Bundle.write(directory, setup, admin(setup.listen())),
                ReplicaProcess::new);
    }

    /** A process that is to be started. */
    private interface Kind<M> {
        M of(String name, InetSocketAddress address, Optional<Path> log, List<String> java, List<String> arguments);
    }

    private <M> M member(String role, int number, InetSocketAddress listen, Making making, Kind<M> kind) {
        String name = role + "-" + number;
        Path file = made(name, making);
        return kind.of(
                name, reached(name, listen), Optional.of(plan.data().log(name)), java(name), arguments(role, file));
    }

    /** Unplugs the member's cable, for any peers. */
    @Override
    public void cut(String member, Predicate<PrincipalId> peers) throws IOException {
        network.host(member).unplug();
    }

    @Override
    public void silence(String member, Predicate<PrincipalId> peers) throws IOException {
        network.host(member)
                .lose(network.hosts().stream()
                        .filter(host -> peers.test(principal(host)))
                        .toList());
    }

    @Override
    public void heal(String member) throws IOException {
        network.host(member).plug();
        network.host(member).find();
    }

    private PrincipalId principal(HostNetwork.Host host) {
        return host.equals(network.own()) ? PrincipalId.client(0) : PrincipalId.parse(host.name());
    }

    private interface Making {
        void in(Path directory) throws IOException;
    }

    /** The directory of a host. */
    private Path made(String member, Making making) {
        try {
            Path directory =
                    Files.createDirectories(plan.data().root().resolve("hosts").resolve(member));
            making.in(directory);
            return directory.resolve(Bundle.ROLE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<String> java(String member) {
        try {
            return network.host(member).command(Orphans.marked(JavaCommand.member(HEAP_MEBIBYTES)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Optional<InetSocketAddress> admin(InetSocketAddress listen) {
        return Optional.of(plan.adminAddress(listen));
    }

    /** Not where it listens, which is every address of its host. */
    private InetSocketAddress reached(String member, InetSocketAddress listen) {
        return new InetSocketAddress(network.host(member).address(), listen.getPort());
    }

    private static List<String> arguments(String role, Path file) {
        return List.of(role, "--config", file.toString(), "--end-with-input");
    }
}
