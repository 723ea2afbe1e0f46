package io.bulwark.appliance.up;

import io.bulwark.appliance.cluster.ClusterPlan;
import io.bulwark.appliance.cluster.GatewayDoor;
import io.bulwark.client.Bulwark;
import io.bulwark.client.config.ClientConfig;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.client.error.NotBelievedException;
import io.bulwark.gateway.s3.S3Gateway;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The S3 gateway of an appliance, with a client of its own: it has no rights but those of the people for whom it acts. */
final class EmbeddedGateway implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedGateway.class);

    private final Bulwark door;
    private final S3Gateway gateway;

    private EmbeddedGateway(Bulwark door, S3Gateway gateway) {
        this.door = door;
        this.gateway = gateway;
    }

    /**
     * Starts it. At the first start the operator names it as a gateway; later {@code bulwark s3 enable} does, so that a
     * gateway that was taken out stays out.
     *
     * @return empty if the gateway's client was revoked, which must not keep the appliance from starting
     */
    static Optional<EmbeddedGateway> start(ClusterPlan plan, Bulwark operator, MeterRegistry meters)
            throws IOException {
        ClientConfig config = plan.s3Client();
        Path directory = plan.s3Directory();
        Path enabled = directory.resolve("enabled");
        if (!Files.exists(enabled)) {
            try {
                var _ = GatewayDoor.enable(operator, config.principal(), false);
                Files.createDirectories(
                        directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
                Files.createFile(enabled);
            } catch (BulwarkException e) {
                LOG.warn("the S3 gateway may not act for people: {}; see `bulwark s3 enable`", e.getMessage());
            }
        }
        Bulwark door;
        try {
            door = Bulwark.connect(config);
        } catch (NotBelievedException e) {
            if (e.reason() != NotBelievedException.Reason.REVOKED) {
                throw e;
            }
            LOG.warn("there is no S3 gateway: {}", e.getMessage());
            return Optional.empty();
        }
        try {
            return Optional.of(new EmbeddedGateway(
                    door,
                    S3Gateway.start(door, config.principal(), S3Gateway.Settings.plain(plan.s3Address()), meters)));
        } catch (IOException | RuntimeException e) {
            door.close();
            throw e;
        }
    }

    @Override
    public void close() {
        gateway.close();
        door.close();
    }
}
