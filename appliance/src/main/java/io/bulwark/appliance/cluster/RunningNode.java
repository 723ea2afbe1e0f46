package io.bulwark.appliance.cluster;

import io.bulwark.appliance.admin.MonitoredMember;
import io.bulwark.appliance.admin.PrometheusText;
import io.bulwark.client.config.KeyRing;
import io.bulwark.client.error.NotBelievedException;
import io.bulwark.client.metadata.MetadataClient;
import io.bulwark.client.object.ReplicatedMetadata;
import io.bulwark.client.registry.TrustWatch;
import io.bulwark.client.replicas.KnownReplicas;
import io.bulwark.protocol.agreement.AgreementCodec;
import io.bulwark.protocol.control.NodeControlCodec;
import io.bulwark.protocol.control.NodeControlMessage.NodeStatusReply;
import io.bulwark.protocol.control.NodeControlMessage.NodeStatusRequest;
import io.bulwark.protocol.control.NodeControlMessage.PoolReport;
import io.bulwark.protocol.control.NodeControlMessage.VersionsReport;
import io.bulwark.protocol.control.NodeControlMessage.VolumeWork;
import io.bulwark.protocol.extent.ExtentCodec;
import io.bulwark.protocol.extent.ExtentLimits;
import io.bulwark.protocol.fp.FpCodec;
import io.bulwark.protocol.fp.FpLimits;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mac.TagKeys;
import io.bulwark.protocol.ordering.OrderingCodec;
import io.bulwark.protocol.ordering.membership.MembershipCodec;
import io.bulwark.protocol.pasis.PasisCodec;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.storage.background.Background;
import io.bulwark.storage.background.BackgroundPace;
import io.bulwark.storage.background.HistoryPool;
import io.bulwark.storage.background.LazyVerification;
import io.bulwark.storage.background.VerificationPace;
import io.bulwark.storage.completion.Completion;
import io.bulwark.storage.completion.CompletionConfig;
import io.bulwark.storage.completion.RegisterComparison;
import io.bulwark.storage.completion.RegisterScrub;
import io.bulwark.storage.facts.MetadataFacts;
import io.bulwark.storage.keys.AgreedKeys;
import io.bulwark.storage.node.HostedProtocol;
import io.bulwark.storage.node.NodeConfig;
import io.bulwark.storage.node.NodeParts;
import io.bulwark.storage.node.ProcessShare;
import io.bulwark.storage.node.StorageNode;
import io.bulwark.storage.revocation.Revocations;
import io.bulwark.storage.status.LatestAnswers;
import io.bulwark.storage.status.NodeStatusAnswers;
import io.bulwark.storage.store.Durability;
import io.bulwark.storage.store.StoreConfig;
import io.bulwark.storage.store.WriteBack;
import io.bulwark.transport.Credentials;
import io.bulwark.transport.TlsCredentials;
import io.bulwark.transport.Transport;
import io.bulwark.transport.TransportSettings;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** A storage node put together: its protocols, what it asks the replicas, and its background work. */
public final class RunningNode implements MonitoredMember {
    private static final long ASK_MILLIS_MAX = 5_000;
    private static final ProcessShare SHARED = ProcessShare.create();

    private final StorageNode node;
    private final NodeParts parts;
    private final MetadataClient metadata;
    private final Transport metadataTransport;
    private final Optional<TrustWatch> trust;
    private final Registration registration;

    private RunningNode(
            StorageNode node,
            NodeParts parts,
            MetadataClient metadata,
            Transport metadataTransport,
            Optional<TrustWatch> trust) {
        this.trust = trust;
        this.node = node;
        this.parts = parts;
        this.metadata = metadata;
        this.metadataTransport = metadataTransport;
        this.registration = new Registration(node.node(), metadata::query);
    }

    /** A registry whose meters all tell whose they are. */
    public static MeterRegistry metersOf(String member) {
        MeterRegistry meters = PrometheusText.registry();
        meters.config().commonTags("member", member);
        return meters;
    }

    /** Returns the configuration of a node's fragment store. */
    public static StoreConfig store(NodeSetup setup) {
        Durability durability = Durability.valueOf(setup.durability().toUpperCase(Locale.ROOT));
        return StoreConfig.standard(setup.data().resolve("store"))
                .withDurability(durability)
                .withWriteBack(WriteBack.versions(setup.writeBackMillis()));
    }

    /** Starts it; returns when it listens. */
    public static RunningNode start(NodeSetup setup) throws IOException {
        var _ = CodingWarmUp.begin();
        RocksLibrary.load();
        KeyRing ring = KeyRing.load(setup.keys());
        Credentials credentials = setup.channels()
                .credentials(
                        PrincipalId.node(setup.number()),
                        () -> ring,
                        setup.replicas().size(),
                        kept(setup.data()));
        setup.channels().claim(setup.data());
        Optional<KnownReplicas> group = KnownReplicas.of(setup.channels(), credentials, kept(setup.data()));
        Transport transport = Transport.open(
                TransportSettings.defaults(),
                credentials,
                new MessageCodecs(new OrderingCodec(), new MembershipCodec()));
        MetadataClient metadata = MetadataClient.connect(transport, setup.replicas(), group);
        try {
            NodeConfig config = NodeConfig.standard(
                    setup.number(), setup.channels().genesisKeys().cluster(), setup.listen(), store(setup));
            NodeParts parts = parts(config, setup, ring, credentials, metadata, pool(setup, metadata));
            StorageNode node = StorageNode.start(config, parts);
            return new RunningNode(
                    node,
                    parts,
                    metadata,
                    transport,
                    TrustWatch.start(
                            setup.channels(), credentials, group, kept(setup.data()), metadata::queryPatiently));
        } catch (IOException | RuntimeException e) {
            metadata.close();
            transport.close();
            throw e;
        }
    }

