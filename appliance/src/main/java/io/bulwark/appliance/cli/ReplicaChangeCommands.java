package io.bulwark.appliance.cli;

import io.bulwark.appliance.cluster.ClusterShape;
import io.bulwark.appliance.cluster.MemberAddresses;
import io.bulwark.client.Bulwark;
import io.bulwark.client.Replicas;
import io.bulwark.client.membership.ReplicaChange;
import io.bulwark.client.membership.ReplicaChangeExecutor;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.Destination;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Commands by which the replicas become others. */
final class ReplicaChangeCommands {
    private static final String REPLICA = "For example replica-2.";

    private ReplicaChangeCommands() {}

    /** A command that has other replicas order. */
    abstract static class ChangeCommand implements Callable<Integer> {
        private static final long PAUSE_MILLIS = 500;

        @Mixin
        final ClusterAccess access = new ClusterAccess();

        @Option(names = "--no-wait", description = "Return without waiting for the new configuration and its replicas.")
        private boolean noWait;

        @Option(
                names = "--wait",
                paramLabel = "SECONDS",
                defaultValue = "300",
                description = "Time to wait for all replicas (default: ${DEFAULT-VALUE}).")
        private long waitSeconds;

        /** Makes the change unless it is made or under way, and waits. */
        final int change(Bulwark client, List<PrincipalId> leaving, List<JoiningReplica> told)
                throws InterruptedException {
            Replicas.GroupMembership standing = client.replicas().standing();
            List<Member> stay = standing.now().members().stream()
                    .filter(each -> !leaving.contains(each.replica()))
                    .filter(each ->
                            told.stream().noneMatch(coming -> coming.replica().equals(each.replica())))
                    .toList();
            int portBase = portBase(stay, client.replicas()::addressOf);
            List<Member> coming = told.stream().map(each -> each.at(portBase)).toList();
            ReplicaChangeExecutor executor = new ReplicaChangeExecutor(
                    client.replicas(), client::status, new ReplicaChange(leaving, coming), PAUSE_MILLIS);
            executor.begin();
            String[] shown = {""};
            List<String> missing = noWait
                    ? List.of()
                    : executor.await(TimeUnit.SECONDS.toMillis(waitSeconds), now -> {
                        String line = "Waiting for " + String.join(", ", now) + ".";
                        if (!access.global().json() && !line.equals(shown[0])) {
                            System.err.println(line);
                            shown[0] = line;
                        }
                    });
            boolean over = !noWait && missing.isEmpty();
            Configuration now = client.replicas().believed();
            ChangeView json = new ChangeView(now.number(), ReplicaListCommand.names(now), over, missing);
            access.global().print(json, text(now, over, missing, leaving));
            return over || noWait ? 0 : CommandFailure.FAILED;
        }

        private static String text(Configuration now, boolean over, List<String> missing, List<PrincipalId> leaving) {
            String order = "Configuration " + now.number() + " orders: "
                    + String.join(", ", ReplicaListCommand.names(now)) + ".";
            String off = leaving.isEmpty()
                    ? ""
                    : " Stop these replicas and wipe their disks: "
                            + String.join(
                                    ", ", leaving.stream().map(Object::toString).toList()) + ".";
            if (over) {
                return order + off;
            }
            return missing.isEmpty()
                    ? "The change is agreed; `bulwark replica list` shows when it takes effect."
                    : order + " Still missing: " + String.join(", ", missing) + "; the same command resumes the wait.";
        }
    }

    /** {@code bulwark replica replace}. */
    @Command(
            name = "replace",
            description = {
                "Replace a replica with a new one. The old replica may be down.",
                "First start the new replica, with a key from `bulwark keygen` and a name that no replica ever had;",
                "it fetches the state before it votes. The old replica is not trusted from then on."
            })
    static final class Replace extends ChangeCommand {
        @Parameters(index = "0", paramLabel = "OLD", description = REPLICA)
        private String old = "";

        @Parameters(index = "1", paramLabel = "NEW", description = "A name that no replica ever had.")
        private String fresh = "";

        @Option(names = "--key", required = true, paramLabel = "KEY", description = "Its public key, from `keygen`.")
        private String key = "";

        @Option(
                names = "--address",
                required = true,
                paramLabel = "HOST[:PORT]",
                description = "Its address. Default port: 200 + N above the port base of the others.")
        private String address = "";

