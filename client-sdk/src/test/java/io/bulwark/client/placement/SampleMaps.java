package io.bulwark.client.placement;

import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.NodeAddress;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;

/** Cluster maps as the state machine would make them. */
@NullMarked
final class SampleMaps {
    private static final ProtectionPolicy POLICY = new ProtectionPolicy(1, 2, 4, 512);

    private SampleMaps() {}

    static ClusterMap of(int nodes, Volume... volumes) {
        return new ClusterMap(
                1,
                IntStream.range(0, nodes)
                        .mapToObj(node -> new NodeAddress(node, "127.0.0.1", 4000 + node))
                        .toList(),
                List.of(volumes));
    }

    static Volume objects(String name, PlacementGroup... groups) {
        return new Volume(1, name, VolumeKind.OBJECT, POLICY, 0, List.of(groups));
    }

    static Volume registers(String name, PlacementGroup... groups) {
        return new Volume(2, name, VolumeKind.REGISTER, POLICY, 9, List.of(groups));
    }

    /** Under PASIS. */
    static Volume versions(String name, PlacementGroup... groups) {
        return versions(name, Verification.LAZY, groups);
    }

    /** Under PASIS without verification. */
    static Volume unverified(String name, PlacementGroup... groups) {
        return versions(name, Verification.NONE, groups);
    }

    private static Volume versions(String name, Verification verification, PlacementGroup... groups) {
        ProtectionPolicy policy = ProtectionPolicy.pasis(1, 2, 5, 512, verification);
        return new Volume(3, name, VolumeKind.REGISTER, policy, 9, List.of(groups));
    }

    static PlacementGroup group(Integer... holders) {
        return new PlacementGroup(1, List.of(holders));
    }

    /** Group g holds nodes g, g+1, ... of so many. */
    static PlacementGroup[] around(int nodes) {
        return IntStream.range(0, nodes)
                .mapToObj(first -> group(Stream.iterate(first, each -> (each + 1) % nodes)
                        .limit(POLICY.n())
                        .toArray(Integer[]::new)))
                .toArray(PlacementGroup[]::new);
    }
}