    @Override
    public String name() {
        return "node-" + node.node();
    }

    @Override
    public MeterRegistry meters() {
        return parts.meters();
    }

    /** A store that has failed takes nothing any more. */
    @Override
    public String broken() {
        return node.store().usage().failed() ? "its store has failed" : "";
    }

    /** Asks itself as a client would, and the replicas; empty if it takes reads and writes and can be found, else why not. */
    @Override
    public String problem() throws Exception {
        Optional<NotBelievedException> denied = metadata.denial();
        if (denied.isPresent()) {
            return String.valueOf(denied.get().getMessage());
        }
        Message answer = node.ask(new NodeStatusRequest(), ASK_MILLIS_MAX).get();
        if (answer instanceof NodeStatusReply reply && reply.acceptsWrites()) {
            return registration.problem();
        }
        return "it is read-only" + (broken().isEmpty() ? ": " + node.store().shortage() : ": " + broken());
    }

    /** Returns the file in which a member keeps its knowledge of the registry. */
    public static Path kept(Path data) {
        return data.resolve("registry");
    }

    @Override
    public void close() {
        trust.ifPresent(TrustWatch::close);
        node.close();
        metadata.close();
        metadataTransport.close();
    }

    private static HistoryPool pool(NodeSetup setup, MetadataClient metadata) throws IOException {
        WriterCount writers = new WriterCount(metadata::queryUnordered, System::nanoTime);
        if (setup.historyPoolBytes() != NodeSetup.HISTORY_POOL_BY_CLIENTS) {
            return HistoryPool.fixed(setup.historyPoolBytes(), writers);
        }
        Path data = Files.createDirectories(setup.data());
        return HistoryPool.byClients(
                Files.getFileStore(data).getTotalSpace(), Runtime.getRuntime().maxMemory(), writers);
    }

    private static void measure(Completion completion, RegisterComparison comparison, MeterRegistry meters) {
        Gauge.builder("bulwark.node.unverified", () -> completion.compared() && comparison.compared() ? 0 : 1)
                .description("1 until the node has compared its disk with its peers and the metadata.")
                .strongReference(true)
                .register(meters);
        Gauge.builder("bulwark.node.lacking", completion, Completion::lacking)
                .description("Archived extents that wait for dissemination to the node.")
                .strongReference(true)
                .register(meters);
    }

    private static NodeParts parts(
            NodeConfig config,
            NodeSetup setup,
            KeyRing ring,
            Credentials credentials,
            MetadataClient metadata,
            HistoryPool pool) {
        MeterRegistry meters = metersOf("node-" + setup.number());
        Optional<AgreedKeys> agreed = credentials instanceof TlsCredentials tls
                ? Optional.of(new AgreedKeys(tls, ring.own(), setup.keyMillis(), meters))
                : Optional.empty();
        TagKeys keys = agreed.map(AgreedKeys::keys).orElseGet(ring::pairwiseKeys);
        MetadataFacts facts = new MetadataFacts(metadata);
        ReplicatedMetadata replicated = new ReplicatedMetadata(
                metadata::submit, metadata::queryPatiently, setup.channels().signing(PrincipalId.node(setup.number())));
        CompletionConfig pacing = CompletionConfig.standard();
        Background background = new Background(
                BackgroundPace.of(setup.scrubBytesPerSecond(), setup.rebuildBytesPerSecond())
                        .withDisseminateBytesPerSecond(setup.disseminateBytesPerSecond()),
                VerificationPace.standard(),
                meters);
        LazyVerification verification = new LazyVerification(background, pool, meters);
        Completion completion = new Completion(replicated, pacing, background);
        RegisterScrub scrub = new RegisterScrub(replicated, pacing, background);
        LatestAnswers latest = new LatestAnswers();
        RegisterComparison comparison = new RegisterComparison(replicated, pacing, background, latest);
        measure(completion, comparison, meters);
        Revocations revocations = new Revocations(replicated);
        NodeStatusAnswers status = new NodeStatusAnswers(
                () -> VolumeWork.sum(
                        completion.status().volumes(), scrub.status().volumes(), comparison.status()),
                background::report,
                background::rebuilding,
                () -> new PoolReport(pool.bytes(), verification.neededBytes()),
                () -> Stream.concat(completion.versions().stream(), verification.report().stream())
                        .sorted(Comparator.comparingInt(VersionsReport::volume))
                        .toList(),
                latest::isSetBack);
        List<HostedProtocol> protocols = new ArrayList<>(List.of(
                HostedProtocol.extents(config, ExtentLimits.standard()),
                HostedProtocol.registers(config, keys, FpLimits.standard(), revocations::watch)
                        .openFor(comparison::serves),
                HostedProtocol.versioned(
                                keys.self(),
                                pool.limits(config.shards()),
                                pool.clients(),
                                verification::watch,
                                revocations::watch)
                        .openFor(comparison::serves),
                status.protocol(),
                latest.protocol(),
                revocations.protocol()));
        agreed.ifPresent(each -> protocols.add(each.protocol(config)));
        return new NodeParts(
                keys,
                credentials,
                new MessageCodecs(
                        new ExtentCodec(),
                        new FpCodec(),
                        new PasisCodec(),
                        new NodeControlCodec(),
                        new AgreementCodec()),
                protocols,
                facts,
                facts,
                List.of(status, latest, background, completion, comparison, scrub, verification, revocations),
                SHARED,
                meters);
    }
}
