package io.bulwark.protocol.cluster;

import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The nodes and the volumes, as the metadata state machine holds them.
 *
 * @param version grows with each change
 */
public record ClusterMap(long version, List<NodeAddress> nodes, List<Volume> volumes) {
    public static final int NODES_MAX = 4096;
    public static final int VOLUMES_MAX = 1024;

    public ClusterMap {
        nodes = List.copyOf(nodes);
        volumes = List.copyOf(volumes);
        if (version < 0 || nodes.size() > NODES_MAX || volumes.size() > VOLUMES_MAX) {
            throw new IllegalArgumentException("map with " + nodes.size() + " nodes, " + volumes.size() + " volumes");
        }
    }

    public Optional<Volume> volume(int id) {
        return volumes.stream().filter(volume -> volume.id() == id).findFirst();
    }

    public Optional<Volume> volume(String name) {
        return volumes.stream().filter(volume -> volume.name().equals(name)).findFirst();
    }

    public void write(WireWriter out) {
        out.i64(version).u16(nodes.size());
        nodes.forEach(node -> node.write(out));
        out.u16(volumes.size());
        volumes.forEach(volume -> volume.write(out));
    }

    public static ClusterMap read(WireReader in) {
        long version = in.nonNegative64();
        int nodeCount = in.count16(NODES_MAX);
        List<NodeAddress> nodes = new ArrayList<>();
        for (int i = 0; i < nodeCount; i++) {
            nodes.add(NodeAddress.read(in));
        }
        int volumeCount = in.count16(VOLUMES_MAX);
        List<Volume> volumes = new ArrayList<>();
        for (int i = 0; i < volumeCount; i++) {
            volumes.add(Volume.read(in));
        }
        return new ClusterMap(version, nodes, volumes);
    }
}
