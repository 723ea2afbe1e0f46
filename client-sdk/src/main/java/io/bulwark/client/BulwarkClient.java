package io.bulwark.client;

import io.bulwark.client.config.ClientConfig;
import io.bulwark.client.config.EncryptionConfig;
import io.bulwark.client.driver.EvidenceLog;
import io.bulwark.client.driver.OperationDriver;
import io.bulwark.client.driver.PeerLinks;
import io.bulwark.client.encryption.KeyProvider;
import io.bulwark.client.error.InvalidNameException;
import io.bulwark.client.error.InvalidRequestException;
import io.bulwark.client.error.NoSuchBucketException;
import io.bulwark.client.error.NoSuchVolumeException;
import io.bulwark.client.error.NotBelievedException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.client.locking.ClientLocks;
import io.bulwark.client.locking.LockRefusals;
import io.bulwark.client.locking.LogServers;
import io.bulwark.client.metadata.MetadataClient;
import io.bulwark.client.metadata.ReplicaPaths;
import io.bulwark.client.object.ByteBudget;
import io.bulwark.client.object.Deadline;
import io.bulwark.client.object.EpochFollower;
import io.bulwark.client.object.InlineLimit;
import io.bulwark.client.object.Metadata;
import io.bulwark.client.object.NodeExtents;
import io.bulwark.client.object.NodeHealth;
import io.bulwark.client.object.ObjectStore;
import io.bulwark.client.object.RefusalExceptions;
import io.bulwark.client.object.ReplicatedMetadata;
import io.bulwark.client.object.SessionPool;
import io.bulwark.client.registry.TrustWatch;
import io.bulwark.client.replicas.KnownReplicas;
import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.control.NodeControlCodec;
import io.bulwark.protocol.extent.ExtentCodec;
import io.bulwark.protocol.extent.ExtentTiming;
import io.bulwark.protocol.fp.FpCodec;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.locking.LockingCodec;
import io.bulwark.protocol.locking.Subtree;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Names;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.Versioning;
import io.bulwark.protocol.ordering.OrderingCodec;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.ordering.membership.MembershipCodec;
import io.bulwark.protocol.pasis.PasisCodec;
import io.bulwark.protocol.pasis.ReadTuning;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.transport.Credentials;
import io.bulwark.transport.Destination;
import io.bulwark.transport.Transport;
import io.bulwark.transport.TransportSettings;
import io.micrometer.observation.ObservationRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A client of one cluster, made of a transport, a driver for all its operations, and its sessions. */
final class BulwarkClient implements Bulwark {
    private static final Logger LOG = LoggerFactory.getLogger(BulwarkClient.class);

    /** A replica that came back is soon needed: if another one stops, 2f+1 remain only with it. */
    private static final long RECONNECT_MILLIS_MAX = 1_000;
    /** Time in which the holders of a register volume can seal; they ask for the map every two seconds. */
    private static final long OPEN_NANOS_MAX = 60_000_000_000L;

    private static final long OPEN_PAUSE_MILLIS = 200;

    private final ClientConfig config;
    private final Transport transport;
    private final PeerLinks links;
    private final EvidenceLog evidence;
    private final OperationDriver driver;
    private final Optional<ClientLocks> locks;
    private final Metadata metadata;
    private final SessionPool sessions;
    private final ObjectStore store;
    private final ObjectStore salvageStore;
    private final InlineLimit inlineLimit;
    private final WriteQueue writeTurns;
    private final ClusterView view;
    private final Optional<TrustWatch> trust;
    private final ReplicaPaths paths;
    private final Optional<KnownReplicas> group;
    private final Optional<KeyProvider> keys;
    private final NodeHealth health;
    /** Plans of the reads of register volumes, by their ids. */
    private final Map<Integer, PlannedReads> reads;

    /** Person whose rights count; a client with one is a view, which closes nothing. */
    private final Optional<PrincipalId> onBehalfOf;

