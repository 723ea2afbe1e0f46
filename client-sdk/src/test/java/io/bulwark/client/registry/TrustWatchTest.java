package io.bulwark.client.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.bulwark.client.config.ChannelConfig;
import io.bulwark.client.config.GenesisFile;
import io.bulwark.client.config.KeyRing;
import io.bulwark.client.config.KnownPrincipals;
import io.bulwark.client.error.ConfigException;
import io.bulwark.client.replicas.KnownReplicas;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Genesis;
import io.bulwark.protocol.metadata.MetadataStateMachine;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.Submission;
import io.bulwark.protocol.ordering.OrderingCodec;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.transport.InboundHandler;
import io.bulwark.transport.LinkState;
import io.bulwark.transport.PeerLink;
import io.bulwark.transport.TlsCredentials;
import io.bulwark.transport.Transport;
import io.bulwark.transport.TransportSettings;
import io.bulwark.transport.identity.Identity;
import io.bulwark.transport.identity.TrustedKeys;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** The registry of a real state machine, followed by a process of the operator. */
@NullMarked
class TrustWatchTest {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final PrincipalId OPERATOR = PrincipalId.client(0);
    private static final PrincipalId OTHER = PrincipalId.client(1);
    private static final PrincipalId ADDED = PrincipalId.client(20);
    private static final long NEVER_MILLIS = 3_600_000;
    private static final MessageCodecs CODECS = new MessageCodecs(new OrderingCodec());
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final InboundHandler NOBODY = (_, _, _, done) -> done.run();

    private final MetadataStateMachine replicas = new MetadataStateMachine(
            new Genesis(List.of(), List.of(Genesis.Grant.all(OPERATOR), Genesis.Grant.all(OTHER))));
    private final SortedMap<PrincipalId, PrincipalKey> keys = new TreeMap<>();
    private final Identity own = Identity.generate(OPERATOR, RANDOM);
    private long number;

    @TempDir
    Path directory = Path.of("");

    private ChannelConfig.Tls files = new ChannelConfig.Tls(Path.of(""), Path.of(""));
    private Path kept = Path.of("");

    @BeforeEach
    void write() throws IOException {
        files = new ChannelConfig.Tls(directory.resolve("client-0.pem"), directory.resolve("genesis"));
        kept = files.keptBeside();
        own.store(files.identity());
        keys.put(OPERATOR, own.publicKey());
        keys.put(OTHER, key(OTHER));
        for (int i = 0; i < 4; i++) {
            keys.put(PrincipalId.replica(i), key(PrincipalId.replica(i)));
        }
        new GenesisFile("0".repeat(32), OPERATOR, keys).store(files.genesis());
        Bytes open = new Submission.OpenSession(Bytes.of(new byte[16]), 0).encoded();
        assertThat(Reply.decode(replicas.execute(OPERATOR, open, 1))).isInstanceOf(Reply.SessionOpened.class);
    }

    @Test
    void whatTheReplicasAgreeOnIsBelievedAndKept() throws Exception {
        PrincipalKey added = key(ADDED);
        PrincipalKey next = key(OTHER);
        try (TrustWatch watch = start(NEVER_MILLIS)) {
            watch.refresh();
            assertThat(watch.known().version()).isZero();
            execute(new Command.AddPrincipal(ADDED, added));
            execute(new Command.RotateKey(OTHER, List.of(next, before(OTHER))));
            watch.refresh();
            assertOwner(watch.known(), added, ADDED);
            assertOwner(watch.known(), next, OTHER);
            assertOwner(watch.known(), before(OTHER), OTHER);
            assertOwner(watch.known(), before(PrincipalId.replica(3)), PrincipalId.replica(3));

            execute(new Command.RotateKey(OTHER, List.of(next)));
            execute(new Command.RevokePrincipal(ADDED));
            watch.refresh();
            assertThat(watch.known().trustedKeys().ownerOf(before(OTHER))).isEmpty();
            assertThat(watch.known().trustedKeys().ownerOf(added)).isEmpty();
            assertThat(watch.known().keysOf(ADDED)).isEmpty();
            assertThat(watch.known().trustedKeys().revoked()).containsExactly(ADDED);
            assertThat(KnownPrincipals.load(GenesisFile.load(files.genesis()), kept))
                    .isEqualTo(watch.known());
        }
        try (TrustWatch again = start(NEVER_MILLIS)) {
            assertOwner(again.known(), next, OTHER);
        }
    }

