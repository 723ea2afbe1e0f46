package io.bulwark.appliance.supervisor;

import io.bulwark.client.config.ChannelConfig;
import io.bulwark.client.config.ConfigurationChainFile;
import io.bulwark.client.config.KeyRing;
import io.bulwark.client.driver.OperationDriver;
import io.bulwark.client.driver.PeerLinks;
import io.bulwark.client.metadata.MetadataClient;
import io.bulwark.client.metadata.ReplicaPaths;
import io.bulwark.client.registry.TrustWatch;
import io.bulwark.client.replicas.KnownReplicas;
import io.bulwark.client.survey.RecoverySurvey;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.ordering.OrderingCodec;
import io.bulwark.protocol.ordering.membership.MembershipCodec;
import io.bulwark.protocol.ordering.recovery.RecoveryStatus;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.transport.Credentials;
import io.bulwark.transport.Transport;
import io.bulwark.transport.TransportSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.SecureRandom;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The replicas, asked over connections of its own. Thread-safe. */
public final class GroupView implements Group, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GroupView.class);
    private static final long SURVEY_MILLIS = 3_000;
    /** Longer than a change of views takes; who waits for it cannot wait for the call's own timeout. */
    private static final long RELEASES_MILLIS = 5_000;

    private static final long RECONNECT_MILLIS_MAX = 1_000;

    private final Transport transport;
    private final PeerLinks links;
    private final OperationDriver driver;
    private final MetadataClient metadata;
    private final Optional<TrustWatch> trust;
    private final Optional<KnownReplicas> group;
    private final ReplicaPaths paths;
    private final int replicas;
    private final Optional<ConfigurationChainFile> own;
    private Optional<FileTime> looked = Optional.empty();

    private GroupView(
            ChannelConfig channels,
            Credentials credentials,
            Path kept,
            Optional<Path> own,
            List<InetSocketAddress> replicas) {
        this.own = own.map(ConfigurationChainFile::beside);
        this.replicas = replicas.size();
        this.transport = Transport.open(
                TransportSettings.defaults().withReconnectMaxMillis(RECONNECT_MILLIS_MAX),
                credentials,
                new MessageCodecs(new OrderingCodec(), new MembershipCodec()));
        this.links = new PeerLinks(transport);
        this.driver =
                new OperationDriver(links, _ -> {}, OperationDriver.Limits.standard(), new SecureRandom().nextLong());
        this.group = KnownReplicas.of(channels, credentials, kept);
        this.paths = new ReplicaPaths(links, replicas, group);
        this.metadata = MetadataClient.over(driver, replicas.size(), group);
        links.deliverTo(driver);
        paths.connect();
        this.trust = TrustWatch.start(channels, credentials, group, kept, metadata::queryUnordered);
    }

    /**
     * Opens the view; returns at once.
     *
     * @param self the principal that asks
     * @param keys the key ring of that principal; TLS needs none
     * @param kept the file that keeps what it learns of the registry, used by no one else
     * @param replicas addresses of the replicas, by number
     * @throws io.bulwark.client.error.ConfigException if keys are missing or do not fit
     */
    public static GroupView open(
            PrincipalId self,
            @Nullable Path keys,
            ChannelConfig channels,
            Path kept,
            List<InetSocketAddress> replicas) {
        return open(self, keys, channels, kept, Optional.empty(), replicas);
    }

    /**
     * Opens the view as above, for a replica that may be removed. The others then refuse anyone who asks as that
     * replica, possibly without a reason. The replica itself learned of it while others still listened to it, and keeps
     * the proof.
     *
     * @param own the file that keeps what the replica learns of the registry; the proofs are beside it, and are checked
     */
    public static GroupView open(
            PrincipalId self,
            @Nullable Path keys,
            ChannelConfig channels,
            Path kept,
            Optional<Path> own,
            List<InetSocketAddress> replicas) {
        Credentials credentials =
                channels.credentials(self, () -> KeyRing.load(Objects.requireNonNull(keys)), replicas.size(), kept);
        return new GroupView(channels, credentials, kept, own, replicas);
    }

    @Override
    public SortedMap<Integer, RecoveryStatus> recoveries() throws InterruptedException {
        try {
            return RecoverySurvey.recoveries(
                    RecoverySurvey.answers(driver.submit(RecoverySurvey.of(Set.copyOf(replicasNow()), SURVEY_MILLIS))
                            .get()));
        } catch (ExecutionException e) {
            LOG.warn(
                    "the status of the replicas is unknown: {}",
                    e.getCause() == null ? e : e.getCause().toString());
            return new TreeMap<>();
        }
    }

    @Override
    public List<Integer> members() {
        reloadOwnFile();
        return replicasNow().stream().map(PrincipalId::number).toList();
    }

    @Override
    public boolean hasRemoved(int replica) {
        reloadOwnFile();
        return group.filter(known -> known.hasRemoved(PrincipalId.replica(replica)))
                .isPresent();
    }

    /** Looks into its file whenever that was written. */
    private synchronized void reloadOwnFile() {
        if (own.isEmpty() || group.isEmpty()) {
            return;
        }
        try {
            FileTime written = Files.getLastModifiedTime(own.get().file());
            if (!Optional.of(written).equals(looked)) {
                looked = Optional.of(written);
                group.get().learnFrom(own.get());
            }
        } catch (NoSuchFileException e) {
            looked = Optional.empty(); // It has learnt of nothing yet.
        } catch (IOException e) {
            LOG.debug("the status of {} cannot be read", own.get().file(), e);
        }
    }

    /** Returns the replicas, as far as this process knows. */
    private List<PrincipalId> replicasNow() {
        return group.map(known -> known.term().configuration().replicas())
                .orElseGet(() -> IntStream.range(0, replicas)
                        .mapToObj(PrincipalId::replica)
                        .toList());
    }

    @Override
    public List<String> allowedReleases() throws IOException, InterruptedException {
        try {
            // The replicas order no request of a replica, and the supervisor may ask only as one.
            Bytes answer = metadata.queryUnordered(new Query.ListReleases().encoded())
                    .get(RELEASES_MILLIS, TimeUnit.MILLISECONDS);
            if (Reply.decode(answer) instanceof Reply.ReleaseList list) {
                return list.hashes().stream().map(Bytes::toHex).toList();
            }
            throw new IOException("the replicas do not support releases");
        } catch (MalformedException e) {
            throw new IOException("the answer of the replicas cannot be decoded", e);
        } catch (TimeoutException e) {
            throw new IOException("they have not agreed on an answer within " + RELEASES_MILLIS + " ms", e);
        } catch (ExecutionException e) {
            throw new IOException(
                    String.valueOf(e.getCause() == null ? e : e.getCause().getMessage()), e);
        }
    }

    @Override
    public void close() {
        trust.ifPresent(TrustWatch::close);
        paths.close();
        metadata.close();
        driver.close();
        links.close();
        transport.close();
    }
}
