package io.bulwark.appliance.cli;

import io.bulwark.appliance.boot.S3Role;
import io.bulwark.appliance.cluster.ClusterPlan;
import io.bulwark.appliance.cluster.GatewayDoor;
import io.bulwark.client.AccessKeys;
import io.bulwark.client.Bulwark;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.metadata.Gateways;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code bulwark s3} and its subcommands. */
@Command(
        name = "s3",
        description = {
            "Run an S3 gateway, or say which clients are gateways.",
            "`s3 --config FILE` runs one. `bulwark access-key` makes the keys with which programs sign in."
        })
final class S3Command implements Callable<Integer> {
    private static final String CLIENT_DESCRIPTION =
            "Client as which the gateway connects (default: ${DEFAULT-VALUE}).";

    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--config", paramLabel = "FILE", description = "Its configuration (YAML).")
    private @Nullable Path config;

    @Option(
            names = NodeCommand.HEALTH,
            paramLabel = "FILE",
            description = "With --config: " + NodeCommand.HEALTH_DESCRIPTION)
    private @Nullable Path health;

    @Override
    public Integer call() throws Exception {
        if (config == null) {
            throw new ParameterException(
                    Objects.requireNonNull(spec).commandLine(),
                    "s3 needs --config FILE, or one of enable, disable, list, anonymous");
        }
        return S3Role.run(config, health);
    }

    /** Returns the address of the gateway of an appliance. */
    static String urlOf(ClusterPlan plan) {
        InetSocketAddress address = plan.s3Address();
        return "http://" + address.getHostString() + ":" + address.getPort();
    }

    @Command(
            name = "enable",
            description = {
                "Let a client be an S3 gateway, and take its own rights away.",
                "It gets the act-for grants of the other gateways, and all secrets that this operator keeps."
            })
    int enable(
            @Mixin ClusterAccess access,
            @Option(
                            names = "--door",
                            paramLabel = "CLIENT",
                            defaultValue = "client-15",
                            description = CLIENT_DESCRIPTION)
                    String door,
            @Option(
                            names = "--seal",
                            description = "Seal all secrets anew, after the identity of a gateway was exchanged.")
                    boolean seal) {
        PrincipalId client = client(door);
        try (Bulwark operator = access.connect()) {
            List<String> done = GatewayDoor.enable(operator, client, seal);
            access.global()
                    .print(
                            new EnabledView(door, done),
                            done.isEmpty() ? door + " is an S3 gateway already" : String.join("\n", done));
        }
        return 0;
    }

    @Command(
            name = "disable",
            description = "Take a gateway out: it gets no secret any more, and acts for nobody who has an access key.")
    int disable(
            @Mixin ClusterAccess access,
            @Option(
                            names = "--door",
                            paramLabel = "CLIENT",
                            defaultValue = "client-15",
                            description = CLIENT_DESCRIPTION)
                    String door) {
        PrincipalId client = client(door);
        try (Bulwark operator = access.connect()) {
            operator.accessKeys().removeGateway(client);
        }
        access.global()
                .print(
                        new DisabledView(door),
                        door + " is no S3 gateway any more. It knows the secrets that it has used: rotate the keys if"
                                + " somebody may have taken them.");
        return 0;
    }

    @Command(name = "list", description = "List the gateways.")
    int list(@Mixin ClusterAccess access) {
        Gateways gateways;
        try (Bulwark client = access.connect()) {
            gateways = client.accessKeys().gateways();
        }
        List<String> doors =
                gateways.doors().stream().map(PrincipalId::toString).toList();
        access.global()
                .print(
                        new GatewaysView(doors, text(gateways.keeper()), text(gateways.anonymous())),
                        "Gateways: "
                                + String.join(", ", doors)
                                + "\nKeeper of the secrets: " + text(gateways.keeper())
                                + "\nRequests without a signature: "
                                + (gateways.anonymous().equals(PrincipalId.NOBODY)
                                        ? "refused"
                                        : "as " + gateways.anonymous()));
        return 0;
    }

    @Command(
            name = "anonymous",
            description = {
                "Name the client whose rights requests without a signature have, or refuse such requests.",
                "`bulwark grant CLIENT read --bucket NAME` then makes a bucket public."
            })
    int anonymous(
            @Mixin ClusterAccess access,
            @Parameters(index = "0", paramLabel = "CLIENT|none", description = "For example client-20.")
                    String person) {
        Optional<PrincipalId> named = person.equals("none") ? Optional.empty() : Optional.of(client(person));
        try (Bulwark operator = access.connect()) {
            AccessKeys keys = operator.accessKeys();
            keys.setAnonymous(named);
        }
        access.global()
                .print(
                        new AnonymousView(named.map(PrincipalId::toString).orElse("")),
                        named.map(client -> "Requests without a signature are those of " + client + ".")
                                .orElse("Requests without a signature are refused."));
        return 0;
    }

    private static String text(PrincipalId principal) {
        return principal.equals(PrincipalId.NOBODY) ? "" : principal.toString();
    }

    private static PrincipalId client(String text) {
        PrincipalId client = PrincipalCommand.named(text);
        if (client.kind() != PrincipalKind.CLIENT) {
            throw new CommandFailure(CommandFailure.USAGE, text + " is no client");
        }
        return client;
    }

    private record EnabledView(String door, List<String> done) {}

    private record DisabledView(String door) {}

    private record GatewaysView(List<String> gateways, String keeper, String anonymous) {}

    private record AnonymousView(String anonymous) {}
}
