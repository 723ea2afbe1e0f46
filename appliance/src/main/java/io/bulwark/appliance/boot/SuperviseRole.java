package io.bulwark.appliance.boot;

import io.bulwark.appliance.admin.MonitoredMember;
import io.bulwark.appliance.admin.PrometheusText;
import io.bulwark.appliance.cluster.JavaCommand;
import io.bulwark.appliance.cluster.ReplicaProcess;
import io.bulwark.appliance.cluster.ReplicaSetup;
import io.bulwark.appliance.cluster.RunningNode;
import io.bulwark.appliance.control.ControlReply;
import io.bulwark.appliance.control.ControlRequest;
import io.bulwark.appliance.control.ControlSocket;
import io.bulwark.appliance.supervisor.GroupView;
import io.bulwark.appliance.supervisor.Installation;
import io.bulwark.appliance.supervisor.Release;
import io.bulwark.appliance.supervisor.Supervisor;
import io.bulwark.client.error.ConfigException;
import io.bulwark.client.error.Subject;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.transport.Destination;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code bulwark supervise --config FILE}: the replica of that file as a process of its own, and the supervisor beside it. */
public final class SuperviseRole implements MonitoredMember {
    private static final Logger LOG = LoggerFactory.getLogger(SuperviseRole.class);

    /** Longer than the replica's own, and its supervisor's patience with it. */
    private static final Duration GRACE = Duration.ofSeconds(19);

    private final ReplicaProcess replica;
    private final int number;
    private final GroupView group;
    private final Supervisor supervisor;
    private final MeterRegistry meters = PrometheusText.registry();
    private final ControlSocket control;

    private SuperviseRole(
            ReplicaProcess replica,
            ReplicaSetup setup,
            RoleFile.SupervisorSetup own,
            GroupView group,
            Installation installed)
            throws IOException {
        this.replica = replica;
        this.number = setup.number();
        this.group = group;
        boolean recovers = own.recovers() && setup.canRecover();
        if (!recovers) {
            LOG.warn(
                    "{} has no scheduled recoveries: {}",
                    replica.name(),
                    own.recovers() ? setup.recoveryHindrance().orElseThrow() : "disabled in its configuration");
        }
        meters.config().commonTags("member", replica.name());
        Supervisor.Watchdog watchdog = new Supervisor.Watchdog(
                group,
                recovers ? Optional.of(installed) : Optional.empty(),
                setup.replicas().size(),
                recovers ? OptionalLong.of(setup.recoveries().watchdogMillis()) : OptionalLong.empty());
        this.supervisor = Supervisor.start(replica, number, watchdog, meters);
        this.control = ControlSocket.serve(own.data(), this::onRequest);
    }

    /**
     * Runs until the process is told to end; returns the exit code.
     *
     * @param health the {@link HealthFile} that the replica keeps, if given
     */
    public static int run(Path config, @Nullable Path health) throws Exception {
        RoleFile.Configured<ReplicaSetup> role = RoleFile.replica(config, System.getenv());
        RoleFile.Configured<RoleFile.SupervisorSetup> own = RoleFile.supervisor(config, System.getenv(), role.setup());
        List<String> arguments = new ArrayList<>(
                List.of("replica", "--config", config.toAbsolutePath().toString(), "--end-with-input"));
        if (health != null) {
            arguments.addAll(List.of("--health", health.toAbsolutePath().toString()));
        }
        SuperviseRole started = start(role.setup(), own.setup(), config, arguments);
        CompletableFuture<Integer> end = started.supervisor.over().thenApply(why -> {
            System.err.println(why);
            return RoleProcess.CONFIG;
        });
        return RoleProcess.until(started, own.admin(), null, GRACE, end);
    }

    /** Starts the replica, and begins to watch over it once it listens. */
    private static SuperviseRole start(
            ReplicaSetup setup, RoleFile.SupervisorSetup own, Path config, List<String> arguments) throws Exception {
        Release release = own.release().map(Release::of).orElseGet(Release::own);
        Installation installed = Installation.of(release, config.toAbsolutePath(), setup.channels());
        ReplicaProcess replica = new ReplicaProcess(
                "replica-" + setup.number(),
                Destination.resolve(setup.listen()),
                Optional.empty(),
                JavaCommand.javaAsThis(release.classPath()),
                arguments);
        Files.createDirectories(own.data());
        GroupView group = GroupView.open(
                PrincipalId.replica(setup.number()),
                setup.keys(),
                setup.channels(),
                own.data().resolve("supervisor.registry"),
                Optional.of(RunningNode.kept(setup.data())),
                setup.replicas());
        try {
            if (group.hasRemoved(setup.number())) {
                throw new ConfigException(
                        replica.name() + " was removed from the group and is not started: wipe its disk", Subject.NONE);
            }
            replica.start();
            replica.awaitListening();
            return new SuperviseRole(replica, setup, own, group, installed);
        } catch (Exception e) {
            replica.stop();
            group.close();
            throw e;
        }
    }

    /** Serves a request on the control socket. */
    private ControlReply onRequest(ControlRequest request) {
        if (!request.action().equals("replica-recover")) {
            return ControlReply.failed("this is the directory of the supervisor of " + replica.name() + ", which "
                    + (problem().isEmpty() ? "runs" : "has a problem: " + problem())
                    + "; `bulwark status --client FILE` asks the cluster");
        }
        Integer asked = request.node();
        if (asked == null || asked != number) {
            return ControlReply.failed("replica " + asked + " has another supervisor; here is " + replica.name());
        }
        return startRecovery(supervisor);
    }

    /** Has a replica recover, as an operator asked for. */
    public static ControlReply startRecovery(Supervisor supervisor) {
        try {
            String refused = supervisor.recoverNow();
            return refused.isEmpty()
                    ? ControlReply.ok(Map.of(
                            "message",
                            supervisor.member().name()
                                    + " was restarted and recovers; `bulwark status` shows its progress."))
                    : ControlReply.failed(refused);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return ControlReply.failed(
                    "the supervisor of " + supervisor.member().name() + " is shutting down");
        } catch (Exception e) {
            return ControlReply.failed(supervisor.member().name() + " cannot be restarted: " + e.getMessage());
        }
    }

    @Override
    public String name() {
        return supervisor.name();
    }

    @Override
    public MeterRegistry meters() {
        return meters;
    }

    @Override
    public String problem() {
        String alarm = supervisor.problem();
        return alarm.isEmpty() && !replica.isRunning() ? replica.name() + " does not run" : alarm;
    }

    @Override
    public String broken() {
        return "";
    }

    /** Ends the replica, too. */
    @Override
    public void close() {
        try {
            control.close();
            supervisor.close();
            replica.stop();
        } catch (IOException e) {
            LOG.warn("closing the control socket: {}", e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        group.close();
    }
}
