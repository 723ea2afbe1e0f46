package io.bulwark.appliance.cli;

import io.bulwark.client.ClusterStatus;
import io.bulwark.client.VolumeInfo;
import io.bulwark.client.text.AuditText;
import io.bulwark.protocol.cluster.Protocol;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Volumes as the command line shows them. */
final class VolumeText {
    private VolumeText() {}

    static Map<String, Object> json(VolumeInfo volume) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", volume.name());
        json.put("kind", volume.kind().name().toLowerCase(Locale.ROOT));
        json.put("protocol", volume.policy().protocol().text());
        json.put("verification", volume.policy().verification().text());
        json.put("faults", volume.policy().f());
        json.put("dataFragments", volume.policy().m());
        json.put("fragments", volume.policy().n());
        json.put("blockBytes", volume.policy().blockBytes());
        json.put("blocks", volume.blocks());
        json.put("groups", volume.groups());
        return json;
    }

    static String of(VolumeInfo volume) {
        List<String> parts = new ArrayList<>();
        parts.add(volume.name());
        parts.add(volume.blocks() > 0 ? volume.blocks() + " register blocks" : "objects");
        parts.add(AuditText.of(volume.policy()));
        return String.join(", ", parts);
    }

    static Map<String, Object> json(ClusterStatus.VolumeStatus volume, ClusterStatus status) {
        Map<String, Object> json = json(volume.volume());
        json.put("faultsLeft", volume.moreFaults());
        json.put("faultsLeftAtMost", volume.moreFaultsAtMost());
        json.put("unverifiedNodes", volume.unverified());
        if (volume.volume().policy().protocol().isVersioned()) {
            json.put("versions", json(sum(volume)));
            Map<String, Object> nodes = new LinkedHashMap<>();
            volume.versions().forEach((node, versions) -> {
                Map<String, Object> each = json(versions);
                each.put("historyPoolBytes", node(status, node).historyPoolBytes());
                each.put("idleMillis", node(status, node).background().idleMillis());
                nodes.put("node-" + node, each);
            });
            json.put("nodes", nodes);
        }
        return json;
    }

    static String of(ClusterStatus.VolumeStatus volume, ClusterStatus status) {
        String first = of(volume.volume()) + "; faults tolerated now: "
                + Text.faults(
                        volume.moreFaults(), volume.moreFaultsAtMost(), volume.policyFaults(), volume.unverified())
                + ".";
        if (volume.volume().policy().protocol() == Protocol.FP) {
            return first;
        }
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of(
                "NODE",
                "UNVERIFIED",
                "POOL",
                "OF",
                "VERIFICATIONS",
                "ON DEMAND",
                "COOPERATIVE",
                "AVOIDED",
                "POISONOUS",
                "REFUSED",
                "IDLE TIME USED"));
        volume.versions()
                .forEach((node, versions) -> rows.add(row(
                        "node-" + node,
                        versions,
                        Text.bytes(node(status, node).historyPoolBytes()),
                        String.format(
                                Locale.ROOT,
                                "%.1f s",
                                node(status, node).background().idleMillis() / 1000.0))));
        rows.add(row("all", sum(volume), "", ""));
        return first + System.lineSeparator() + Text.table(rows);
    }

    private static List<String> row(String name, ClusterStatus.Versions versions, String pool, String idle) {
        return List.of(
                name,
                Long.toString(versions.unverified()),
                Text.bytes(versions.poolBytes()),
                pool,
                Long.toString(versions.verifications()),
                Long.toString(versions.onDemand()),
                Long.toString(versions.cooperative()),
                Long.toString(versions.avoided()),
                Long.toString(versions.poisonous()),
                Long.toString(versions.refused()),
                idle);
    }

    private static Map<String, Object> json(ClusterStatus.Versions versions) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("unverified", versions.unverified());
        json.put("poolBytes", versions.poolBytes());
        json.put("verifications", versions.verifications());
        json.put("onDemand", versions.onDemand());
        json.put("cooperative", versions.cooperative());
        json.put("avoided", versions.avoided());
        json.put("poisonous", versions.poisonous());
        json.put("refused", versions.refused());
        return json;
    }

    private static ClusterStatus.Versions sum(ClusterStatus.VolumeStatus volume) {
        return volume.versions().values().stream().reduce(ClusterStatus.Versions.ZERO, ClusterStatus.Versions::plus);
    }

    private static ClusterStatus.NodeStatus node(ClusterStatus status, int number) {
        return status.nodes().stream()
                .filter(node -> node.node() == number)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no node " + number));
    }
}
