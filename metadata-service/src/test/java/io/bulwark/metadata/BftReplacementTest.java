package io.bulwark.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bulwark.client.config.ChannelConfig;
import io.bulwark.client.config.ConfigurationChainFile;
import io.bulwark.client.config.GenesisFile;
import io.bulwark.client.config.KeyRing;
import io.bulwark.client.metadata.MetadataClient;
import io.bulwark.client.object.Metadata;
import io.bulwark.client.object.ReplicatedMetadata;
import io.bulwark.client.replicas.KnownReplicas;
import io.bulwark.metadata.bft.ReplicaRestarter;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Genesis;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.ordering.CallRefusal;
import io.bulwark.protocol.ordering.OrderingCodec;
import io.bulwark.protocol.ordering.OrderingMessage;
import io.bulwark.protocol.ordering.Phase;
import io.bulwark.protocol.ordering.driver.ReplicaConfig.Recoveries;
import io.bulwark.protocol.ordering.driver.StartReason;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.ordering.membership.MembershipCodec;
import io.bulwark.protocol.ordering.recovery.RecoveryReport;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.transport.Credentials;
import io.bulwark.transport.Destination;
import io.bulwark.transport.PeerLink;
import io.bulwark.transport.TlsCredentials;
import io.bulwark.transport.Transport;
import io.bulwark.transport.TransportSettings;
import io.bulwark.transport.identity.Identity;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Running replicas are replaced (decision 20): over TLS, with identities, and the metadata state machine. */
@NullMarked
@Tag("long")
class BftReplacementTest {
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final int SNAPSHOT_BATCHES = 16;
    /**
     * A replica that has lost its promises is silent for two lives of a key. Within half of that, seven replicas must
     * agree on the next key.
     */
    private static final Recoveries RECOVERIES = new Recoveries(600_000, 5_000, 120_000);

    private static final PrincipalId OPERATOR = PrincipalId.client(0);
    private static final SecureRandom RANDOM = new SecureRandom();

    @TempDir
    private Path directory = Path.of("");

    private final List<InetSocketAddress> addresses = ReplicaGroup.freeAddresses(7);
    private final Map<Integer, ReplicaRestarter> running = new HashMap<>();
    private final List<AutoCloseable> open = new ArrayList<>();
    private final AtomicInteger acknowledged = new AtomicInteger();
    private @Nullable KnownReplicas known;
    private @Nullable TlsCredentials credentials;
    private Metadata.@Nullable Session session;
    private @Nullable ReplicatedMetadata metadata;

    private static KeyRing noRing() {
        throw new AssertionError("TLS needs no key ring");
    }

    @BeforeEach
    void begin() throws Exception {
        TreeMap<PrincipalId, PrincipalKey> keys = new TreeMap<>();
        for (PrincipalId principal : List.of(OPERATOR, replica(0), replica(1), replica(2), replica(3))) {
            keys.put(principal, identity(principal).publicKey());
        }
        new GenesisFile("0123456789abcdef0123456789abcdef", OPERATOR, keys).store(genesisFile());
        for (int number = 0; number < 4; number++) {
            start(number);
        }
        ChannelConfig channels = channels(OPERATOR);
        Path kept = directory.resolve("operator.registry");
        TlsCredentials own = (TlsCredentials) channels.credentials(OPERATOR, BftReplacementTest::noRing, 4, kept);
        KnownReplicas group = KnownReplicas.of(channels, own, kept).orElseThrow();
        Transport transport = Transport.open(
                TransportSettings.defaults().withReconnectMaxMillis(500),
                own,
                new MessageCodecs(new OrderingCodec(), new MembershipCodec()));
        MetadataClient client = MetadataClient.connect(transport, addresses.subList(0, 4), Optional.of(group));
        open.add(client);
        open.add(transport);
        ReplicatedMetadata replicated =
                new ReplicatedMetadata(client::submit, client::query, channels.signing(OPERATOR));
        credentials = own;
        known = group;
        metadata = replicated;
        // The first connections of a process that has just begun, on a machine that is busy, can take longer than a
        // client waits.
        session = await().atMost(LONG)
                .ignoreExceptions()
                .until(() -> replicated.open(0).get(), Objects::nonNull);
    }

    private KnownReplicas known() {
        return Objects.requireNonNull(known);
    }

    private Reply execute(Command command) {
        return Objects.requireNonNull(session).submit(command).join();
    }

    private Reply ask(Query query) {
        return Objects.requireNonNull(metadata).query(query).join();
    }

    private ReplicaRestarter at(int number) {
        return Objects.requireNonNull(running.get(number));
    }

