package io.bulwark.appliance.cli;

import io.bulwark.appliance.cluster.ClusterShape;
import io.bulwark.appliance.cluster.MemberAddresses;
import io.bulwark.client.Bulwark;
import io.bulwark.client.ClusterStatus;
import io.bulwark.client.placement.Move;
import io.bulwark.client.placement.MoveExecutor;
import io.bulwark.client.placement.MovePlan;
import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.NodeAddress;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Commands by which the cluster grows and shrinks. */
final class NodeMoveCommands {
    private static final String NODE = "For example node-5.";

    private NodeMoveCommands() {}

    /** A command that moves slots. */
    abstract static class MoveCommand implements Callable<Integer> {
        private static final long PAUSE_MILLIS = 500;

        @Mixin
        final ClusterAccess access = new ClusterAccess();

        @Option(
                names = "--volume",
                paramLabel = "NAME",
                description = "Move only slots of this volume (default: " + "all volumes).")
        private @Nullable String volume;

        @Option(
                names = "--no-wait",
                description = {
                    "Announce the possible changes and return without waiting for the rebuild.",
                    "The same command resumes from there."
                })
        private boolean noWait;

        /** Plans the moves for the requested volumes. */
        MovePlan plan(ClusterMap map) {
            return MovePlan.of(map, Optional.ofNullable(volume));
        }

        /** Has them move, and says how it goes. */
        int run(Bulwark client, MovePlan plan, Function<MovePlan, List<Move>> wanted) throws InterruptedException {
            boolean quiet = access.global().json();
            MoveExecutor moving = new MoveExecutor(client.nodes(), client::status, plan, wanted, PAUSE_MILLIS);
            moving.requireAnswers();
            String[] shown = {""};
            MoveExecutor.MoveProgress standing = moving.run(!noWait, now -> {
                String line = now.toString();
                if (!quiet && !now.over() && !line.equals(shown[0])) {
                    System.err.println(line + ".");
                    shown[0] = line;
                }
            });
            ProgressView json = new ProgressView(
                    standing.moves(),
                    moving.announced(),
                    standing.moved(),
                    standing.rebuilt(),
                    standing.over(),
                    moving.moves().stream().map(MoveView::of).toList(),
                    plan.kept());
            access.global().print(json, text(standing, moving.announced()));
            return 0;
        }

        private static String text(MoveExecutor.MoveProgress standing, int announced) {
            if (!standing.over()) {
                return announced + " of " + standing.moves() + " changes are announced; `bulwark node list --groups`"
                        + " shows their progress, and the same command resumes.";
            }
            return standing.moves() == 0
                    ? "No slot is left to move."
                    : Text.count(standing.moves(), "slot") + " moved and rebuilt.";
        }
    }

    /** {@code bulwark node add}. */
    @Command(
            name = "add",
            description = {
                "Add a joined node, and move its fair share of slots to it from the nodes with the most.",
                "A node joins with `bulwark principal invite` and `bulwark join`. To change the address of a node, "
                        + "repeat the command with the new address."
            })
    static final class Add extends MoveCommand {
        @Parameters(paramLabel = "NODE", description = NODE)
        private String node = "";

        @Option(
                names = "--address",
                paramLabel = "HOST[:PORT]",
                description = {
                    "Address for clients and the other nodes (default: its address in the cluster map).",
                    "Default port: 10 + N above the port base of the others."
                })
        private @Nullable String address;

        @Option(names = "--spare", description = "Assign no slots yet, for example before `node replace`.")
        private boolean spare;

        @Override
        public Integer call() throws InterruptedException {
            int number = number(node);
            if (address != null) {
                // An invalid address is reported before the cluster is asked.
                var _ = address(number, address, List.of());
            }
            try (Bulwark client = access.connect()) {
                if (address != null) {
                    client.nodes()
                            .set(address(number, address, client.nodes().map().nodes()));
                }
                ClusterMap map = client.nodes().map();
                MovePlan plan = plan(map);
                if (spare) {
                    plan.requireNode(number);
                    access.global().print(new SpareView(number, true), "node-" + number + " can hold slots now.");
                    return 0;
                }
                List<Move> moves = plan.planFill(number);
                if (!access.global().json() && !plan.kept().isEmpty()) {
                    System.err.println("Register volumes without verification keep their holders: "
                            + String.join(", ", plan.kept()) + ".");
                }
                return run(client, plan, _ -> moves);
            }
        }
    }

    /** {@code bulwark node replace}. */
    @Command(
            name = "replace",
            description = {
                "Move all slots of one node to another, for example after a disk failure. The old node may be down.",
                "The new node rebuilds the stored data from the others and checks every fragment. The command can "
                        + "be repeated and resumes."
            })
    static final class Replace extends MoveCommand {
        @Parameters(index = "0", paramLabel = "OLD", description = NODE)
        private String old = "";

        @Parameters(index = "1", paramLabel = "NEW", description = "A node that holds no slot of the same groups.")
        private String fresh = "";

        @Override
        public Integer call() throws InterruptedException {
            int from = number(old);
            int to = number(fresh);
            if (from == to) {
                throw new CommandFailure(
                        CommandFailure.USAGE,
                        "a node cannot replace itself: start it with an empty disk and its old keys, and it "
                                + "rebuilds its data");
            }
            try (Bulwark client = access.connect()) {
                MovePlan plan = plan(client.nodes().map());
                return run(client, plan, each -> each.replacing(from, to));
            }
        }
    }