    private BulwarkClient(ClientConfig config, ObservationRegistry observations) {
        this.config = config;
        this.onBehalfOf = Optional.empty();
        this.keys = config.encryption().map(EncryptionConfig::keys);
        Path kept = config.channels().keptBeside();
        Credentials credentials = config.channels()
                .credentials(config.principal(), config::keys, config.replicas().size(), kept);
        this.transport = Transport.open(
                TransportSettings.defaults().withReconnectMaxMillis(RECONNECT_MILLIS_MAX),
                credentials,
                new MessageCodecs(
                        new ExtentCodec(),
                        new FpCodec(),
                        new PasisCodec(),
                        new OrderingCodec(),
                        new MembershipCodec(),
                        new LockingCodec(),
                        new NodeControlCodec()));
        this.links = new PeerLinks(transport);
        this.evidence = new EvidenceLog();
        this.writeTurns = new WriteQueue();
        this.health = new NodeHealth(links::isDisconnected);
        this.reads = new ConcurrentHashMap<>();
        this.driver = new OperationDriver(
                links,
                evidence.andThen(health),
                OperationDriver.Limits.standard(),
                new SecureRandom().nextLong(),
                observations);
        this.group = KnownReplicas.of(config.channels(), credentials, kept);
        this.paths = new ReplicaPaths(links, addresses(config), group);
        MetadataClient replicas = MetadataClient.over(driver, config.replicas().size(), group);
        Metadata ordered = new LockRefusals(new ReplicatedMetadata(
                replicas::submit, replicas::query, config.channels().signing(config.principal())));
        this.locks = config.locking() == ClientConfig.Locking.OFF
                ? Optional.empty()
                : Optional.of(new ClientLocks(config.principal(), ordered, driver, new LockServers()));
        this.metadata = locks.<Metadata>map(own -> own).orElse(ordered);
        this.sessions = new SessionPool(metadata, config.principal());
        ClusterView map = new ClusterView(metadata, links);
        this.view = map;
        ObjectStore stored = new ObjectStore(
                metadata, sessions, extents(driver, health, map, false), new ByteBudget(config.bytesInFlightMax()));
        this.store = locks.map(stored::withLocks).orElse(stored);
        this.salvageStore = store.withExtents(extents(driver, health, map, true));
        this.inlineLimit =
                new InlineLimit(config.inlineMax(), () -> replicasNow().faulty());
        this.trust = TrustWatch.start(config.channels(), credentials, group, kept, replicas::query);
        driver.failIf(this::denial);
    }

    /** The cluster and its replicas, as this client knows them. */
    private final class LockServers implements LogServers {
        @Override
        public Bytes cluster() {
            return config.channels().genesisKeys().cluster();
        }

        @Override
        public List<PrincipalId> replicas() {
            return replicasNow().replicas();
        }
    }

    /** Creates a view of a client on behalf of a person. */
    private BulwarkClient(BulwarkClient own, PrincipalId person) {
        this.config = own.config;
        this.onBehalfOf = Optional.of(person);
        this.keys = own.keys;
        this.health = own.health;
        this.reads = own.reads;
        this.transport = own.transport;
        this.links = own.links;
        this.evidence = own.evidence;
        this.driver = own.driver;
        this.group = own.group;
        this.paths = own.paths;
        this.locks = own.locks;
        this.metadata = own.metadata.onBehalfOf(person);
        this.sessions = own.sessions;
        this.view = own.view;
        this.store = own.store.onBehalfOf(person);
        this.salvageStore = own.salvageStore.onBehalfOf(person);
        this.inlineLimit = own.inlineLimit;
        this.writeTurns = own.writeTurns;
        this.trust = own.trust;
    }

    private static EpochFollower extents(OperationDriver driver, NodeHealth health, ClusterView map, boolean salvage) {
        return new EpochFollower(new NodeExtents(driver, health, ExtentTiming.standard(), salvage), map::later);
    }

