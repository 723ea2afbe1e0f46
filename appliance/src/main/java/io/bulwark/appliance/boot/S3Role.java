package io.bulwark.appliance.boot;

import io.bulwark.appliance.admin.MonitoredMember;
import io.bulwark.appliance.cluster.RunningNode;
import io.bulwark.client.Bulwark;
import io.bulwark.client.config.ClientConfig;
import io.bulwark.client.error.ConfigException;
import io.bulwark.client.error.Subject;
import io.bulwark.gateway.s3.S3Gateway;
import io.bulwark.transport.Destination;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code bulwark s3 --config FILE}. */
public final class S3Role {
    private static final Logger LOG = LoggerFactory.getLogger(S3Role.class);

    private S3Role() {}

    /**
     * Runs until the process is told to end; returns the exit code.
     *
     * @param health the {@link HealthFile} to keep, if given
     */
    public static int run(Path file, @Nullable Path health) throws IOException, InterruptedException {
        RoleFile.Configured<RoleFile.S3Setup> role = RoleFile.s3(file, System.getenv());
        RoleFile.S3Setup setup = role.setup();
        InetSocketAddress listen = Destination.resolve(setup.listen());
        if (setup.tls().isEmpty()
                && !setup.published()
                && !(listen.getAddress() != null && listen.getAddress().isLoopbackAddress())) {
            throw new ConfigException(
                    file + ": without TLS the S3 gateway listens on loopback only, not on "
                            + Destination.text(setup.listen())
                            + "; set `certificate`, or `published: true` if a balancer or a container engine is before"
                            + " it",
                    Subject.NONE);
        }
        ClientConfig config = ClientConfig.load(setup.client());
        DoorConnection connection = new DoorConnection("the S3 gateway");
        Bulwark door = connection.open(() -> Bulwark.connect(config));
        if (!door.accessKeys().gateways().doors().contains(config.principal())) {
            LOG.warn(
                    "{} is not named as an S3 gateway, so new access keys are not sealed for it: an operator runs"
                            + " `bulwark s3 enable --door {}`",
                    config.principal(),
                    config.principal());
        }
        MeterRegistry meters = RunningNode.metersOf("s3");
        S3Gateway gateway;
        try {
            gateway = S3Gateway.start(
                    door,
                    config.principal(),
                    new S3Gateway.Settings(
                            listen,
                            setup.tls().map(tls -> new S3Gateway.Tls(tls.certificate(), tls.key())),
                            setup.domains()),
                    meters);
        } catch (IOException | RuntimeException e) {
            door.close();
            throw e;
        }
        CompletableFuture<Integer> over = new CompletableFuture<>();
        return RoleProcess.until(
                new RunningGateway(connection, door, gateway, over, meters),
                role.admin(),
                health,
                RoleProcess.GRACE,
                over);
    }

    /** It does its work if it gets the cluster's status. */
    private record RunningGateway(
            DoorConnection connection,
            Bulwark door,
            S3Gateway gateway,
            CompletableFuture<Integer> over,
            MeterRegistry meters)
            implements MonitoredMember {
        @Override
        public String name() {
            return "s3";
        }

        @Override
        public String problem() {
            connection.runOrEnd(door::status, over);
            return "";
        }

        @Override
        public String broken() {
            return "";
        }

        @Override
        public void close() {
            gateway.close();
            door.close();
        }
    }
}