    /** {@code bulwark node drain}. */
    @Command(
            name = "drain",
            description = {
                "Move all slots of a node to the others before its removal.",
                "The command is refused, and nothing changes, if too few nodes for the policy would remain. It can "
                        + "be repeated and resumes."
            })
    static final class Drain extends MoveCommand {
        @Parameters(paramLabel = "NODE", description = NODE)
        private String node = "";

        @Override
        public Integer call() throws InterruptedException {
            int number = number(node);
            try (Bulwark client = access.connect()) {
                Set<Integer> answering = client.status().nodes().stream()
                        .filter(ClusterStatus.NodeStatus::reachable)
                        .map(ClusterStatus.NodeStatus::node)
                        .collect(Collectors.toSet());
                MovePlan plan = plan(client.nodes().map());
                return run(client, plan, each -> each.planDrain(number, answering::contains));
            }
        }
    }

    /** {@code bulwark node remove}. */
    @Command(
            name = "remove",
            description = {
                "Remove a node without slots permanently from the cluster: the node is revoked.",
                "The command is refused while the node holds slots; move them first with `node drain` or `node "
                        + "replace`."
            })
    static final class Remove implements Callable<Integer> {
        @Mixin
        private final ClusterAccess access = new ClusterAccess();

        @Parameters(paramLabel = "NODE", description = NODE)
        private String node = "";

        @Override
        public Integer call() {
            int number = number(node);
            try (Bulwark client = access.connect()) {
                client.nodes().remove(number);
            }
            access.global()
                    .print(
                            new RemovedView(number, true),
                            "node-" + number + " is removed permanently: stop its process and wipe its disk.");
            return 0;
        }
    }

    /** {@code bulwark node abort}. */
    @Command(
            name = "abort",
            description = {
                "Abort announced changes whose epoch has not opened: the slots keep their holders.",
                "Their groups still get a new epoch, since seals cannot be undone."
            })
    static final class Abort implements Callable<Integer> {
        @Mixin
        private final ClusterAccess access = new ClusterAccess();

        @Parameters(index = "0", paramLabel = "VOLUME", description = "Volume of the groups.")
        private String volume = "";

        @Parameters(
                index = "1",
                arity = "0..1",
                paramLabel = "GROUP",
                description = "Number of one group (default: all groups of the volume).")
        private @Nullable Integer group;

        @Override
        public Integer call() {
            List<Integer> aborted = new ArrayList<>();
            try (Bulwark client = access.connect()) {
                Volume known = client.nodes()
                        .map()
                        .volume(volume)
                        .orElseThrow(() -> new CommandFailure(
                                CommandFailure.FAILED,
                                "there is no volume " + volume + "; `bulwark volume ls` lists them"));
                int groups = known.groups().size();
                if (group != null && (group < 0 || group >= groups)) {
                    throw new CommandFailure(
                            CommandFailure.USAGE, volume + " has the groups 0 to " + (groups - 1) + ", not " + group);
                }
                for (int index = 0; index < groups; index++) {
                    PlacementGroup each = known.groups().get(index);
                    if ((group == null || group == index) && each.change().isPresent()) {
                        client.nodes().abort(volume, index, each.epoch());
                        aborted.add(index);
                    }
                }
            }
            if (aborted.isEmpty()) {
                throw new CommandFailure(
                        CommandFailure.FAILED,
                        "no change is announced there; a change whose epoch has opened can " + "only be moved back");
            }
            access.global().print(new AbortedView(volume, aborted), Text.count(aborted.size(), "change") + " aborted.");
            return 0;
        }
    }

    /** {@code node-5}, or its number alone. */
    static int number(String text) {
        try {
            PrincipalId named = PrincipalId.parse(text.matches("[0-9]+") ? "node-" + text : text);
            if (named.kind() == PrincipalKind.NODE) {
                return named.number();
            }
        } catch (IllegalArgumentException e) {
            // Said below.
        }
        throw new CommandFailure(CommandFailure.USAGE, "\"" + text + "\" is not a storage node such as node-5");
    }

    /** @param others whose ports have a base, too, if the text has no port */
    static NodeAddress address(int number, String text, List<NodeAddress> others) {
        int base = ClusterShape.portBase(
                others.stream()
                        .filter(each -> each.node() != number)
                        .collect(Collectors.toMap(NodeAddress::node, NodeAddress::port)),
                ClusterShape.NODES_ABOVE);
        try {
            InetSocketAddress parsed = MemberAddresses.parsed(text, base + ClusterShape.NODES_ABOVE + number);
            return new NodeAddress(number, parsed.getHostString(), parsed.getPort());
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(CommandFailure.USAGE, "--address: " + e.getMessage());
        }
    }

    private record SpareView(int node, boolean spare) {}

    private record RemovedView(int node, boolean removed) {}

    private record AbortedView(String volume, List<Integer> groups) {}

    private record ProgressView(
            int slots,
            int announced,
            int moved,
            int rebuilt,
            boolean over,
            List<MoveView> moves,
            List<String> keptVolumes) {}

    private record MoveView(String volume, int group, int from, int to) {
        static MoveView of(Move move) {
            return new MoveView(move.volume(), move.group(), move.from(), move.to());
        }
    }
}
