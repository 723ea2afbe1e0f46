package io.bulwark.appliance.cluster;

import io.bulwark.appliance.admin.MonitoredMember;
import io.bulwark.client.config.ChannelConfig;
import io.bulwark.client.config.KeyRing;
import io.bulwark.client.metadata.MetadataClient;
import io.bulwark.client.registry.TrustWatch;
import io.bulwark.client.replicas.KnownReplicas;
import io.bulwark.metadata.RecoverableReplica;
import io.bulwark.metadata.ReplicaConfig;
import io.bulwark.metadata.ReplicaServer;
import io.bulwark.metadata.ReplicaStatus;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.OrderingCodec;
import io.bulwark.protocol.ordering.Phase;
import io.bulwark.protocol.ordering.driver.StartReason;
import io.bulwark.protocol.ordering.membership.MembershipCodec;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.transport.Credentials;
import io.bulwark.transport.TlsCredentials;
import io.bulwark.transport.Transport;
import io.bulwark.transport.TransportSettings;
import io.bulwark.transport.identity.NativeP256;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/** A metadata replica put together. */
public final class RunningReplica implements MonitoredMember {
    private final String name;
    private final ReplicaServer replica;
    private final Runnable unfollow;
    private final MeterRegistry meters;

    RunningReplica(String name, ReplicaServer replica, Runnable unfollow, MeterRegistry meters) {
        this.name = name;
        this.replica = replica;
        this.unfollow = unfollow;
        this.meters = meters;
        gauge(
                "bulwark.replica.running",
                "1 while the replica takes part in ordering.",
                status -> status.phase() == Phase.RUNNING ? 1 : 0);
        gauge(
                "bulwark.replica.leads",
                "1 while the replica is the primary.",
                status -> status.leader() == status.replica() ? 1 : 0);
        gauge("bulwark.replica.lag.batches", "Batches by which f + 1 others are ahead.", ReplicaStatus::lagBatches);
        gauge(
                "bulwark.replica.damaged",
                "1 if its log or state was damaged or missing at the start.",
                status -> status.damaged() ? 1 : 0);
        gauge(
                "bulwark.replica.failed",
                "1 after the replica has stopped for good.",
                status -> status.failure().isEmpty() ? 0 : 1);
    }

    private void gauge(String meter, String description, ToDoubleFunction<ReplicaStatus> value) {
        Gauge.builder(meter, replica, shown -> value.applyAsDouble(shown.status()))
                .description(description)
                .register(meters);
    }

    /** Starts it; returns when it listens. */
    public static RunningReplica start(ReplicaSetup setup) throws IOException {
        return start(setup, StartReason.NORMAL);
    }

    /**
     * Starts it; returns when it listens.
     *
     * @param start {@link StartReason#RECOVERING} if the watchdog has it started
     */
    public static RunningReplica start(ReplicaSetup setup, StartReason start) throws IOException {
        RocksLibrary.load();
        ReplicaConfig config = new ReplicaConfig(
                setup.number(),
                setup.listen(),
                setup.replicas(),
                setup.data(),
                ReplicaConfig.SNAPSHOT_BATCHES_STANDARD,
                setup.recoveries());
        Path kept = RunningNode.kept(setup.data());
        Credentials credentials = setup.channels()
                .credentials(
                        PrincipalId.replica(setup.number()),
                        () -> KeyRing.load(Objects.requireNonNull(setup.keys())),
                        setup.replicas().size(),
                        kept);
        setup.channels().claim(setup.data());
        String name = "replica-" + setup.number();
        MeterRegistry meters = RunningNode.metersOf(name);
        Optional<KnownReplicas> group = KnownReplicas.of(setup.channels(), credentials, kept);
        ReplicaServer replica = setup.ordering()
                .start(new Ordering.ReplicaStart(config, credentials, setup.genesis(), start, group, meters));
        RecoveryMeters.register(
                replica,
                () -> group.map(known -> known.term().configuration().members().size())
                        .orElse(setup.replicas().size()),
                meters);
        if (credentials instanceof TlsCredentials) {
            // It verifies what operators and other replicas sign for as long as it runs.
            NativeP256.request();
        }
        return new RunningReplica(name, replica, follow(setup, credentials, group, kept), meters);
    }

    /**
     * Follows the registry as any client does: the word of one replica alone, even of this one, counts for nothing.
     * Replicas' queries are never ordered, so it asks until the replicas agree. Returns the action that ends it.
     */
    private static Runnable follow(
            ReplicaSetup setup, Credentials credentials, Optional<KnownReplicas> group, Path kept) {
        if (!(setup.channels() instanceof ChannelConfig.Tls)) {
            return () -> {};
        }
        Transport asking = Transport.open(
                TransportSettings.defaults(),
                credentials,
                new MessageCodecs(new OrderingCodec(), new MembershipCodec()));
        MetadataClient metadata = MetadataClient.connect(asking, setup.replicas(), group);
        Optional<TrustWatch> watch =
                TrustWatch.start(setup.channels(), credentials, group, kept, metadata::queryUnordered);
        return () -> {
            watch.ifPresent(TrustWatch::close);
            metadata.close();
            asking.close();
        };
    }

    /**
     * Hands over if it is the primary, stops, and starts again in this process to recover. Returns when it listens;
     * {@link #status} reports its progress.
     *
     * @throws IOException if it does not start again, or its ordering engine has no recoveries
     */
    public void recover() throws IOException {
        if (!(replica instanceof RecoverableReplica recoverable)) {
            throw new IOException("the ordering engine of " + name + " has no recoveries");
        }
        recoverable.recover();
    }

    /** Returns the replica's recent view of its own status. */
    public ReplicaStatus status() {
        return replica.status();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public MeterRegistry meters() {
        return meters;
    }

    @Override
    public String broken() {
        return replica.status().failure();
    }

    /** Empty if it takes part in ordering, and so answers clients; else why not. */
    @Override
    public String problem() {
        ReplicaStatus status = replica.status();
        if (!status.failure().isEmpty()) {
            return status.failure();
        }
        if (!status.waiting().isEmpty()) {
            return "it " + status.waiting();
        }
        return status.phase() == Phase.RUNNING
                ? ""
                : "it is " + status.phase().name().toLowerCase(Locale.ROOT) + ", " + status.lagBatches()
                        + " batches behind its peers";
    }

    @Override
    public void close() {
        unfollow.run();
        replica.close();
    }
}
