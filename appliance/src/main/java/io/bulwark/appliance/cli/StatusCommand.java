package io.bulwark.appliance.cli;

import io.bulwark.appliance.cluster.DataDirectory;
import io.bulwark.appliance.control.ApplianceStatus;
import io.bulwark.appliance.control.ControlRequest;
import io.bulwark.appliance.control.ControlSocket;
import io.bulwark.client.Bulwark;
import io.bulwark.console.StatusView;
import io.bulwark.protocol.cluster.Protocol;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tools.jackson.databind.json.JsonMapper;

/** {@code bulwark status}: from the appliance of this machine, or else from the cluster itself. */
@Command(
        name = "status",
        description = {
            "Show nodes, replicas, recoveries, buckets, detected faults, and tolerated faults.",
            "Exit code 1 if a volume can tolerate no further fault,",
            "69 if the cluster does not answer."
        })
final class StatusCommand implements Callable<Integer> {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    @Mixin
    private final ClusterAccess access = new ClusterAccess();

    @Override
    public Integer call() {
        ApplianceStatus status = ask(access);
        if (access.global().json()) {
            GlobalOptions.printJson(status);
        } else {
            System.out.println(text(status));
        }
        StatusView cluster = status.cluster();
        if (cluster == null) {
            return CommandFailure.UNAVAILABLE;
        }
        boolean good = cluster.volumes().stream().allMatch(volume -> volume.faultsLeft() > 0);
        return good ? 0 : CommandFailure.FAILED;
    }

    /** Returns the status as the appliance of this machine tells it, or else the cluster. */
    static ApplianceStatus ask(ClusterAccess access) {
        Path data = access.global().data();
        if (!ControlSocket.isServed(data) && Files.exists(DataDirectory.clientProperties(data))) {
            try (Bulwark client = access.connect()) {
                return new ApplianceStatus(data.toString(), "", "", List.of(), StatusView.of(client.status()), "", "");
            }
        }
        Map<String, Object> body = ApplianceControl.ask(access.global(), ControlRequest.of("status"));
        return JSON.convertValue(body, ApplianceStatus.class);
    }

    private static String text(ApplianceStatus status) {
        List<String> parts = new ArrayList<>();
        parts.add("data: " + status.data()
                + (status.console().isEmpty() ? "" : "   console: " + status.console())
                + (status.s3().isEmpty() ? "" : "   s3: " + status.s3()));
        if (!status.members().isEmpty()) {
            List<List<String>> rows = new ArrayList<>();
            rows.add(List.of("MEMBER", "LISTENS AT", "RUNS", "PID", "RECOVERS"));
            for (ApplianceStatus.Member member : status.members()) {
                Long pid = member.pid();
                rows.add(List.of(
                        member.name(),
                        member.address(),
                        runs(member),
                        pid == null ? "-" : pid.toString(),
                        turn(member)));
            }
            parts.add(Text.table(rows));
            if (status.members().stream().anyMatch(ApplianceStatus.Member::removed)) {
                parts.add("A removed member can be stopped: a node with `bulwark node stop N`, a replica with the next"
                        + " `bulwark down`; `bulwark up` does not start it again.");
            }
            for (ApplianceStatus.Member member : status.members()) {
                if (!member.ended().isEmpty()) {
                    parts.add(member.name() + " terminated unexpectedly " + member.ended() + ".");
                }
                if (!member.alarm().isEmpty()) {
                    parts.add("ALARM: " + member.name() + " missed its scheduled recovery: " + member.alarm());
                }
            }
        }
        StatusView cluster = status.cluster();
        if (!status.starting().isEmpty()) {
            parts.add("The appliance is not ready yet: " + status.starting() + ".");
        }
        if (cluster == null && !status.starting().isEmpty()) {
            parts.add("`bulwark down` stops it even during startup.");
        } else if (cluster == null) {
            parts.add("The cluster does not answer: " + status.problem());
            parts.add(advice(status.members()));
        } else {
            parts.addAll(cluster(cluster));
        }
        String gap = System.lineSeparator() + System.lineSeparator();
        return String.join(gap, parts);
    }

