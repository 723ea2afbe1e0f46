package io.bulwark.console;

import io.bulwark.client.ClusterStatus;
import io.bulwark.client.VolumeInfo;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Statuses of a small cluster. */
public final class FakeStatus {
    private FakeStatus() {}

    /** Returns five nodes of which node-3 is silent, with a register volume under PASIS. */
    public static ClusterStatus pasis() {
        return pasis(7, 0);
    }

    /**
     * Returns the same.
     *
     * @param backlog unverified versions at each node
     * @param poolNeeded the least that a history pool should have; 0 if it is enough
     */
    public static ClusterStatus pasis(long backlog, long poolNeeded) {
        List<ClusterStatus.NodeStatus> nodes = new ArrayList<>();
        SortedMap<Integer, ClusterStatus.Versions> versions = new TreeMap<>();
        for (int number = 0; number < 5; number++) {
            boolean up = number != 3;
            nodes.add(new ClusterStatus.NodeStatus(
                    number,
                    "localhost:" + (7410 + number),
                    up,
                    up ? "serving" : "no answer",
                    up ? 1 << 20 : 0,
                    up ? 1 << 30 : 0,
                    0,
                    up ? 3 : 0,
                    new ClusterStatus.Background(up ? 1234 : 0, up ? 2 : 0, up ? 2 : 0, up ? 90_000 : 0),
                    up ? 1 << 20 : 0,
                    up ? poolNeeded : 0,
                    List.of(),
                    Optional.empty(),
                    up ? Map.of(Verdict.BEHIND, 3L) : Map.of(Verdict.SLOW, 9L)));
            if (up) {
                versions.put(number, new ClusterStatus.Versions(backlog, backlog * 512, 40, 1, 20, 5, 0, 0));
            }
        }
        VolumeInfo volume = new VolumeInfo(
                2, "registers", VolumeKind.REGISTER, ProtectionPolicy.pasis(1, 2, 5, 512, Verification.LAZY), 100, 1);
        return new ClusterStatus(
                nodes,
                List.of(),
                List.of(new ClusterStatus.VolumeStatus(volume, 1, 0, 0, List.of(), versions)),
                List.of(),
                List.of(),
                new ClusterStatus.Recoveries(
                        Duration.ofHours(1),
                        Duration.ofMinutes(5),
                        Optional.empty(),
                        List.of(new ClusterStatus.Recovery(
                                2,
                                "normal",
                                false,
                                Optional.empty(),
                                Optional.of(Instant.parse("2026-11-29T11:00:00Z")),
                                Optional.empty(),
                                false,
                                false,
                                true))));
    }
}