    /** It may have been let in just now, and would have to wait until it is asked the next time. */
    @Test
    void whenAStrangerComesTheReplicasAreAskedWhoBelongs() throws Exception {
        TlsCredentials credentials = credentials();
        try (TrustWatch watch = start(credentials, this::ask, NEVER_MILLIS);
                Transport here = Transport.open(TransportSettings.defaults(), credentials, CODECS)) {
            InetSocketAddress address = here.listen(ANY_PORT, NOBODY).boundAddress();
            Identity added = Identity.generate(ADDED, RANDOM);
            execute(new Command.AddPrincipal(ADDED, added.publicKey()));
            TlsCredentials theirs = new TlsCredentials(added, new TrustedKeys(Map.of(own.publicKey(), OPERATOR)));
            try (Transport there = Transport.open(TransportSettings.defaults(), theirs, CODECS)) {
                PeerLink link = there.link(OPERATOR, address, NOBODY);
                await().until(() -> link.state() == LinkState.UP);
            }
            assertThat(watch.known().keysOf(ADDED)).containsExactly(added.publicKey());
        }
    }

    @Test
    void aNewIdentityIsShownWhenItIsAskedFor() throws Exception {
        TlsCredentials credentials = credentials();
        try (TrustWatch watch = start(credentials, this::ask, NEVER_MILLIS)) {
            assertThat(watch.renewIdentity()).isFalse();
            Identity next = Identity.generate(OPERATOR, RANDOM);
            Path fresh = directory.resolve("fresh.pem");
            next.store(fresh);
            Files.setLastModifiedTime(fresh, FileTime.fromMillis(1));
            Files.move(fresh, files.identity(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            assertThat(watch.renewIdentity()).isTrue();
            assertThat(credentials.publicKey()).isEqualTo(next.publicKey());
            assertThat(watch.renewIdentity()).isFalse();
        }
    }

    /** A replica that is behind, or lies, cannot bring back what was known to have changed. */
    @Test
    void olderVersionsAreNotBelieved() throws Exception {
        execute(new Command.RevokePrincipal(OTHER));
        try (TrustWatch watch = start(NEVER_MILLIS)) {
            watch.refresh();
        }
        Reply.PrincipalList older = new Reply.PrincipalList(0, List.of(), PrincipalId.NOBODY);
        try (TrustWatch misled =
                start(credentials(), _ -> CompletableFuture.completedFuture(older.encoded()), NEVER_MILLIS)) {
            misled.refresh();
            assertThat(misled.known().keysOf(OTHER)).isEmpty();
        }
    }

    @Test
    void manyPagesAreOneVersion() throws Exception {
        for (int i = 0; i < 1100; i++) {
            execute(new Command.AddPrincipal(PrincipalId.client(100 + i), key(ADDED)));
        }
        try (TrustWatch watch = start(NEVER_MILLIS)) {
            watch.refresh();
            assertThat(watch.known().changed()).hasSize(1100);
        }
    }

    @Test
    void aNewIdentityIsShownAndAHalfWrittenOneIsNot() throws Exception {
        TlsCredentials credentials = credentials();
        try (TrustWatch watch = start(credentials, this::ask, 20)) {
            Identity next = Identity.generate(OPERATOR, RANDOM);
            Path fresh = directory.resolve("fresh.pem");
            next.store(fresh);
            Files.writeString(files.identity(), "half");
            Files.setLastModifiedTime(files.identity(), FileTime.fromMillis(1));
            Thread.sleep(100);
            assertThat(credentials.publicKey()).isEqualTo(own.publicKey());
            Files.move(fresh, files.identity(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            await().until(() -> credentials.publicKey().equals(next.publicKey()));
            await().until(() -> watch.known().version() >= 0);
        }
    }

    /** At a start the own key must be one that is known, of the genesis or since. */
    @Test
    void theOwnKeyMayHaveChangedSinceTheGenesis() throws Exception {
        Identity next = Identity.generate(OPERATOR, RANDOM);
        Files.delete(files.identity());
        next.store(files.identity());
        assertThatThrownBy(this::credentials)
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("does not match");
        execute(new Command.RotateKey(OPERATOR, List.of(next.publicKey(), own.publicKey())));
        KnownPrincipals known = new KnownPrincipals(
                GenesisFile.load(files.genesis()),
                1,
                new TreeMap<>(Map.of(OPERATOR, List.of(next.publicKey(), own.publicKey()))));
        known.store(kept);
        assertThat(credentials().publicKey()).isEqualTo(next.publicKey());

        // Exchanged once more while this process did not run: the members know.
        new KnownPrincipals(known.genesis(), 1, new TreeMap<>(Map.of(OPERATOR, List.of(own.publicKey())))).store(kept);
        assertThat(credentials().publicKey()).isEqualTo(next.publicKey());

        new KnownPrincipals(known.genesis(), 2, new TreeMap<>(Map.of(OPERATOR, List.of()))).store(kept);
        assertThatThrownBy(this::credentials).hasMessageContaining("client-0 is revoked");
        Files.writeString(kept, "genesis=" + known.genesis().digest().toHex() + "\nversion=x\n");
        assertThatThrownBy(this::credentials).hasMessageContaining("learned again");
        Files.writeString(kept, "genesis=another\nversion=x\n");
        assertThatThrownBy(this::credentials).as("as if there were none").hasMessageContaining("does not match");
    }

    /**
     * The identity lies as on a medium that cannot be written: the log says what must be put there, and under which
     * name.
     */
    @Test
    void whoCannotKeepWhatItLearnsSaysWhatMustBePutWhere() throws Exception {
        kept = directory.resolve("missing").resolve("client-0.pem.registry");
        Logger logger = (Logger) LoggerFactory.getLogger(TrustWatch.class);
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        logger.addAppender(log);
        try (TrustWatch watch = start(NEVER_MILLIS)) {
            watch.refresh();
            execute(new Command.AddPrincipal(ADDED, key(ADDED)));
            watch.refresh();
            assertThat(watch.known().version()).isEqualTo(1);
        } finally {
            logger.detachAppender(log);
        }
        assertThat(log.list.stream().filter(event -> event.getLevel() == Level.WARN))
                .as("said once")
                .singleElement()
                .extracting(ILoggingEvent::getFormattedMessage)
                .asString()
                .startsWith(kept + " cannot be written")
                .contains("to " + kept + " and " + kept + ".replicas before a start", "docs/how-to/replace.md");
    }

    private TrustWatch start(long pauseMillis) {
        return start(credentials(), this::ask, pauseMillis);
    }

    private TrustWatch start(
            TlsCredentials credentials, Function<Bytes, CompletableFuture<Bytes>> queries, long pauseMillis) {
        KnownReplicas replicas = KnownReplicas.of(files, credentials, kept).orElseThrow();
        return TrustWatch.start(files, credentials, replicas, kept, queries, pauseMillis);
    }

    private TlsCredentials credentials() {
        return (TlsCredentials) files.credentials(OPERATOR, TrustWatchTest::noRing, 4, kept);
    }

    private static KeyRing noRing() {
        throw new AssertionError("TLS needs no key ring");
    }

    @Test
    void whatIsBeingLearntIsKeptBeforeClosingIsOver() throws Exception {
        Semaphore asked = new Semaphore(0);
        Semaphore answers = new Semaphore(0);
        TrustWatch watch = start(
                credentials(),
                query -> {
                    asked.release();
                    answers.acquireUninterruptibly();
                    return ask(query);
                },
                1);
        asked.acquire();
        Thread closing = Thread.ofPlatform().start(watch::close);
        Thread.State state = await().until(
                        closing::getState, now -> now == Thread.State.TIMED_WAITING || now == Thread.State.TERMINATED);
        assertThat(state).isEqualTo(Thread.State.TIMED_WAITING);
        answers.release(Integer.MAX_VALUE / 2);
        closing.join();
    }

    private synchronized CompletableFuture<Bytes> ask(Bytes query) {
        return CompletableFuture.completedFuture(replicas.query(OPERATOR, query));
    }

    private synchronized void execute(Command command) {
        number++;
        Bytes submission = new Submission.InSession(1, number, number, command).encoded();
        assertThat(Reply.decode(replicas.execute(OPERATOR, submission, 1))).isEqualTo(new Reply.Done());
    }

    private PrincipalKey before(PrincipalId principal) {
        PrincipalKey key = keys.get(principal);
        if (key == null) {
            throw new AssertionError(principal);
        }
        return key;
    }

    private static void assertOwner(KnownPrincipals known, PrincipalKey key, PrincipalId owner) {
        assertThat(known.trustedKeys().ownerOf(key)).contains(owner);
    }

    private static PrincipalKey key(PrincipalId principal) {
        return Identity.generate(principal, RANDOM).publicKey();
    }
}