    private static String runs(ApplianceStatus.Member member) {
        if (member.removed()) {
            return "removed, still running";
        }
        return member.running() ? "yes" : member.ended().isEmpty() ? "stopped" : "terminated";
    }

    private static String turn(ApplianceStatus.Member member) {
        Long turn = member.turnMillis();
        return turn == null ? "-" : "in " + Text.duration(Math.max(0, turn - System.currentTimeMillis()));
    }

    private static String advice(List<ApplianceStatus.Member> members) {
        long stopped = members.stream().filter(member -> !member.running()).count();
        return (stopped == 0
                        ? "All members run; the cluster may answer in a moment."
                        : Text.count(stopped, "member") + " stopped.")
                + " `bulwark down` and `bulwark up` restart all members; stored data is kept.";
    }

    private static List<String> cluster(StatusView cluster) {
        List<String> parts = new ArrayList<>(List.of(
                Text.table(nodes(cluster)),
                Text.table(replicas(cluster)) + "\nFaults that the replicas can tolerate now: "
                        + Text.faults(cluster.replicaFaultsLeft(), cluster.replicaFaults()) + "."));
        parts.addAll(RecoveryText.of(cluster.recoveries(), System.currentTimeMillis()));
        StatusView.OpenLogs logs = cluster.logs();
        if (logs.logs() > 0) {
            parts.add(
                    "Clients work with " + Text.count(logs.logs(), "log") + " under " + Text.count(logs.locks(), "lock")
                            + ", the oldest for " + Text.duration(logs.oldestMillis()) + ": see `bulwark lock list`.");
        }
        for (List<List<String>> table : List.of(
                rebuilding(cluster),
                volumes(cluster),
                versions(cluster),
                buckets(cluster),
                eventLogs(cluster),
                faults(cluster),
                unaskedRows(cluster))) {
            if (table.size() > 1) {
                parts.add(Text.table(table));
            }
        }
        return parts;
    }

    private static List<List<String>> nodes(StatusView cluster) {
        List<List<String>> nodes = new ArrayList<>();
        nodes.add(List.of("NODE", "STATE", "STORED", "FREE", "TO REPAIR", "LACKING", "SEEN"));
        for (StatusView.Node node : cluster.nodes()) {
            nodes.add(List.of(
                    "node-" + node.number(),
                    node.reachable() ? node.state() : "unreachable (" + node.state() + ")",
                    Text.bytes(node.usedBytes()),
                    Text.bytes(node.freeBytes()),
                    Long.toString(node.pending()),
                    Long.toString(node.lacking()),
                    node.seen().entrySet().stream()
                            .map(seen -> seen.getKey() + " " + seen.getValue())
                            .collect(Collectors.joining(", "))));
        }
        return nodes;
    }

    private static List<List<String>> rebuilding(StatusView cluster) {
        List<List<String>> rebuilding = new ArrayList<>();
        rebuilding.add(List.of("REBUILDING", "REBUILT", "REMAINING", "RATE", "RATE LIMIT", "TIME LEFT"));
        for (StatusView.Node node : cluster.nodes()) {
            StatusView.Rebuild rebuild = node.rebuild();
            if (rebuild != null) {
                Long remaining = rebuild.remainingMillis();
                rebuilding.add(List.of(
                        "node-" + node.number(),
                        Text.bytes(rebuild.madeBytes()),
                        Text.bytes(rebuild.leftBytes()),
                        Text.bytes(rebuild.bytesPerSecond()) + "/s",
                        Text.bytes(rebuild.limitBytesPerSecond()) + "/s",
                        remaining == null ? "-" : Text.duration(remaining)));
            }
        }
        return rebuilding;
    }

    private static List<List<String>> replicas(StatusView cluster) {
        List<List<String>> replicas = new ArrayList<>();
        replicas.add(List.of("REPLICA", "STATE", "APPLIED", "AGREES"));
        for (StatusView.Replica replica : cluster.replicas()) {
            replicas.add(List.of(
                    "replica-" + replica.number(),
                    replica.reachable() ? "up" : "unreachable",
                    Long.toString(replica.applied()),
                    replica.agrees() ? "yes" : "no"));
        }
        return replicas;
    }

