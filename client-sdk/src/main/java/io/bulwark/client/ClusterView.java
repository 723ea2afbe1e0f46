package io.bulwark.client;

import io.bulwark.client.driver.PeerLinks;
import io.bulwark.client.error.NoSuchVolumeException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.object.Deadline;
import io.bulwark.client.object.Metadata;
import io.bulwark.client.object.RefusalExceptions;
import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.NodeAddress;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.transport.Destination;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** The cluster map as this client last saw it, and the links that follow from it. Thread-safe. */
final class ClusterView {
    private final Metadata metadata;
    private final PeerLinks links;
    private volatile ClusterMap map = new ClusterMap(0, List.of(), List.of());

    ClusterView(Metadata metadata, PeerLinks links) {
        this.metadata = metadata;
        this.links = links;
    }

    ClusterMap map() {
        return map;
    }

    /** Asks the replicas. */
    ClusterMap refresh(Deadline deadline) {
        return refresh(metadata, deadline);
    }

    /** Asks the replicas by way of these metadata, which may be on behalf of a person. */
    ClusterMap refresh(Metadata asking, Deadline deadline) {
        Reply reply = deadline.await(asking.query(new Query.GetMap()), Subject.NONE);
        return learned(
                RefusalExceptions.expect(Reply.Map.class, reply, Subject.NONE).map());
    }

    /** Asks the replicas for the current state of a volume; if it is gone, completes with the known one. */
    CompletableFuture<Volume> later(Volume known) {
        return metadata.query(new Query.GetMap())
                .thenApply(reply -> learned(RefusalExceptions.expect(Reply.Map.class, reply, Subject.NONE)
                                .map())
                        .volume(known.id())
                        .orElse(known));
    }

    private ClusterMap learned(ClusterMap read) {
        synchronized (this) {
            if (read.version() < map.version()) {
                return read;
            }
            map = read;
            Set<PrincipalId> nodes = new HashSet<>();
            for (NodeAddress node : read.nodes()) {
                PrincipalId principal = PrincipalId.node(node.node());
                nodes.add(principal);
                links.connect(principal, Destination.of(node.host(), node.port()));
            }
            links.keepNodes(nodes);
        }
        return read;
    }

    Volume volume(String name, Deadline deadline) {
        return volume(known -> known.volume(name), "no volume has this name", Subject.volume(name), deadline);
    }

    Volume volume(int id, Subject subject, Deadline deadline) {
        return volume(known -> known.volume(id), "there is no volume " + id, subject, deadline);
    }

    private Volume volume(
            Function<ClusterMap, Optional<Volume>> find, String problem, Subject subject, Deadline deadline) {
        return find.apply(map)
                .or(() -> find.apply(refresh(deadline)))
                .orElseThrow(() -> new NoSuchVolumeException(problem, subject));
    }
}
