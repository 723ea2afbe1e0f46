package io.bulwark.appliance.cli;

import io.bulwark.client.Bulwark;
import io.bulwark.client.Principals;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Rights;
import io.bulwark.protocol.metadata.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code bulwark grant}. */
@Command(
        name = "grant",
        description = {
            "Grant a client rights on the cluster, a volume or a bucket, or list its grants.",
            "The given rights replace its rights on exactly this scope; `none` removes them.",
            "The list of a door also names the clients on whose behalf it acts (`grant act-for`)."
        })
final class GrantCommand implements Callable<Integer> {
    @Mixin
    private final ClusterAccess access = new ClusterAccess();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** Optional to the parser only, which would otherwise ask the subcommand for it. */
    @Parameters(index = "0", arity = "0..1", paramLabel = "CLIENT", description = "For example client-20.")
    private @Nullable String client;

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "RIGHT",
            description = "read, write, administer; or none. Without rights: list the grants.")
    private List<String> rights = new ArrayList<>();

    @Option(names = "--bucket", paramLabel = "NAME", description = "Scope: this bucket (default: the cluster).")
    private @Nullable String bucket;

    @Option(names = "--volume", paramLabel = "NAME", description = "Scope: this volume with all its buckets.")
    private @Nullable String volume;

    @Override
    public Integer call() {
        if (client == null) {
            throw new ParameterException(spec.commandLine(), "Missing required parameter: 'CLIENT'");
        }
        PrincipalId named = PrincipalCommand.named(client);
        if (rights.isEmpty()) {
            return list(named);
        }
        Rights wanted = parsed(rights);
        Scope scope = scope();
        try (Bulwark connected = access.connect()) {
            connected.principals().grant(named, scope, wanted);
        }
        access.global()
                .print(
                        new GrantedView(named.toString(), scope.text(), wanted.text()),
                        named + " has on " + scope.text() + ": " + wanted.text() + ".");
        return 0;
    }

    @Command(
            name = "act-for",
            description = {
                "Let a client, the door, act on behalf of another client, the person.",
                "The person's rights then count, as far as --rights includes them; the audit log names both."
            })
    int actFor(
            @Mixin ClusterAccess cluster,
            @Parameters(index = "0", paramLabel = "DOOR", description = "Client that acts, for example client-1.")
                    String door,
            @Parameters(index = "1", paramLabel = "PERSON", description = "Client on whose behalf it acts.")
                    String person,
            @Option(
                            names = "--rights",
                            split = ",",
                            paramLabel = "RIGHT",
                            description = "Ceiling: read, write, administer; several are separated by commas.")
                    @Nullable
                    List<String> ceiling,
            @Option(names = "--none", description = "Withdraw the grant.") boolean none) {
        PrincipalId acting = PrincipalCommand.named(door);
        PrincipalId represented = PrincipalCommand.named(person);
        if (none == (ceiling != null)) {
            throw new CommandFailure(CommandFailure.USAGE, "either --rights or --none");
        }
        Rights wanted = ceiling == null ? Rights.NONE : parsed(ceiling);
        try (Bulwark connected = cluster.connect()) {
            connected.principals().setActFor(acting, represented, wanted);
        }
        cluster.global()
                .print(
                        new ActingView(acting.toString(), represented.toString(), wanted.text()),
                        wanted.isNone()
                                ? acting + " no longer acts for " + represented + "."
                                : acting + " acts for " + represented + ", at most: " + wanted.text() + ".");
        return 0;
    }

    private int list(PrincipalId named) {
        List<Object> json = new ArrayList<>();
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("ON", "RIGHTS"));
        try (Bulwark connected = access.connect()) {
            for (Principals.Grant grant : connected.principals().grants(named)) {
                json.add(new ScopeView(grant.scope().text(), grant.rights().text()));
                rows.add(List.of(grant.scope().text(), grant.rights().text()));
            }
            for (Principals.ActFor each : connected.principals().actFor(named)) {
                json.add(new ActForView(each.person().toString(), each.ceiling().text()));
                rows.add(List.of(
                        "behalf of " + each.person(),
                        "at most " + each.ceiling().text()));
            }
        }
        if (access.global().json()) {
            GlobalOptions.printJson(json);
        } else {
            System.out.println(Text.table(rows));
        }
        return 0;
    }

    private static Rights parsed(List<String> rights) {
        boolean read = rights.contains("read");
        boolean write = rights.contains("write");
        boolean administer = rights.contains("administer");
        for (String right : rights) {
            if (!List.of("read", "write", "administer", "none").contains(right)) {
                throw new CommandFailure(
                        CommandFailure.USAGE, "a right is read, write, administer or none, not \"" + right + "\"");
            }
        }
        if (rights.contains("none") && rights.size() > 1) {
            throw new CommandFailure(CommandFailure.USAGE, "either none or some of read, write, administer");
        }
        return new Rights(read, write, administer);
    }

    private Scope scope() {
        if (bucket != null && volume != null) {
            throw new CommandFailure(CommandFailure.USAGE, "either --bucket or --volume");
        }
        if (bucket != null) {
            return new Scope.OfBucket(bucket);
        }
        return volume == null ? new Scope.All() : new Scope.OfVolume(volume);
    }

    private record GrantedView(String client, String scope, String rights) {}

    private record ActingView(String door, String person, String rights) {}

    private record ScopeView(String scope, String rights) {}

    private record ActForView(String actFor, String rights) {}
}
