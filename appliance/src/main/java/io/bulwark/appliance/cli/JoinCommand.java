package io.bulwark.appliance.cli;

import io.bulwark.appliance.boot.Bundle;
import io.bulwark.appliance.cluster.ClusterShape;
import io.bulwark.appliance.cluster.MemberAddresses;
import io.bulwark.appliance.cluster.RunningNode;
import io.bulwark.client.config.ClientConfig;
import io.bulwark.client.config.JoinToken;
import io.bulwark.client.error.NotBelievedException;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.client.registry.ClusterJoin;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code bulwark join TOKEN}. */
@Command(
        name = "join",
        description = {
            "Join the cluster as the principal that an operator invited with `bulwark principal invite`.",
            "Create a key, which never leaves this machine, and write the identity and the genesis file; for a "
                    + "client also client.properties, for a node its key ring and role.yaml. An interrupted join "
                    + "can be repeated."
        })
final class JoinCommand implements Callable<Integer> {
    @Mixin
    private final GlobalOptions global = new GlobalOptions();

    @Parameters(paramLabel = "TOKEN", description = "The line that `bulwark principal invite` printed.")
    private String token = "";

    @Option(names = "--out", paramLabel = "DIR", description = "Output directory (default: the current directory).")
    private Path out = Path.of("");

    @Option(
            names = "--listen",
            paramLabel = "HOST[:PORT]",
            description =
                    "Listen address, for a node (default: port 7410 + N of all addresses; where the replicas' ports"
                            + " follow from another base than 7400, that + 10 + N).")
    private @Nullable String listen;

    @Option(
            names = "--member-data",
            paramLabel = "DIR",
            description = "Data directory, for a node (default: data, beside its files).")
    private @Nullable Path memberData;

    @Override
    public Integer call() throws IOException {
        JoinToken parsed;
        try {
            parsed = JoinToken.parse(token.strip());
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(CommandFailure.USAGE, String.valueOf(e.getMessage()));
        }
        if (parsed.expiresMillis() <= System.currentTimeMillis()) {
            throw new CommandFailure(
                    CommandFailure.FAILED,
                    "the token has expired at " + Instant.ofEpochMilli(parsed.expiresMillis())
                            + "; ask an operator to invite " + parsed.principal() + " again");
        }
        Path directory = out.toAbsolutePath().normalize();
        Optional<InetSocketAddress> listens = listens(parsed);
        Path data = memberData == null
                ? directory.resolve("data")
                : memberData.toAbsolutePath().normalize();
        ClusterJoin.JoinResult joined = join(parsed, directory, RunningNode.kept(data));
        List<Path> files = new ArrayList<>(joined.files());
        if (listens.isPresent()) {
            files.add(Bundle.joined(directory, parsed, listens.get(), data));
        }
        List<String> wrote = files.stream().map(Path::toString).toList();
        global.print(
                new JoinView(joined.principal().toString(), joined.key().text(), wrote),
                "This machine is " + joined.principal() + " now. Wrote " + String.join(", ", wrote) + ".\n"
                        + next(parsed.principal(), directory, listens));
        return 0;
    }

    private static ClusterJoin.JoinResult join(JoinToken token, Path directory, Path registry) throws IOException {
        try {
            return ClusterJoin.join(token, directory, registry, new SecureRandom());
        } catch (NotBelievedException e) {
            // The message itself tells the operator what to do, which differs from the advice for a key.
            throw new CommandFailure(CommandFailure.CONFIG, String.valueOf(e.getMessage()));
        } catch (UnavailableException e) {
            List<ClientConfig.Endpoint> silent = token.endpoints().stream()
                    .filter(endpoint -> !OutageReport.listens(endpoint))
                    .toList();
            throw new CommandFailure(
                    CommandFailure.UNAVAILABLE,
                    e.getMessage()
                            + (silent.isEmpty()
                                    ? "; all of them listen"
                                    : "; unreachable from here: "
                                            + silent.stream()
                                                    .map(ClientConfig.Endpoint::toString)
                                                    .collect(Collectors.joining(", "))));
        }
    }

    /** Returns the next steps, on this host and for the operator. */
    static String next(PrincipalId principal, Path directory, Optional<InetSocketAddress> listens) {
        if (listens.isEmpty()) {
            return "An operator grants it rights: bulwark grant " + principal + " read write --bucket NAME\n"
                    + "Then, here: bulwark ls --client " + directory.resolve("client.properties");
        }
        return "Start it: bulwark node --config " + directory.resolve(Bundle.ROLE) + "\n"
                + "An operator then assigns slots to it: bulwark node add " + principal + " --address HOST:"
                + listens.get().getPort() + ", where HOST is the name of this machine for the others";
    }

    private Optional<InetSocketAddress> listens(JoinToken parsed) {
        PrincipalId principal = parsed.principal();
        if (principal.kind() != PrincipalKind.NODE) {
            if (listen != null || memberData != null) {
                throw new CommandFailure(
                        CommandFailure.USAGE, "--listen and --member-data are for nodes, and this is " + principal);
            }
            return Optional.empty();
        }
        int port = portBase(parsed.replicas()) + ClusterShape.NODES_ABOVE + principal.number();
        try {
            return Optional.of(MemberAddresses.parsed(listen == null ? MemberAddresses.ANY : listen, port));
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(CommandFailure.USAGE, "--listen: " + e.getMessage());
        }
    }

    /** Returns the port base of the replicas. */
    static int portBase(List<JoinToken.Replica> replicas) {
        Map<Integer, Integer> ports = new HashMap<>();
        for (int i = 0; i < replicas.size(); i++) {
            ports.put(i, replicas.get(i).endpoint().port());
        }
        return ClusterShape.portBase(ports, ClusterShape.REPLICAS_ABOVE);
    }

    private record JoinView(String principal, String key, List<String> files) {}
}