    /** Returns the reason why no call can succeed now; empty if another identity has just replaced the refused one. */
    private Optional<NotBelievedException> denial() {
        Optional<NotBelievedException> denied = paths.denial();
        return denied.isPresent() && trust.isPresent() && hasNewIdentity(trust.get()) ? Optional.empty() : denied;
    }

    private static boolean hasNewIdentity(TrustWatch watch) {
        try {
            return watch.renewIdentity();
        } catch (IOException | RuntimeException e) {
            LOG.debug("the identity cannot be read", e);
            return false;
        }
    }

    private static List<InetSocketAddress> addresses(ClientConfig config) {
        return config.replicas().stream()
                .map(endpoint -> Destination.of(endpoint.host(), endpoint.port()))
                .toList();
    }

    static BulwarkClient connect(ClientConfig config, ObservationRegistry observations) {
        BulwarkClient client = new BulwarkClient(config, observations);
        try {
            client.start();
            return client;
        } catch (RuntimeException e) {
            client.close();
            throw e;
        }
    }

    private void start() {
        links.deliverTo(driver);
        paths.connect();
        view.refresh(noDeadline());
        learn();
    }

    @Override
    public VolumeInfo createVolume(VolumeSpec spec) {
        Subject subject = Subject.volume(spec.name());
        checkName(spec.name(), subject);
        execute(
                Reply.VolumeCreated.class,
                new Command.CreateVolume(
                        spec.name(), spec.kind(), spec.policy(), spec.blocks(), spec.groups(), spec.quotaBytes()),
                subject);
        view.refresh(noDeadline());
        return VolumeInfo.of(view.volume(spec.name(), noDeadline()));
    }

    @Override
    public void changeFaults(String volume, int least, int most) {
        Subject subject = Subject.volume(volume);
        checkName(volume, subject);
        if (least == most) {
            status().volumes().stream()
                    .filter(each -> each.volume().name().equals(volume))
                    .forEach(each -> checkHoldersThere(each, least));
        }
        execute(Reply.Done.class, new Command.ChangePolicy(volume, least, most), subject);
        view.refresh(noDeadline());
    }

    @Override
    public VolumeInfo changePolicy(String name, PolicyChange change) {
        Subject subject = Subject.volume(name);
        checkName(name, subject);
        view.refresh(noDeadline());
        io.bulwark.protocol.cluster.Volume volume = view.volume(name, noDeadline());
        ProtectionPolicy policy;
        try {
            policy = change.of(volume.policy());
        } catch (IllegalArgumentException e) {
            throw new InvalidRequestException(String.valueOf(e.getMessage()), subject);
        }
        if (volume.kind() == VolumeKind.REGISTER) {
            status().volumes().stream()
                    .filter(each -> each.volume().name().equals(name))
                    .forEach(BulwarkClient::checkHoldersSeal);
        }
        execute(Reply.Done.class, new Command.SetVolumePolicy(name, policy), subject);
        view.refresh(noDeadline());
        return VolumeInfo.of(awaitOpen(view.volume(name, noDeadline()), subject));
    }

