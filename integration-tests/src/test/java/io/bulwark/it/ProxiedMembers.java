package io.bulwark.it;

import io.bulwark.appliance.boot.RoleFile;
import io.bulwark.appliance.cluster.ClusterPlan;
import io.bulwark.appliance.cluster.JavaCommand;
import io.bulwark.appliance.cluster.Member;
import io.bulwark.appliance.cluster.NodeSetup;
import io.bulwark.appliance.cluster.ProcessMember;
import io.bulwark.appliance.cluster.ReplicaMember;
import io.bulwark.appliance.cluster.ReplicaProcess;
import io.bulwark.appliance.cluster.ReplicaSetup;
import io.bulwark.appliance.up.Members;
import io.bulwark.protocol.id.PrincipalId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * Members in processes of their own, as with {@code up --processes}, each behind a {@link CutProxy}. The proxy listens
 * where the plan places the member, and the member itself 100 ports above. A member's connections to others pass
 * through their proxies.
 */
final class ProxiedMembers implements Members, Links, AutoCloseable {
    static final int HIDDEN = 100;
    private static final int HEAP_MEBIBYTES = 256;

    private final ClusterPlan plan;
    private final Path config;
    private final Map<String, CutProxy> proxies = new ConcurrentHashMap<>();

    ProxiedMembers(ClusterPlan plan) throws IOException {
        this.plan = plan;
        this.config = Files.createDirectories(plan.data().root().resolve("config"));
    }

    /** The peers' connections to it break, and they can make no new ones. */
    @Override
    public void cut(String member, Predicate<PrincipalId> peers) {
        proxy(member).refuse(peers);
    }

    @Override
    public void silence(String member, Predicate<PrincipalId> peers) {
        proxy(member).hold(peers);
    }

    @Override
    public void heal(String member) {
        proxy(member).heal();
    }

    private CutProxy proxy(String member) {
        return Objects.requireNonNull(proxies.get(member), member);
    }

    @Override
    public Member node(int number) {
        NodeSetup seen = plan.node(number, plan.data().node(number));
        NodeSetup own = new NodeSetup(
                number,
                hidden(seen.listen()),
                seen.data(),
                seen.keys(),
                seen.channels(),
                seen.replicas(),
                seen.durability());
        Path file = config.resolve("node-" + number + ".yaml");
        String name = "node-" + number;
        place(name, seen.listen(), () -> RoleFile.write(own, file));
        return new ProcessMember(
                name, hidden(seen.listen()), Optional.of(plan.data().log(name)), java(), arguments("node", file));
    }

    @Override
    public ReplicaMember replica(int number) {
        ReplicaSetup seen = plan.replica(number, plan.data().replica(number));
        List<InetSocketAddress> replicas = new ArrayList<>(seen.replicas());
        InetSocketAddress address = replicas.get(number);
        replicas.set(number, hidden(address));
        ReplicaSetup own = new ReplicaSetup(
                number,
                replicas,
                seen.data(),
                seen.keys(),
                seen.channels(),
                seen.ordering(),
                seen.nodes(),
                seen.clients());
        Path file = config.resolve("replica-" + number + ".yaml");
        String name = "replica-" + number;
        place(name, address, () -> RoleFile.write(own, file));
        return new ReplicaProcess(
                name, hidden(address), Optional.of(plan.data().log(name)), java(), arguments("replica", file));
    }

    @Override
    public void close() throws IOException {
        for (CutProxy proxy : proxies.values()) {
            proxy.close();
        }
    }

    private interface Writing {
        void run() throws IOException;
    }

    private void place(String name, InetSocketAddress address, Writing writing) {
        try {
            writing.run();
            proxies.put(name, new CutProxy(address.getPort(), hidden(address)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> java() {
        try {
            return Orphans.marked(JavaCommand.member(HEAP_MEBIBYTES));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> arguments(String role, Path file) {
        return List.of(role, "--config", file.toString(), "--end-with-input");
    }

    private static InetSocketAddress hidden(InetSocketAddress address) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), address.getPort() + HIDDEN);
    }
}
