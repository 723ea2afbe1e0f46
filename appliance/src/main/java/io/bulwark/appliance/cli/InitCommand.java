package io.bulwark.appliance.cli;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.bulwark.appliance.boot.Bundle;
import io.bulwark.appliance.boot.RoleFile;
import io.bulwark.appliance.cluster.ClusterPlan;
import io.bulwark.appliance.cluster.ClusterShape;
import io.bulwark.appliance.cluster.DataDirectory;
import io.bulwark.appliance.cluster.MemberAddresses;
import io.bulwark.appliance.cluster.NodeSetup;
import io.bulwark.appliance.cluster.ReplicaSetup;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bulwark init}. */
@Command(
        name = "init",
        description = {
            "Write keys and configuration files for members that run one by one.",
            "Each member is a separate process, container or host. Existing keys and addresses are kept."
        })
final class InitCommand implements Callable<Integer> {
    @Mixin
    private final GlobalOptions global = new GlobalOptions();

    @Mixin
    private final ShapeOptions wanted = new ShapeOptions();

    @Option(
            names = "--member-data",
            paramLabel = "DIR",
            description =
                    "Data directory of each member, if all hosts use the same path (default: one for each member, "
                            + "below --data).")
    private @Nullable Path memberData;

    @Option(
            names = "--host-pattern",
            paramLabel = "PATTERN",
            description = "Name of each member's host; %%s stands for the member, as in %%s.storage.example for node-3"
                    + " (default: all on loopback).")
    private @Nullable String hostPattern;

    @Option(
            names = "--addresses",
            paramLabel = "FILE",
            description = "File with a line node-3=HOST or node-3=HOST:PORT for each node and replica.")
    private @Nullable Path addressFile;

    @Option(
            names = "--bundles",
            paramLabel = "DIR",
            description = "Write a directory for each member there, with the files for its host and no other "
                    + "member's keys.")
    private @Nullable Path bundles;

    @Override
    public Integer call() throws IOException {
        ClusterShape first = wanted.shape("sync");
        DataDirectory data = DataDirectory.create(global.data());
        ClusterShape shape = data.shape(first);
        wanted.checkKept(shape);
        ClusterPlan plan = new ClusterPlan(data, shape, addresses(data, shape));
        plan.prepare();
        Path config = Files.createDirectories(data.root().resolve("config"));
        for (int i = 0; i < shape.nodes(); i++) {
            NodeSetup setup = plan.node(i, memberData == null ? data.node(i) : memberData);
            Optional<InetSocketAddress> admin = Optional.of(plan.adminAddress(setup.listen()));
            RoleFile.writeNode(
                    new RoleFile.Configured<>(setup, admin), config.resolve("node-" + i + ".yaml"), data.root());
            if (bundles != null) {
                Bundle.write(bundles.resolve("node-" + i), setup, admin);
            }
        }
        for (int i = 0; i < shape.replicas(); i++) {
            ReplicaSetup setup = plan.replica(i, memberData == null ? data.replica(i) : memberData);
            Optional<InetSocketAddress> admin = Optional.of(plan.adminAddress(setup.listen()));
            RoleFile.writeReplica(
                    new RoleFile.Configured<>(setup, admin), config.resolve("replica-" + i + ".yaml"), data.root());
            if (bundles != null) {
                Bundle.write(bundles.resolve("replica-" + i), setup, admin);
            }
        }
        console(plan, config);
        if (plan.hasS3()) {
            s3(plan, config);
        }
        global.print(
                new InitView(
                        config.toString(),
                        data.clientProperties().toString(),
                        bundles == null ? null : bundles.toString()),
                "Wrote keys and configuration below " + data.root() + "."
                        + (bundles == null ? "" : " The files for each host are below " + bundles + "."));
        return 0;
    }

    private void console(ClusterPlan plan, Path config) throws IOException {
        Path client = plan.data().root().resolve("console.properties");
        plan.consoleClient().store(client);
        InetSocketAddress listen = plan.consoleAddress();
        InetSocketAddress admin = plan.adminAddress(listen);
        RoleFile.writeConsole(
                new RoleFile.Configured<>(
                        RoleFile.ConsoleSetup.plain(listen, false, client, plan.consoleDirectory()),
                        Optional.of(admin)),
                config.resolve("console.yaml"),
                plan.data().root());
        if (bundles != null) {
            Bundle.write(bundles.resolve("console"), plan.consoleClient());
            Bundle.writeConsole(bundles.resolve("console"), listen, admin);
            Bundle.write(bundles.resolve("client"), plan.commandLine());
        }
    }

    private void s3(ClusterPlan plan, Path config) throws IOException {
        Path client = plan.data().root().resolve("s3.properties");
        plan.s3Client().store(client);
        InetSocketAddress listen = plan.s3Address();
        InetSocketAddress admin = plan.adminAddress(listen);
        RoleFile.writeS3(
                new RoleFile.Configured<>(RoleFile.S3Setup.plain(listen, false, client), Optional.of(admin)),
                config.resolve("s3.yaml"));
        if (bundles != null) {
            Bundle.write(bundles.resolve("s3"), plan.s3Client());
            Bundle.writeS3(bundles.resolve("s3"), listen, admin);
        }
    }

    /** Returns the stored addresses, or stores and returns the requested ones. */
    private MemberAddresses addresses(DataDirectory data, ClusterShape shape) throws IOException {
        MemberAddresses asked = asked(shape);
        Optional<MemberAddresses> kept = MemberAddresses.kept(data, shape);
        if (kept.isEmpty() && asked != null) {
            if (Files.exists(data.clientProperties())) {
                throw new CommandFailure(
                        CommandFailure.USAGE,
                        data.root() + " is an appliance on loopback already; choose another directory with --data");
            }
            asked.keep(data);
            return asked;
        }
        MemberAddresses known = kept.orElse(MemberAddresses.loopback());
        if (asked != null && !asked.equals(known)) {
            throw new CommandFailure(
                    CommandFailure.USAGE,
                    "this directory was created with other addresses, which cannot change: " + known
                            + "; omit the option, or choose another directory with --data");
        }
        return known;
    }

    private @Nullable MemberAddresses asked(ClusterShape shape) throws IOException {
        if (hostPattern != null && addressFile != null) {
            throw new CommandFailure(CommandFailure.USAGE, "either --host-pattern or --addresses");
        }
        if ((hostPattern != null || addressFile != null) && shape.insecureLoopback()) {
            throw new CommandFailure(CommandFailure.USAGE, "--insecure-loopback is for loopback only");
        }
        try {
            if (hostPattern != null) {
                return MemberAddresses.named(hostPattern, shape);
            }
            return addressFile == null ? null : MemberAddresses.read(addressFile, shape);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(CommandFailure.USAGE, String.valueOf(e.getMessage()));
        }
    }

    private record InitView(
            String config,
            String client,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String bundles) {}
}
