package io.bulwark.client.metadata;

import io.bulwark.client.driver.OperationDriver;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.OrderingMessage;
import io.bulwark.protocol.ordering.ReplicatedCall;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.transport.InboundHandler;
import io.bulwark.transport.Peer;
import io.bulwark.transport.PeerLink;
import io.bulwark.transport.Transport;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.List;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;

/**
 * Calls the replicated metadata service. The commands carry their own session and number, so that a call may be repeated
 * after any failure. Futures fail with a {@link MetadataException}. Thread-safe.
 */
public final class MetadataClient implements AutoCloseable {
    /** How long a call is tried unless told otherwise: longer than a change of leader takes. */
    public static final long TIMEOUT_MILLIS_STANDARD = 30_000;

    private final SortedMap<PrincipalId, PeerLink> links = new TreeMap<>();
    private final List<PrincipalId> replicas;
    private final OperationDriver driver;
    private final SecureRandom random = new SecureRandom();
    private final long timeoutMillis;

    private MetadataClient(Transport transport, List<InetSocketAddress> addresses, long timeoutMillis) {
        this.timeoutMillis = timeoutMillis;
        this.driver = new OperationDriver(this::send, _ -> {}, OperationDriver.Limits.standard(), random.nextLong());
        InboundHandler inbound = this::onMessage;
        for (int replica = 0; replica < addresses.size(); replica++) {
            PrincipalId id = PrincipalId.replica(replica);
            links.put(id, transport.link(id, addresses.get(replica), inbound));
        }
        this.replicas = List.copyOf(links.keySet());
    }

    /**
     * Connects to all replicas; returns at once, calls wait for the connections.
     *
     * @param transport speaks {@code OrderingCodec} and shares a key with each replica; it outlives this client
     * @param replicas where the 3f+1 replicas listen, by number
     */
    public static MetadataClient connect(Transport transport, List<InetSocketAddress> replicas) {
        return connect(transport, replicas, TIMEOUT_MILLIS_STANDARD);
    }

    /** As {@link #connect(Transport, List)}, with a deadline of its own for each call. */
    public static MetadataClient connect(Transport transport, List<InetSocketAddress> replicas, long timeoutMillis) {
        int faulty = ReplicatedCall.faultyOf(replicas.size());
        if (timeoutMillis < 1) {
            throw new IllegalArgumentException("timeout of " + timeoutMillis + " ms for f = " + faulty);
        }
        return new MetadataClient(transport, replicas, timeoutMillis);
    }

    /** Orders and executes a command of at most {@link OrderingMessage#COMMAND_BYTES_MAX} bytes. */
    public CompletableFuture<Bytes> submit(Bytes command) {
        return run(ReplicatedCall.command(replicas, command, timeoutMillis, random()));
    }

    /** A query that sees every command acknowledged before it, by any client. */
    public CompletableFuture<Bytes> query(Bytes query) {
        return run(ReplicatedCall.query(replicas, query, timeoutMillis, random()));
    }

    /**
     * Asks for what never reverts once it is so. f+1 replicas say the same, which may be out of date: a yes is for good,
     * a no is not.
     */
    public CompletableFuture<Bytes> fact(Bytes query) {
        return run(ReplicatedCall.fact(replicas, query, timeoutMillis, random()));
    }

    @Override
    public void close() {
        driver.close();
        links.values().forEach(PeerLink::close);
    }

    private CompletableFuture<Bytes> run(ReplicatedCall call) {
        return driver.submit(call).thenCompose(outcome -> switch (outcome) {
            case ReplicatedCall.Agreed agreed -> CompletableFuture.completedFuture(agreed.reply());
            case ReplicatedCall.Rejected _ -> CompletableFuture.failedFuture(new MetadataRejectedException());
            case ReplicatedCall.TimedOut late ->
                CompletableFuture.failedFuture(new MetadataUnavailableException(late.replicas(), timeoutMillis));
        });
    }

    private void send(PrincipalId to, long requestId, Message message) {
        PeerLink link = links.get(to);
        if (link == null) {
            throw new IllegalArgumentException("no link to " + to);
        }
        var _ = link.send(requestId, message);
    }

    private void onMessage(Peer peer, long requestId, Message message, Runnable done) {
        if (!driver.onMessage(peer.principal(), requestId, message, done)) {
            done.run();
        }
    }

    private RandomGenerator random() {
        return new SplittableRandom(random.nextLong());
    }
}
