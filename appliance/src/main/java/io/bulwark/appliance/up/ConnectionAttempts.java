package io.bulwark.appliance.up;

import io.bulwark.client.Bulwark;
import io.bulwark.client.config.ClientConfig;
import io.bulwark.client.error.UnavailableException;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Connects to a cluster, again and again as long as too few replicas answer. To be used by one thread. */
final class ConnectionAttempts implements AutoCloseable {
    static final String CLUSTER = "the cluster";

    private final ClientConfig config;
    private CompletableFuture<Bulwark> attempt;
    private String problem = "the replicas have not agreed on a request yet";

    ConnectionAttempts(ClientConfig config) {
        this.config = config;
        this.attempt = begin();
    }

    private CompletableFuture<Bulwark> begin() {
        return CompletableFuture.supplyAsync(
                () -> Bulwark.connect(config),
                task -> Thread.ofPlatform().daemon().name("connecting").start(task));
    }

    /**
     * Returns the reason why there is no connection yet; empty once there is. Throws problems that only another
     * configuration can solve.
     */
    SortedMap<String, String> awaited() {
        try {
            return until(attempt, CLUSTER, problem);
        } catch (UnavailableException e) {
            problem = String.valueOf(e.getMessage());
            attempt = begin();
            return new TreeMap<>(Map.of(CLUSTER, problem));
        }
    }

    /**
     * Returns the reason under this name while a concurrent task runs, and nothing once it is done; throws its
     * exception.
     */
    static SortedMap<String, String> until(CompletableFuture<?> done, String name, String why) {
        if (!done.isDone()) {
            return new TreeMap<>(Map.of(name, why));
        }
        try {
            done.join();
            return new TreeMap<>();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    /** The connection, once nothing is awaited. */
    Bulwark connected() {
        return attempt.join();
    }

    /** Gives up; a connection that comes yet is closed. */
    @Override
    public void close() {
        var _ = attempt.thenAccept(Bulwark::close);
    }
}