        @Override
        public Integer call() throws InterruptedException {
            PrincipalId leaving = replica(old);
            JoiningReplica coming = JoiningReplica.parsed(replica(fresh), key, address);
            try (Bulwark client = access.connect()) {
                return change(client, List.of(leaving), List.of(coming));
            }
        }
    }

    /** {@code bulwark replica add}. */
    @Command(
            name = "add",
            description = {
                "Add three replicas: the group then tolerates one more faulty replica.",
                "Give each as NAME=KEY@HOST[:PORT], with the public key from `keygen`.",
                "The default port is 200 + N above the port base of the others."
            })
    static final class Add extends ChangeCommand {
        @Parameters(arity = "3", paramLabel = "REPLICA", description = "For example replica-4=MFkw...@10.0.0.4:7604.")
        private List<String> replicas = List.of();

        @Override
        public Integer call() throws InterruptedException {
            List<JoiningReplica> coming = replicas.stream().map(Add::parsed).toList();
            try (Bulwark client = access.connect()) {
                return change(client, List.of(), coming);
            }
        }

        private static JoiningReplica parsed(String text) {
            int name = text.indexOf('=');
            int key = text.lastIndexOf('@');
            if (name < 0 || key < name) {
                throw new CommandFailure(CommandFailure.USAGE, "\"" + text + "\" is not NAME=KEY@HOST[:PORT]");
            }
            return JoiningReplica.parsed(
                    replica(text.substring(0, name)), text.substring(name + 1, key), text.substring(key + 1));
        }
    }

    /** {@code bulwark replica remove}. */
    @Command(
            name = "remove",
            description = {
                "Remove three replicas: the group then tolerates one faulty replica less.",
                "The command is refused if fewer than four would remain. Names and keys of removed replicas cannot "
                        + "be used again."
            })
    static final class Remove extends ChangeCommand {
        @Parameters(arity = "3", paramLabel = "REPLICA", description = REPLICA)
        private List<String> replicas = List.of();

        @Override
        public Integer call() throws InterruptedException {
            List<PrincipalId> leaving =
                    replicas.stream().map(ReplicaChangeCommands::replica).toList();
            try (Bulwark client = access.connect()) {
                return change(client, leaving, List.of());
            }
        }
    }

    /** {@code replica-2}, or its number alone. */
    static PrincipalId replica(@Nullable String text) {
        String given = String.valueOf(text);
        try {
            PrincipalId named = PrincipalId.parse(given.matches("[0-9]+") ? "replica-" + given : given);
            if (named.kind() == PrincipalKind.REPLICA) {
                return named;
            }
        } catch (IllegalArgumentException e) {
            // Said below.
        }
        throw new CommandFailure(CommandFailure.USAGE, "\"" + given + "\" is not a replica such as replica-2");
    }

    /**
     * Returns the port base of the replicas that stay. Those about to change do not count, so that a repeated command
     * means the same.
     */
    static int portBase(List<Member> stay, Function<Member, String> addressOf) {
        return ClusterShape.portBase(
                stay.stream()
                        .collect(Collectors.toMap(
                                each -> each.replica().number(),
                                each -> MemberAddresses.parsed(addressOf.apply(each), 0)
                                        .getPort())),
                ClusterShape.REPLICAS_ABOVE);
    }

    /** A replica as it is typed. */
    record JoiningReplica(PrincipalId replica, Bytes key, String address) {
        /** Invalid keys and addresses are reported before the cluster is asked. */
        static JoiningReplica parsed(PrincipalId replica, String key, String address) {
            PrincipalKey parsed = PrincipalCommand.key("the key of " + replica, replica, key);
            JoiningReplica coming = new JoiningReplica(replica, parsed.encoded(), address);
            var _ = coming.at(ClusterShape.PORT_BASE_DEFAULT);
            return coming;
        }

        /** @param portBase counts where the address has no port */
        Member at(int portBase) {
            try {
                return new Member(
                        replica,
                        key,
                        Destination.text(MemberAddresses.parsed(
                                address, portBase + ClusterShape.REPLICAS_ABOVE + replica.number())));
            } catch (IllegalArgumentException e) {
                throw new CommandFailure(CommandFailure.USAGE, replica + ": " + e.getMessage());
            }
        }
    }

    private record ChangeView(long configuration, List<String> replicas, boolean over, List<String> missing) {}
}
