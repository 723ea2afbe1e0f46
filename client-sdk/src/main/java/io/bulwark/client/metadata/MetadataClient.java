package io.bulwark.client.metadata;

import io.bulwark.client.driver.OperationDriver;
import io.bulwark.client.driver.PeerLinks;
import io.bulwark.client.error.NotBelievedException;
import io.bulwark.client.replicas.KnownReplicas;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.GroupCall;
import io.bulwark.protocol.ordering.HistoryCall;
import io.bulwark.protocol.ordering.OrderingMessage;
import io.bulwark.protocol.ordering.ReplicatedCall;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.ConfigurationStart;
import io.bulwark.protocol.ordering.membership.MembershipMessage.Successor;
import io.bulwark.protocol.ordering.membership.Succession;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.Transport;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/**
 * Calls the replicated metadata service. The commands carry their own session and number, so that a call may be repeated
 * after any failure. Futures fail with a {@link MetadataException}. Thread-safe.
 */
public final class MetadataClient implements AutoCloseable {
    /** Standard timeout of a call: longer than a change of leader takes. */
    public static final long TIMEOUT_MILLIS_STANDARD = 30_000;

    private final OperationDriver driver;
    private final List<PrincipalId> fixed;
    private final Optional<? extends Succession> group;
    private final long timeoutMillis;
    private final Supplier<Optional<NotBelievedException>> denial;
    private final Runnable closing;
    private final SecureRandom random = new SecureRandom();
    private final SlowReplicas repliers = new SlowReplicas();

    private MetadataClient(
            OperationDriver driver,
            int replicas,
            Optional<? extends Succession> group,
            long timeoutMillis,
            Supplier<Optional<NotBelievedException>> denial,
            Runnable closing) {
        int faulty = ReplicatedCall.faultyOf(replicas);
        if (timeoutMillis < 1) {
            throw new IllegalArgumentException("timeout of " + timeoutMillis + " ms for f = " + faulty);
        }
        this.driver = driver;
        this.fixed = IntStream.range(0, replicas).mapToObj(PrincipalId::replica).toList();
        this.group = group;
        this.timeoutMillis = timeoutMillis;
        this.denial = denial;
        this.closing = closing;
    }

    /**
     * Connects to all replicas, which stay; returns at once, calls wait for the connections.
     *
     * @param transport speaks {@code OrderingCodec} and shares a key with each replica; it outlives this client
     * @param replicas where the 3f+1 replicas listen, by number
     */
    public static MetadataClient connect(Transport transport, List<InetSocketAddress> replicas) {
        return connect(transport, replicas, TIMEOUT_MILLIS_STANDARD);
    }

    /** Does the same as {@link #connect(Transport, List)}, with a deadline of its own for each call. */
    public static MetadataClient connect(Transport transport, List<InetSocketAddress> replicas, long timeoutMillis) {
        return connect(transport, replicas, Optional.empty(), timeoutMillis);
    }

    /**
     * Connects to all replicas, and to those that follow them.
     *
     * @param transport speaks {@code OrderingCodec} and {@code MembershipCodec}
     * @param replicas where those of the genesis are found, by number
     * @param group who they are now; there with TLS
     */
    public static MetadataClient connect(
            Transport transport, List<InetSocketAddress> replicas, Optional<KnownReplicas> group) {
        return connect(transport, replicas, group, TIMEOUT_MILLIS_STANDARD);
    }

    /**
     * Connects to the replicas of one configuration; once others follow them, no call succeeds any more.
     *
     * @param replicas where they are found, by place
     */
    public static MetadataClient connect(
            Transport transport, Configuration configuration, List<InetSocketAddress> replicas, long timeoutMillis) {
        PeerLinks links = new PeerLinks(transport);
        OperationDriver driver = new OperationDriver(
                links, ignored -> {}, OperationDriver.Limits.standard(), new SecureRandom().nextLong());
        Succession fixed = new FixedMembership(ConfigurationStart.first(configuration));
        Supplier<Optional<NotBelievedException>> denial =
                () -> AuthenticationFailure.of(configuration.replicas(), links::refusal, links.hasEverConnected())
                        .map(each -> each.exception(links.self()));
        MetadataClient client =
                new MetadataClient(driver, replicas.size(), Optional.of(fixed), timeoutMillis, denial, () -> {
                    driver.close();
                    links.close();
                });
        links.deliverTo(driver);
        for (int place = 0; place < replicas.size(); place++) {
            links.connect(configuration.members().get(place).replica(), replicas.get(place));
        }
        return client;
    }