    /** Waits until the newest generation of a register volume is in use. */
    private io.bulwark.protocol.cluster.Volume awaitOpen(io.bulwark.protocol.cluster.Volume changed, Subject subject) {
        io.bulwark.protocol.cluster.Volume volume = changed;
        long startNanos = System.nanoTime();
        while (volume.opening()) {
            if (System.nanoTime() - startNanos > OPEN_NANOS_MAX) {
                throw new UnavailableException(
                        "the policy is announced and not in use yet: n - f holders of each group must seal, see"
                                + " `bulwark status`",
                        subject);
            }
            try {
                TimeUnit.MILLISECONDS.sleep(OPEN_PAUSE_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new UnavailableException("interrupted before the policy was in use", subject, e);
            }
            view.refresh(noDeadline());
            volume = view.volume(volume.id(), subject, noDeadline());
        }
        return volume;
    }

    @Override
    public RefillResult refill(String volume, ProgressListener progress) {
        checkName(volume, Subject.volume(volume));
        return new VolumeRefill(this, volume, progress).run();
    }

    /** The metadata do not know which nodes answer. */
    private static void checkHoldersThere(ClusterStatus.VolumeStatus volume, int faults) {
        int away = volume.policyFaults() - volume.moreFaultsAtMost();
        if (faults < volume.policyFaults() && away > faults) {
            int n = volume.volume().policy().n();
            throw new InvalidRequestException(
                    "while the faults are lowered to " + faults + ", writes wait for n - " + faults + " = "
                            + (n - faults) + " of " + n + " holders, and " + away
                            + " of a group do not serve: restart or replace their nodes first",
                    Subject.volume(volume.volume().name()));
        }
    }

    /** A group that cannot seal would keep the whole volume from its next generation. */
    private static void checkHoldersSeal(ClusterStatus.VolumeStatus volume) {
        if (volume.moreFaultsAtMost() < 0) {
            throw new InvalidRequestException(
                    "the policy is used once n - f holders of each group have ended their epoch, and "
                            + (volume.policyFaults() - volume.moreFaultsAtMost())
                            + " of a group do not serve: start or replace their nodes first",
                    Subject.volume(volume.volume().name()));
        }
    }

    @Override
    public void deleteVolume(String name) {
        checkName(name, Subject.volume(name));
        execute(Reply.Done.class, new Command.DeleteVolume(name), Subject.volume(name));
        view.refresh(noDeadline());
    }

    @Override
    public List<VolumeInfo> volumes() {
        return refreshMap().volumes().stream().map(VolumeInfo::of).toList();
    }

    @Override
    public Volume volume(String name) {
        io.bulwark.protocol.cluster.Volume volume = view.volume(name, noDeadline());
        if (volume.kind() != VolumeKind.REGISTER) {
            throw new NoSuchVolumeException(
                    "this volume keeps objects; only register volumes have blocks", Subject.volume(name));
        }
        return new RegisterVolume(
                this,
                volume,
                reads.computeIfAbsent(volume.id(), ignored -> new PlannedReads(health, ReadTuning.adapted())));
    }

    /** Returns what this client sees of the nodes. */
    NodeHealth health() {
        return health;
    }

    @Override
    public Bucket createBucket(BucketSpec spec) {
        Subject subject = Subject.bucket(spec.name());
        checkName(spec.name(), subject);
        Versioning versioning = spec.keepVersions() ? Versioning.KEEP_ALL : Versioning.LATEST_ONLY;
        execute(
                Reply.Done.class,
                new Command.CreateBucket(
                        spec.name(),
                        spec.volume(),
                        versioning,
                        spec.quotaBytes(),
                        spec.objectLock(),
                        spec.setting()
                                .map(document -> new Command.NewDocument(
                                        document.name(),
                                        RemoteBucket.checkedDocument(spec.name(), document.content())))),
                subject);
        return bucket(spec.name());
    }

    @Override
    public void deleteBucket(String name) {
        checkName(name, Subject.bucket(name));
        execute(Reply.Done.class, new Command.DeleteBucket(name), Subject.bucket(name));
    }

    @Override
    public List<BucketInfo> buckets() {
        return Listing.all(after -> {
            Reply.BucketList list = query(
                    Reply.BucketList.class, new Query.ListBuckets(after, Query.PAGE_MAX), Subject.NONE, noDeadline());
            List<BucketInfo> infos = list.buckets().stream().map(this::describe).toList();
            return new Listing.Page<>(infos, list.next().isEmpty() ? null : list.next());
        });
    }

    @Override
    public Bucket bucket(String name) {
        return sealed(new RemoteBucket(this, name, findBucket(name).volume()));
    }

    @Override
    public Bucket bucket(Bucket found) {
        if (EncryptedBucket.stored(found) instanceof RemoteBucket known) {
            return sealed(known.seenBy(this));
        }
        throw new IllegalArgumentException("a bucket of another client: " + found.name());
    }

    private Bucket sealed(Bucket stored) {
        return keys.map(provider -> (Bucket) new EncryptedBucket(stored, provider))
                .orElse(stored);
    }

    @Override
    public Bucket bucket(String name, KeyProvider own) {
        return new EncryptedBucket(EncryptedBucket.stored(bucket(name)), own);
    }

    @Override
    public Bulwark onBehalfOf(PrincipalId person) {
        onBehalfOf.ifPresent(other -> {
            throw new IllegalStateException("this view acts for " + other + ", so it cannot act for " + person);
        });
        return new BulwarkClient(this, person);
    }

    @Override
    public Principals principals() {
        return new RegisteredPrincipals(this, driver, config.channels());
    }

    @Override
    public AccessKeys accessKeys() {
        return new SealedAccessKeys(
                this, principals(), () -> config.channels().ownKey(config.principal()), new SecureRandom());
    }

    @Override
    public Optional<BucketDocument> setting(String bucket, String document) {
        return RemoteBucket.setting(this, bucket, document);
    }

    @Override
    public Instant agreedTime() {
        return Instant.ofEpochMilli(query(Reply.Status.class, new Query.GetStatus(), Subject.NONE, noDeadline())
                .agreedMillis());
    }

    @Override
    public Webhooks webhooks() {
        return new NamedWebhooks(this, principals(), accessKeys());
    }

    @Override
    public EventLogs eventLogs() {
        return new ReplicatedEventLogs(this);
    }

    @Override
    public Nodes nodes() {
        return new ReplicatedNodes(this);
    }

    @Override
    public Replicas replicas() {
        return new ReplicatedReplicas(this);
    }

    /** Returns the replicas that this client knows, in their places. */
    Configuration replicasNow() {
        return group.map(known -> known.term().configuration())
                .orElseGet(() -> Configuration.fixed(config.faultyReplicas()));
    }

    InlineLimit inlineLimit() {
        return inlineLimit;
    }

    /** Returns the configuration of the genesis and all later ones that this client knows. */
    List<Configuration> replicasSoFar() {
        return group.map(KnownReplicas::history).orElseGet(() -> List.of(replicasNow()));
    }

    /** Returns the address of a replica, for people. */
    String addressOf(Member replica) {
        return replica.address().isEmpty()
                ? config.replicas().get(replica.replica().number()).toString()
                : replica.address();
    }

    @Override
    public Locks locks() {
        return new ReplicatedLocks(this);
    }

    @Override
    public Releases releases() {
        return new AllowedReleases(this);
    }

    @Override
    public AuditLog audit() {
        return new ReplicatedAudit(this, config.channels());
    }

    @Override
    public FaultyNodes faultyNodes() {
        return new ReportedNodes(this);
    }

    @Override
    public Alarms alarms() {
        return new ReplicatedAlarms(this);
    }

    @Override
    public Faults faults() {
        return new RecordedFaults(this, config.channels());
    }

    /** Believes at once what was just changed in the registry; what fails is tried again soon by itself. */
    void learn() {
        trust.ifPresent(watch -> {
            try {
                watch.refresh();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (Exception e) {
                LOG.debug("the registry has changed and was not read yet", e);
            }
        });
    }

    @Override
    public ClusterStatus status() {
        return new StatusReport(this, driver, links).take();
    }

    @Override
    public EvidenceLog evidence() {
        return evidence;
    }

    @Override
    public void close() {
        if (onBehalfOf.isPresent()) {
            return;
        }
        trust.ifPresent(TrustWatch::close);
        paths.close();
        locks.ifPresent(ClientLocks::close);
        sessions.close();
        driver.close();
        links.close();
        transport.close();
    }

    /** Asks the replicas for the map, by the rights that count here. */
    ClusterMap refreshMap() {
        return view.refresh(metadata, noDeadline());
    }

    Optional<PrincipalId> onBehalfOf() {
        return onBehalfOf;
    }

    /** Asks the replicas what this client may do in a volume for the person. */
    CompletableFuture<Reply.Granted> grantOf(PrincipalId person, int volume, Subject subject) {
        return metadata.query(new Query.GrantOf(volume, person))
                .thenApply(reply -> RefusalExceptions.expect(Reply.Granted.class, reply, subject));
    }

    BucketInfo bucketInfo(String name) {
        return describe(findBucket(name));
    }

    WriteQueue writeTurns() {
        return writeTurns;
    }

    /** Returns what reads and writes objects; its reads are salvage reads. */
    ObjectStore salvageStore() {
        return salvageStore;
    }

    LockUse lockUse() {
        return locks.map(own ->
                        new LockUse(own.statistics().logged(), own.statistics().ordered()))
                .orElse(new LockUse(0, 0));
    }

    /** Hints that this client is about to use a part of a bucket alone. */
    void lock(int volume, Subtree subtree) {
        locks.ifPresent(own -> own.lock(volume, subtree));
    }

    void unlock(int volume, Subtree subtree) {
        locks.ifPresent(own -> own.unlock(volume, subtree));
    }

    ObjectStore store() {
        return store;
    }

    ClusterView view() {
        return view;
    }

    /** Returns whether there is no connection with this server now. */
    boolean isDisconnected(PrincipalId server) {
        return links.isDisconnected(server);
    }

    OperationDriver driver() {
        return driver;
    }

    ClientConfig config() {
        return config;
    }

    <T extends Reply> T query(Class<T> type, Query query, Subject subject, Deadline deadline) {
        return RefusalExceptions.expect(type, deadline.await(metadata.query(query), subject), subject);
    }

    <T extends Reply> T execute(Class<T> type, Command command, Subject subject) {
        return RefusalExceptions.expect(type, execute(command, subject), subject);
    }

    /** Executes a command without blocks, once: found closed, its session may have executed it before. */
    Reply execute(Command command, Subject subject) {
        Deadline deadline = noDeadline();
        SessionPool.Lease lease = sessions.lease(SessionPool.NO_VOLUME, deadline, subject);
        return deadline.await(sessions.submit(lease, command, onBehalfOf), subject);
    }

    static Deadline noDeadline() {
        return Deadline.in(Duration.ZERO);
    }

    private Reply.BucketEntry findBucket(String name) {
        Subject subject = Subject.bucket(name);
        checkName(name, subject);
        // No valid name lies between this and the wanted one.
        int last = name.length() - 1;
        String before = name.substring(0, last) + (char) (name.charAt(last) - 1) + "~";
        Reply reply = noDeadline().await(metadata.query(new Query.ListBuckets(before, 1)), subject);
        Reply.BucketList list = RefusalExceptions.expectBuckets(reply, subject);
        Optional<Reply.BucketEntry> found = list.buckets().stream()
                .filter(bucket -> bucket.name().equals(name))
                .findFirst();
        return found.orElseThrow(() -> new NoSuchBucketException("no bucket has this name", subject));
    }

    private BucketInfo describe(Reply.BucketEntry entry) {
        String volume = view.volume(entry.volume(), Subject.bucket(entry.name()), noDeadline())
                .name();
        return new BucketInfo(
                entry.name(),
                volume,
                entry.creator(),
                entry.settings(),
                entry.objects(),
                entry.bytes(),
                Instant.ofEpochMilli(entry.createdMillis()));
    }

    private static void checkName(String name, Subject subject) {
        Names.problemOfName(name).ifPresent(problem -> {
            throw new InvalidNameException(problem, subject);
        });
    }
}
