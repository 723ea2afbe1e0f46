package io.bulwark.appliance.cli;

import io.bulwark.client.Bulwark;
import io.bulwark.client.ClusterStatus;
import io.bulwark.client.Replicas;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Member;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code bulwark replica list}. */
@Command(
        name = "list",
        description = {
            "List the metadata replicas, and the replicas of the next configuration.",
            "Each change of replicas creates a new configuration at a checkpoint; configurations are numbered from 0."
        })
final class ReplicaListCommand implements Callable<Integer> {
    @Mixin
    private final ClusterAccess access = new ClusterAccess();

    @Override
    public Integer call() {
        Replicas.GroupMembership standing;
        List<List<String>> rows = new ArrayList<>();
        List<ReplicaView> replicas = new ArrayList<>();
        try (Bulwark client = access.connect()) {
            standing = client.replicas().standing();
            Map<Integer, ClusterStatus.ReplicaStatus> status = client.status().replicas().stream()
                    .collect(Collectors.toMap(ClusterStatus.ReplicaStatus::replica, Function.identity()));
            rows.add(List.of("PLACE", "REPLICA", "ADDRESS", "STATE"));
            for (int place = 0; place < standing.now().members().size(); place++) {
                Member member = standing.now().members().get(place);
                ClusterStatus.ReplicaStatus said = status.get(member.replica().number());
                String state = said == null ? "unknown" : said.reachable() ? "up" : "unreachable";
                String address = client.replicas().addressOf(member);
                rows.add(List.of(Integer.toString(place), member.replica().toString(), address, state));
                replicas.add(new ReplicaView(place, member.replica().toString(), address, state));
            }
        }
        GroupView json = new GroupView(
                standing.now().number(),
                replicas,
                standing.next().map(ReplicaListCommand::names).orElse(List.of()));
        String text = Text.table(rows) + "\nThis is configuration "
                + standing.now().number() + "."
                + standing.next()
                        .map(next -> " The next checkpoint begins a configuration of: " + String.join(", ", names(next))
                                + ".")
                        .orElse("");
        access.global().print(json, text);
        return 0;
    }

    static List<String> names(Configuration configuration) {
        return configuration.replicas().stream().map(Object::toString).toList();
    }

    private record ReplicaView(int place, String replica, String address, String state) {}

    private record GroupView(long configuration, List<ReplicaView> replicas, List<String> next) {}
}