    @AfterEach
    void end() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
        running.values().forEach(ReplicaRestarter::close);
    }

    private static PrincipalId replica(int number) {
        return PrincipalId.replica(number);
    }

    private Path genesisFile() {
        return directory.resolve("genesis.properties");
    }

    private Identity identity(PrincipalId principal) throws IOException {
        Identity identity = Identity.generate(principal, RANDOM);
        identity.store(Identity.file(directory, principal));
        return identity;
    }

    private ChannelConfig channels(PrincipalId principal) {
        return new ChannelConfig.Tls(Identity.file(directory, principal), genesisFile());
    }

    private void start(int number) throws IOException {
        Path data = directory.resolve("replica-" + number);
        Files.createDirectories(data);
        Path kept = data.resolve("registry");
        ChannelConfig channels = channels(replica(number));
        Credentials own = channels.credentials(replica(number), BftReplacementTest::noRing, 4, kept);
        Genesis genesis = new Genesis(List.of(), List.of(Genesis.Grant.all(OPERATOR)), channels.genesisKeys());
        ReplicaConfig config = new ReplicaConfig(
                number,
                addresses.get(number),
                addresses.subList(0, 4),
                data.resolve("state"),
                SNAPSHOT_BATCHES,
                RECOVERIES);
        running.put(
                number,
                ReplicaRestarter.start(
                        config,
                        own,
                        state -> new NamespaceMachine(genesis, 1, state),
                        StartReason.NORMAL,
                        KnownReplicas.of(channels, own, kept),
                        new SimpleMeterRegistry()));
    }

    private void stop(int number) {
        Objects.requireNonNull(running.remove(number)).close();
    }

    private boolean takesPart(int number) {
        return at(number).status().phase() == Phase.RUNNING;
    }

    /** Adds a client whose private key nobody has, and waits for the acknowledgement. */
    private void write() {
        int next = 100 + acknowledged.get();
        PrincipalKey key = Identity.generate(PrincipalId.client(next), RANDOM).publicKey();
        assertThat(execute(new Command.AddPrincipal(PrincipalId.client(next), key)))
                .isEqualTo(new Reply.Done());
        acknowledged.incrementAndGet();
    }

    /** Starts one that nobody knows yet. */
    private Member coming(int number) throws IOException {
        Member member = new Member(
                replica(number),
                identity(replica(number)).publicKey().encoded(),
                Destination.text(addresses.get(number)));
        start(number);
        return member;
    }

    private void replace(long number, int leaving, int coming) throws IOException {
        Member member = coming(coming);
        assertThat(execute(new Command.ChangeReplicas(number, List.of(replica(leaving)), List.of(member))))
                .isEqualTo(new Reply.Done());
    }

    private void assertAllThere() {
        Reply.PrincipalList list =
                (Reply.PrincipalList) ask(new Query.ListPrincipals(-1, PrincipalId.NOBODY, Query.PAGE_MAX));
        assertThat(list.principals().stream()
                        .map(Reply.PrincipalEntry::principal)
                        .filter(principal -> principal.number() >= 100))
                .hasSize(acknowledged.get());
    }

    @Test
    void aReplicaThatIsLostIsReplacedUnderLoadAndAnotherMayFailThen() throws Exception {
        for (int i = 0; i < 20; i++) {
            write();
        }
        stop(2);
        AtomicBoolean over = new AtomicBoolean();
        Thread load = Thread.ofVirtual().start(() -> {
            while (!over.get()) {
                write();
            }
        });
        replace(1, 2, 4);
        await().atMost(LONG).until(() -> known().term().number() == 1);
        assertThat(known().term().configuration().replicas())
                .containsExactly(replica(0), replica(1), replica(4), replica(3));
        await().atMost(LONG).until(() -> takesPart(4));
        assertThat(Objects.requireNonNull(credentials).trusted().keysOf(replica(2)))
                .as("is dead")
                .isEmpty();
        stop(0);
        int before = acknowledged.get();
        await().atMost(LONG).until(() -> acknowledged.get() > before + 5);
        over.set(true);
        load.join();
        assertAllThere();
    }

    /**
     * It is not read even if its promises leave nothing to execute: the others may have acknowledged commands that it
     * lacks.
     */
    @Test
    void whoHasSpokenWithNobodyIsNotRead() throws Exception {
        for (int number = 0; number < 4; number++) {
            stop(number);
        }
        Path state = directory.resolve("replica-1").resolve("state");
        try (Stream<Path> files = Files.walk(state)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
        start(1);
        assertThat(read(1)).isEqualTo(CallRefusal.NOT_READY);
    }

    @Test
    void whoStartsAgainIsInTheConfigurationThatItWasInAndWhoIsOutSaysSo() throws Exception {
        write();
        replace(1, 2, 4);
        await().atMost(LONG).until(() -> takesPart(4));
        await().atMost(LONG).until(() -> at(2).status().waiting().contains("no longer a member of the group"));
        replace(2, 0, 5);
        await().atMost(LONG).until(() -> takesPart(5));
        List<ReplicaRestarter> closed = new ArrayList<>();
        for (int number : List.of(1, 3, 4, 5, 2)) {
            closed.add(at(number));
            stop(number);
        }
        // One of the first may have been the primary, and have handed over.
        assertThat(closed).allSatisfy(each -> assertThat(each.status().phase()).isEqualTo(Phase.FOLLOWING));
        start(1);
        assertThat(read(1)).as("nobody else is there").isEqualTo(CallRefusal.NOT_READY);
        for (int number : List.of(2, 3, 4, 5)) {
            start(number);
        }
        write();
        for (int number : List.of(1, 3, 4, 5)) {
            await().atMost(LONG).until(() -> takesPart(number));
        }
        assertThat(at(2).status().waiting()).contains("no longer a member of the group");
        assertAllThere();
        assertThat(((Reply.ReplicaList) ask(new Query.ListReplicas())).now())
                .isEqualTo(known().term().configuration());
    }

    @Test
    void threeAreAddedSoThatTwoMayFailAndThreeAreRemoved() throws Exception {
        write();
        Command added = new Command.ChangeReplicas(1, List.of(), List.of(coming(4), coming(5), coming(6)));
        assertThat(execute(added)).isEqualTo(new Reply.Done());
        for (int number = 0; number < 7; number++) {
            int each = number;
            await().atMost(LONG).until(() -> takesPart(each));
        }
        write();
        stop(0);
        stop(5);
        write();
        start(0);
        await().atMost(LONG).until(() -> takesPart(0));
        List<PrincipalId> leaving = List.of(replica(0), replica(4), replica(5));
        assertThat(execute(new Command.ChangeReplicas(2, leaving, List.of()))).isEqualTo(new Reply.Done());
        await().atMost(LONG).until(() -> {
            write();
            return known().term().number() == 2;
        });
        assertThat(known().term().configuration().replicas())
                .containsExactly(replica(1), replica(2), replica(3), replica(6));
        for (int number : List.of(0, 4)) {
            await().atMost(LONG).until(() -> at(number).status().waiting().contains("no longer a member of the group"));
        }
        write();
        for (int number : List.of(1, 2, 3, 6)) {
            await().atMost(LONG).until(() -> takesPart(number));
        }
        stop(1);
        write();
        assertAllThere();
    }

    /**
     * The directory records that the log of a later configuration has begun. A replica without that log has lost its
     * promises and is not new.
     */
    @Test
    void whoLosesWhatItPromisedInALaterConfigurationKnowsIt() throws Exception {
        write();
        replace(1, 2, 4);
        await().atMost(LONG).until(() -> takesPart(4));
        write();
        stop(4);
        ReplicaDirectory lost =
                new ReplicaDirectory(directory.resolve("replica-4").resolve("state"));
        assertThat(lost.hasBegun(1)).isTrue();
        assertThat(lost.promises()).doesNotExist();
        try (Stream<Path> files = Files.list(lost.promises(1))) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        start(4);
        assertThat(report(4).forgotten()).isTrue();
        write();
        await().atMost(LONG).until(() -> !report(4).forgotten() && takesPart(4));
        assertAllThere();
    }

    /** The proofs are in a file beside the state: without it a replica is in no configuration that it has left. */
    @Test
    void whoLosesWhoTheReplicasAreLearnsItAnew() throws Exception {
        write();
        replace(1, 2, 4);
        await().atMost(LONG).until(() -> takesPart(4) && takesPart(1));
        write();
        Path data = directory.resolve("replica-1");
        await().atMost(LONG).until(() -> new ReplicaDirectory(data.resolve("state")).lastBegun() == 1);
        for (int number : List.of(1, 0, 2, 3, 4)) {
            stop(number);
        }
        Files.delete(ConfigurationChainFile.beside(data.resolve("registry")).file());
        start(1);
        assertThat(at(1).status().waiting())
                .contains("was in configuration 1, and has lost the configuration of the replicas");
        for (int number : List.of(0, 3, 4)) {
            start(number);
        }
        await().atMost(LONG).until(() -> takesPart(1));
        assertThat(report(1).forgotten()).isFalse();
        assertAllThere();
    }

    /** Returns why one replica alone does not answer a query. */
    private CallRefusal read(int number) throws Exception {
        BlockingQueue<Message> answers = new LinkedBlockingQueue<>();
        try (Transport alone = Transport.open(
                TransportSettings.defaults(),
                Objects.requireNonNull(credentials),
                new MessageCodecs(new OrderingCodec()))) {
            PeerLink link = alone.link(replica(number), addresses.get(number), (_, _, message, done) -> {
                answers.add(message);
                done.run();
            });
            Bytes query = new Query.GetStatus().encoded();
            await().atMost(LONG).until(() -> link.send(1, new OrderingMessage.Query(1, query)) && !answers.isEmpty());
        }
        assertThat(answers.peek()).isInstanceOf(OrderingMessage.Refused.class);
        return ((OrderingMessage.Refused) answers.remove()).reason();
    }

    private RecoveryReport report(int number) {
        return at(number).status().recovery().orElseThrow().report();
    }
}
