package io.bulwark.appliance.boot;

import io.bulwark.client.error.NotBelievedException;
import io.bulwark.client.error.UnavailableException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The connection of a door, the console or a gateway, to the cluster. */
final class DoorConnection {
    private static final Logger LOG = LoggerFactory.getLogger(DoorConnection.class);
    private static final long PAUSE_MILLIS = 5_000;

    private final String door;
    private final long pauseMillis;

    /** @param door names it in the log, as {@code the console} */
    DoorConnection(String door) {
        this(door, PAUSE_MILLIS);
    }

    DoorConnection(String door, long pauseMillis) {
        this.door = door;
        this.pauseMillis = pauseMillis;
    }

    /**
     * Connects, and retries until enough replicas answer and accept this client. The door may be started before the
     * replicas. A refused attempt may succeed later, when its key is registered, a clock is set, or an interceptor is
     * gone. An exit code of wrong configuration would keep a supervisor from restarting it. Only revocation is final.
     */
    <T> T open(Supplier<T> connecting) throws InterruptedException {
        String said = "";
        while (true) {
            try {
                return connecting.get();
            } catch (NotBelievedException | UnavailableException e) {
                if (e instanceof NotBelievedException refused
                        && refused.reason() == NotBelievedException.Reason.REVOKED) {
                    throw e;
                }
                String kind = e instanceof NotBelievedException refused
                        ? refused.reason().name()
                        : "too few replicas answer";
                if (!kind.equals(said)) {
                    said = kind;
                    LOG.warn("{} is not ready, retrying: {}", door, e.getMessage());
                }
                Thread.sleep(pauseMillis);
            }
        }
    }

    /**
     * Runs a request, and ends the process if the client was revoked meanwhile.
     *
     * @param over completed with the exit code then
     */
    void runOrEnd(Supplier<?> asking, CompletableFuture<Integer> over) {
        try {
            var _ = asking.get();
        } catch (NotBelievedException e) {
            if (e.reason() == NotBelievedException.Reason.REVOKED) {
                LOG.error("{} stopped: {}", door, e.getMessage());
                over.complete(RoleProcess.CONFIG);
            }
            throw e;
        }
    }
}
