package io.bulwark.storage.facts;

import io.bulwark.client.metadata.MetadataClient;
import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.NodeAddress;
import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.completion.ReplicaQuestions;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.storage.node.FactSource;
import io.bulwark.storage.node.PeerDirectory;
import io.bulwark.transport.Destination;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Facts from the replicas. Its queries see every command acknowledged before them, so that a node does not refuse a
 * session or grant that was opened a moment ago.
 */
public final class MetadataFacts implements FactSource, PeerDirectory {
    private static final Logger LOG = LoggerFactory.getLogger(MetadataFacts.class);

    private final MetadataClient metadata;
    /** The map is asked for no more often for a node that it does not name. */
    private static final long UNKNOWN_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Minimum pause for a node that the map names, which may have moved. */
    private static final long KNOWN_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final AtomicLong askedNanos = new AtomicLong(System.nanoTime());
    private volatile Consumer<Set<Integer>> hearer = _ -> {};
    private volatile ClusterMap map = new ClusterMap(0, List.of(), List.of());

    /** @param metadata stays the caller's to close */
    public MetadataFacts(MetadataClient metadata) {
        this.metadata = metadata;
        var _ = refresh().whenComplete((fresh, failure) -> {
            if (failure != null) {
                LOG.info("no cluster map yet: {}", failure.getMessage());
            }
        });
    }

    @Override
    public CompletableFuture<Fact> ask(Question question) {
        Query query = ReplicaQuestions.query(question);
        CompletableFuture<Reply> asked = switch (question) {
            case Question.OfSession _, Question.OfGrant _ -> reply(query);
            case Question.OfVolume _ -> refresh().thenApply(Reply.Map::new);
        };
        return asked.thenApply(reply -> ReplicaQuestions.fact(question, reply)
                .orElseThrow(() -> new IllegalStateException("unexpected reply of the replicas: " + reply)));
    }

    @Override
    public Optional<InetSocketAddress> addressOf(int node) {
        for (NodeAddress address : map.nodes()) {
            if (address.node() == node) {
                refreshAfter(KNOWN_NANOS);
                return Optional.of(Destination.of(address.host(), address.port()));
            }
        }
        refreshAfter(UNKNOWN_NANOS);
        return Optional.empty();
    }

    @Override
    public synchronized void hear(Consumer<Set<Integer>> next) {
        hearer = next;
        if (map.version() > 0) {
            next.accept(nodesOf(map));
        }
    }

    private static Set<Integer> nodesOf(ClusterMap map) {
        return map.nodes().stream().map(NodeAddress::node).collect(Collectors.toSet());
    }

    private void refreshAfter(long nanos) {
        long asked = askedNanos.get();
        long now = System.nanoTime();
        if (now - asked >= nanos && askedNanos.compareAndSet(asked, now)) {
            var _ = refresh().exceptionally(failure -> {
                LOG.debug("no newer cluster map: {}", failure.getMessage());
                return map;
            });
        }
    }

    /** The map as the replicas have it now. */
    public CompletableFuture<ClusterMap> refresh() {
        return reply(new Query.GetMap()).thenApply(reply -> {
            ClusterMap fresh = expect(reply, Reply.Map.class).map();
            learn(fresh);
            return fresh;
        });
    }

    /** Learns a cluster map; synchronized, so that the hearer receives the newest map last. */
    private synchronized void learn(ClusterMap fresh) {
        if (fresh.version() >= map.version()) {
            map = fresh;
            hearer.accept(nodesOf(fresh));
        }
    }

    private CompletableFuture<Reply> reply(Query query) {
        return metadata.query(query.encoded()).thenApply(Reply::decode);
    }

    private static <T extends Reply> T expect(Reply reply, Class<T> type) {
        if (reply instanceof Reply.Failed failed) {
            throw new IllegalStateException(failed.message());
        }
        return type.cast(reply);
    }
}
