package io.bulwark.appliance.cluster;

import io.bulwark.client.config.KeyRing;
import io.bulwark.client.metadata.MetadataClient;
import io.bulwark.client.object.ReplicatedMetadata;
import io.bulwark.protocol.control.NodeControlCodec;
import io.bulwark.protocol.control.NodeControlMessage.NodeStatusReply;
import io.bulwark.protocol.control.NodeControlMessage.NodeStatusRequest;
import io.bulwark.protocol.control.NodeControlMessage.VolumeWork;
import io.bulwark.protocol.extent.ExtentCodec;
import io.bulwark.protocol.extent.ExtentLimits;
import io.bulwark.protocol.fp.FpCodec;
import io.bulwark.protocol.fp.FpLimits;
import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.ordering.OrderingCodec;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.storage.completion.Completion;
import io.bulwark.storage.completion.CompletionConfig;
import io.bulwark.storage.completion.RegisterScrub;
import io.bulwark.storage.facts.MetadataFacts;
import io.bulwark.storage.node.HostedProtocol;
import io.bulwark.storage.node.NodeConfig;
import io.bulwark.storage.node.NodeParts;
import io.bulwark.storage.node.StorageNode;
import io.bulwark.storage.status.NodeStatusAnswers;
import io.bulwark.storage.store.Durability;
import io.bulwark.storage.store.StoreConfig;
import io.bulwark.transport.Transport;
import io.bulwark.transport.TransportSettings;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** A storage node put together: its protocols, what it asks the replicas, and its background work. */
public final class RunningNode implements AutoCloseable {
    private static final long ASK_MILLIS_MAX = 5_000;

    private final StorageNode node;
    private final MetadataClient metadata;
    private final Transport metadataTransport;

    private RunningNode(StorageNode node, MetadataClient metadata, Transport metadataTransport) {
        this.node = node;
        this.metadata = metadata;
        this.metadataTransport = metadataTransport;
    }

    /** Where and how a node keeps its fragments. */
    public static StoreConfig store(NodeSetup setup) {
        Durability durability = Durability.valueOf(setup.durability().toUpperCase(Locale.ROOT));
        return StoreConfig.standard(setup.data().resolve("store")).withDurability(durability);
    }

    /** Starts it; returns when it listens. */
    public static RunningNode start(NodeSetup setup) throws IOException {
        PairwiseKeys keys = KeyRing.load(setup.keys()).pairwiseKeys();
        Transport transport =
                Transport.open(TransportSettings.defaults(), keys, new MessageCodecs(new OrderingCodec()));
        MetadataClient metadata = MetadataClient.connect(transport, setup.replicas());
        try {
            NodeConfig config = NodeConfig.standard(setup.number(), setup.listen(), store(setup));
            return new RunningNode(
                    StorageNode.start(
                            config, parts(config, setup.data().resolve("completion.properties"), keys, metadata)),
                    metadata,
                    transport);
        } catch (IOException | RuntimeException e) {
            metadata.close();
            transport.close();
            throw e;
        }
    }

    /** Asks itself as a client would; empty if it takes reads and writes, else why not. */
    public String problem() {
        Message answer = node.ask(new NodeStatusRequest(), ASK_MILLIS_MAX).join();
        return answer instanceof NodeStatusReply reply && reply.acceptsWrites() ? "" : "it takes no writes";
    }

    @Override
    public void close() {
        node.close();
        metadata.close();
        metadataTransport.close();
    }

    private static NodeParts parts(NodeConfig config, Path cursors, PairwiseKeys keys, MetadataClient metadata) {
        MetadataFacts facts = new MetadataFacts(metadata);
        ReplicatedMetadata replicated = new ReplicatedMetadata(metadata::submit, metadata::query);
        CompletionConfig pacing = CompletionConfig.standard(cursors);
        Completion completion = new Completion(replicated, pacing);
        RegisterScrub scrub = new RegisterScrub(replicated, pacing);
        // A volume is of one kind, so that nothing is there twice.
        NodeStatusAnswers status = new NodeStatusAnswers(
                () -> Stream.concat(completion.status().volumes().stream(), scrub.status().volumes().stream())
                        .sorted(Comparator.comparingInt(VolumeWork::volume))
                        .toList());
        return new NodeParts(
                keys,
                new MessageCodecs(new ExtentCodec(), new FpCodec(), new NodeControlCodec()),
                List.of(
                        HostedProtocol.extents(config, ExtentLimits.standard()),
                        HostedProtocol.registers(keys, FpLimits.standard()),
                        status.protocol()),
                facts,
                facts,
                List.of(status, completion, scrub),
                new SimpleMeterRegistry());
    }
}
