package io.bulwark.appliance.cli;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.bulwark.client.ClusterStatus;
import io.bulwark.client.VolumeInfo;
import io.bulwark.client.text.AuditText;
import io.bulwark.console.StatusView;
import io.bulwark.protocol.cluster.Protocol;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Volumes as the command line shows them. */
final class VolumeText {
    private VolumeText() {}

    static Object json(VolumeInfo volume) {
        return VolumeView.of(volume);
    }

    static String of(VolumeInfo volume) {
        List<String> parts = new ArrayList<>();
        parts.add(volume.name());
        parts.add(volume.blocks() > 0 ? volume.blocks() + " register blocks" : "objects");
        parts.add(AuditText.of(volume.policy()));
        return String.join(", ", parts);
    }

    static Object json(ClusterStatus.VolumeStatus volume, ClusterStatus status) {
        VersionsView versions = null;
        Map<String, NodeView> nodes = null;
        if (volume.volume().policy().protocol().isVersioned()) {
            versions = VersionsView.of(sum(volume));
            nodes = new LinkedHashMap<>();
            for (Map.Entry<Integer, ClusterStatus.Versions> each :
                    volume.versions().entrySet()) {
                ClusterStatus.NodeStatus node = node(status, each.getKey());
                nodes.put(
                        "node-" + each.getKey(),
                        new NodeView(
                                VersionsView.of(each.getValue()),
                                node.historyPoolBytes(),
                                node.background().idleMillis()));
            }
        }
        return new StatView(
                VolumeView.of(volume.volume()),
                volume.moreFaults(),
                volume.moreFaultsAtMost(),
                volume.unverified(),
                volume.policyFaults(),
                volume.older().stream().map(StatusView.OlderPolicy::of).toList(),
                versions,
                nodes);
    }

    static String of(ClusterStatus.VolumeStatus volume, ClusterStatus status) {
        String first = of(volume.volume()) + "; faults tolerated now: "
                + Text.faults(
                        volume.moreFaults(), volume.moreFaultsAtMost(), volume.policyFaults(), volume.unverified())
                + ".";
        for (ClusterStatus.OlderPolicy older : volume.older()) {
            first += System.lineSeparator() + Text.count(older.extents(), "extent") + " under the older policy "
                    + older.policy().text() + "; `bulwark volume refill "
                    + volume.volume().name() + "` moves them.";
        }
        if (volume.volume().policy().protocol() != Protocol.PASIS) {
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

    private static ClusterStatus.Versions sum(ClusterStatus.VolumeStatus volume) {
        return volume.versions().values().stream().reduce(ClusterStatus.Versions.ZERO, ClusterStatus.Versions::plus);
    }

    private static ClusterStatus.NodeStatus node(ClusterStatus status, int number) {
        return status.nodes().stream()
                .filter(node -> node.node() == number)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no node " + number));
    }

    private record VolumeView(
            String name,
            String kind,
            String protocol,
            String verification,
            int faults,
            int dataFragments,
            int fragments,
            int blockBytes,
            long blocks,
            int groups) {
        static VolumeView of(VolumeInfo volume) {
            return new VolumeView(
                    volume.name(),
                    volume.kind().name().toLowerCase(Locale.ROOT),
                    volume.policy().protocol().text(),
                    volume.policy().verification().text(),
                    volume.policy().f(),
                    volume.policy().m(),
                    volume.policy().n(),
                    volume.policy().blockBytes(),
                    volume.blocks(),
                    volume.groups());
        }
    }

    /**
     * A volume with its faults.
     *
     * @param versions null without unverified versions
     * @param nodes as {@code versions}
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record StatView(
            @JsonUnwrapped VolumeView volume,
            int faultsLeft,
            int faultsLeftAtMost,
            List<Integer> unverifiedNodes,
            int leastFaults,
            List<StatusView.OlderPolicy> older,
            @Nullable VersionsView versions,
            @Nullable Map<String, NodeView> nodes) {}

    private record NodeView(@JsonUnwrapped VersionsView versions, long historyPoolBytes, long idleMillis) {}

    private record VersionsView(
            long unverified,
            long poolBytes,
            long verifications,
            long onDemand,
            long cooperative,
            long avoided,
            long poisonous,
            long refused) {
        static VersionsView of(ClusterStatus.Versions versions) {
            return new VersionsView(
                    versions.unverified(),
                    versions.poolBytes(),
                    versions.verifications(),
                    versions.onDemand(),
                    versions.cooperative(),
                    versions.avoided(),
                    versions.poisonous(),
                    versions.refused());
        }
    }
}