    private static List<List<String>> volumes(StatusView cluster) {
        List<List<String>> volumes = new ArrayList<>();
        volumes.add(List.of("VOLUME", "KIND", "POLICY", "FAULTS TOLERATED NOW"));
        for (StatusView.Volume volume : cluster.volumes()) {
            volumes.add(List.of(
                    volume.name(),
                    volume.kind(),
                    volume.policy() + ", " + Text.bytes(volume.blockBytes()),
                    Text.faults(
                            volume.faultsLeft(),
                            volume.faultsLeftAtMost(),
                            volume.leastFaults(),
                            volume.unverifiedNodes())));
            for (StatusView.OlderPolicy older : volume.older()) {
                volumes.add(List.of("", "older", older.policy() + ", " + Text.count(older.extents(), "extent"), ""));
            }
        }
        return volumes;
    }

    /** Counted at each node, and added up. */
    private static List<List<String>> versions(StatusView cluster) {
        List<List<String>> versions = new ArrayList<>();
        versions.add(List.of(
                "VERSIONS", "UNVERIFIED", "POOL", "VERIFICATIONS", "ON DEMAND", "COOPERATIVE", "AVOIDED", "POISONOUS"));
        for (StatusView.Volume volume : cluster.volumes()) {
            if (!volume.protocol().equals(Protocol.FP.text())) {
                versions.add(List.of(
                        volume.name(),
                        Long.toString(volume.unverified()),
                        Text.bytes(volume.poolBytes()),
                        Long.toString(volume.verifications()),
                        Long.toString(volume.onDemand()),
                        Long.toString(volume.cooperative()),
                        Long.toString(volume.avoided()),
                        Long.toString(volume.poisonous())));
            }
        }
        return versions;
    }

    private static List<List<String>> buckets(StatusView cluster) {
        List<List<String>> buckets = new ArrayList<>();
        buckets.add(List.of("BUCKET", "VOLUME", "OBJECTS", "SIZE"));
        for (StatusView.Bucket bucket : cluster.buckets()) {
            buckets.add(List.of(
                    bucket.name(), bucket.volume(), Long.toString(bucket.objects()), Text.bytes(bucket.bytes())));
        }
        return buckets;
    }

    private static List<List<String>> eventLogs(StatusView cluster) {
        List<List<String>> logs = new ArrayList<>();
        logs.add(List.of("BUCKET WITH EVENTS", "PENDING", "LOST", "OLDEST"));
        for (StatusView.EventLog log : cluster.eventLogs()) {
            Long oldest = log.oldestMillis();
            logs.add(List.of(
                    log.bucket(),
                    Integer.toString(log.pending()),
                    Long.toString(log.dropped()),
                    oldest == null ? "-" : Text.duration(Math.max(0, System.currentTimeMillis() - oldest)) + " ago"));
        }
        return logs;
    }

    private static List<List<String>> faults(StatusView cluster) {
        List<List<String>> faults = new ArrayList<>();
        faults.add(List.of("RECORDED FAULT", "NUMBER", "VERDICT", "BLOCK", "DETAIL"));
        for (StatusView.Fault fault : cluster.faults()) {
            faults.add(List.of(
                    fault.node(),
                    Long.toString(fault.number()),
                    fault.verdict(),
                    fault.block(),
                    Text.printable(fault.detail())));
        }
        return faults;
    }

    private static List<List<String>> unaskedRows(StatusView cluster) {
        List<List<String>> unasked = new ArrayList<>();
        unasked.add(List.of("BACKGROUND SCRUB", "CHECKED", "BAD OR MISSING", "REPAIRED", "IDLE TIME USED"));
        for (StatusView.Node node : cluster.nodes()) {
            unasked.add(List.of(
                    "node-" + node.number(),
                    Long.toString(node.looked()),
                    Long.toString(node.foundBad()),
                    Long.toString(node.repaired()),
                    String.format(Locale.ROOT, "%.1f s", node.idleMillis() / 1000.0)));
        }
        return unasked;
    }
}