    /** Group whose members do not change. */
    private record FixedMembership(ConfigurationStart term) implements Succession {
        @Override
        public boolean mayCheck(long nowMillis, PrincipalId from) {
            return false;
        }

        @Override
        public boolean accept(Successor said) {
            return false;
        }
    }

    private static MetadataClient connect(
            Transport transport, List<InetSocketAddress> replicas, Optional<KnownReplicas> group, long timeoutMillis) {
        PeerLinks links = new PeerLinks(transport);
        OperationDriver driver = new OperationDriver(
                links, ignored -> {}, OperationDriver.Limits.standard(), new SecureRandom().nextLong());
        ReplicaPaths paths = new ReplicaPaths(links, replicas, group);
        MetadataClient client = new MetadataClient(driver, replicas.size(), group, timeoutMillis, paths::denial, () -> {
            paths.close();
            driver.close();
            links.close();
        });
        links.deliverTo(driver);
        paths.connect();
        return client;
    }

    /**
     * Returns a client that calls a fixed group of replicas by way of a driver.
     *
     * @param driver remains for the caller to close
     * @param replicas how many there are: 3f+1
     */
    public static MetadataClient over(OperationDriver driver, int replicas) {
        return over(driver, replicas, Optional.empty());
    }

    /** Does the same as above, by way of a driver that reaches those of the group as it changes ({@link ReplicaPaths}). */
    public static MetadataClient over(OperationDriver driver, int replicas, Optional<KnownReplicas> group) {
        return new MetadataClient(driver, replicas, group, TIMEOUT_MILLIS_STANDARD, Optional::empty, () -> {});
    }

    /** Orders and executes a command of at most {@link OrderingMessage#COMMAND_BYTES_MAX} bytes. */
    public CompletableFuture<Bytes> submit(Bytes command) {
        return run(replicas -> ReplicatedCall.command(replicas, command, timeoutMillis, random()));
    }

    /** A query that sees every command acknowledged before it, by any client. */
    public CompletableFuture<Bytes> query(Bytes query) {
        return run(replicas -> ReplicatedCall.query(replicas, query, timeoutMillis, random()));
    }

    /**
     * Sends a query as {@link #query} does, but never has it ordered. It asks again until the replicas agree, and fails
     * if they do not in time. It serves callers that ask as a replica or ask again anyway.
     */
    public CompletableFuture<Bytes> queryUnordered(Bytes query) {
        return run(replicas ->
                ReplicatedCall.query(replicas, query, timeoutMillis, random()).withoutOrdering());
    }

    /** Sends a query as {@link #query} does, but asks for seconds before it is ordered. It serves background work. */
    public CompletableFuture<Bytes> queryPatiently(Bytes query) {
        return run(replicas ->
                ReplicatedCall.query(replicas, query, timeoutMillis, random()).patiently());
    }

    /**
     * Returns the successions from the genesis to this client's configuration; empty if no replica shows them in time.
     */
    public CompletableFuture<Optional<List<Successor>>> history(Configuration genesis) {
        Configuration now = group.orElseThrow().term().configuration();
        return driver.submit(new HistoryCall(genesis, now, TIMEOUT_MILLIS_STANDARD));
    }

    /**
     * Returns the reason why the replicas refuse this process, for people, if it has links of its own. Its calls are
     * still retried, as it may be accepted later.
     */
    public Optional<NotBelievedException> denial() {
        return denial.get();
    }

    @Override
    public void close() {
        closing.run();
    }

    private CompletableFuture<Bytes> run(Function<List<PrincipalId>, ReplicatedCall> making) {
        ReplicatedCall call;
        ClientOperation<ReplicatedCall.Outcome> operation;
        if (group.isPresent()) {
            ConfigurationStart term = group.get().term();
            call = making.apply(term.configuration().replicas()).avoidRepliers(repliers.late());
            operation = new GroupCall(group.get(), term, call);
        } else {
            call = making.apply(fixed).avoidRepliers(repliers.late());
            operation = call;
        }
        return driver.submit(operation).thenCompose(outcome -> {
            repliers.onLate(call.late());
            return switch (outcome) {
                case ReplicatedCall.Agreed agreed -> CompletableFuture.completedFuture(agreed.reply());
                case ReplicatedCall.Rejected ignored -> CompletableFuture.failedFuture(new MetadataRejectedException());
                case ReplicatedCall.TimedOut late ->
                    CompletableFuture.failedFuture(new MetadataUnavailableException(late.replicas(), timeoutMillis));
            };
        });
    }

    private RandomGenerator random() {
        return new SplittableRandom(random.nextLong());
    }
}
