package io.bulwark.client.registry;

import io.bulwark.client.config.ChannelConfig;
import io.bulwark.client.config.ClientConfig;
import io.bulwark.client.config.ConfigurationChainFile;
import io.bulwark.client.config.GenesisFile;
import io.bulwark.client.config.JoinToken;
import io.bulwark.client.config.KeyRing;
import io.bulwark.client.config.KnownPrincipals;
import io.bulwark.client.error.CancelledException;
import io.bulwark.client.error.ConfigException;
import io.bulwark.client.error.NotBelievedException;
import io.bulwark.client.error.NotPermittedException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.client.metadata.MetadataClient;
import io.bulwark.client.metadata.MetadataUnavailableException;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.Submission;
import io.bulwark.protocol.ordering.OrderingCodec;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.MembershipCodec;
import io.bulwark.protocol.ordering.membership.MembershipMessage.Successor;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.transport.TlsCredentials;
import io.bulwark.transport.Transport;
import io.bulwark.transport.TransportSettings;
import io.bulwark.transport.identity.Identity;
import io.bulwark.transport.identity.TrustedKeys;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a machine a principal's with a {@link JoinToken}: makes a key here, which never leaves, and has the replicas take it in the place of
 * the token's. May be run again after an interruption. There is no door for it that is not there for everybody: the token's key is
 * registered, and may do nothing else.
 */
public final class ClusterJoin implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterJoin.class);

    /** Replicas learn of a key within seconds after an operator has registered it. */
    private static final long TRY_MILLIS = 4_000;

    private static final int TRIES = 3;
    private static final long LOOK_MILLIS = 20;
    private static final long RECONNECT_MILLIS_MAX = 500;
    private static final String GENESIS = "genesis.properties";
    private static final String CLIENT = "client.properties";

    private final JoinToken token;
    private final Transport transport;
    private final MetadataClient replicas;

    private ClusterJoin(JoinToken token, Identity identity) {
        this.token = token;
        Map<PrincipalKey, PrincipalId> keys = new HashMap<>();
        Configuration asked = token.configuration();
        for (int place = 0; place < asked.members().size(); place++) {
            keys.put(token.keys().get(place), asked.members().get(place).replica());
        }
        this.transport = Transport.open(
                TransportSettings.defaults().withReconnectMaxMillis(RECONNECT_MILLIS_MAX),
                new TlsCredentials(identity, new TrustedKeys(keys)),
                new MessageCodecs(new OrderingCodec(), new MembershipCodec()));
        List<InetSocketAddress> addresses = token.endpoints().stream()
                .map(endpoint -> new InetSocketAddress(endpoint.host(), endpoint.port()))
                .toList();
        this.replicas = MetadataClient.connect(transport, asked, addresses, TRY_MILLIS);
    }

    /**
     * Result of joining.
     *
     * @param files those that were written
     */
    public record JoinResult(PrincipalId principal, PrincipalKey key, List<Path> files) {
        public JoinResult {
            files = List.copyOf(files);
        }
    }

    /**
     * Joins the cluster by an invitation.
     *
     * @param directory receives the identity, the genesis file, and a client's configuration or a node's key ring
     * @param registry where a node keeps what it learns of the registry; a client keeps it beside its identity
     * @throws NotPermittedException if the token has expired
     * @throws NotBelievedException if the replicas do not know the token's key, because it was used or withdrawn, or no
     *     longer know the principal
     * @throws UnavailableException if the replicas are not reached, or others have followed them
     */
    public static JoinResult join(JoinToken token, Path directory, Path registry, SecureRandom random)
            throws IOException {
        Path file = Identity.file(directory, token.principal());
        // An earlier run may have come so far.
        boolean again = Files.exists(file);
        Identity own = again ? Identity.load(file) : Identity.generate(token.principal(), random);
        GenesisFile genesis;
        try {
            genesis = exchange(token, own, file, random);
        } catch (UnavailableException | NotBelievedException e) {
            if (!again) {
                throw e;
            }
            LOG.debug("the token may have been used here before", e);
            try {
                genesis = genesisAs(token, own);
            } catch (NotBelievedException notHere) {
                e.addSuppressed(notHere);
                throw e;
            }
        }
        Path genesisFile = directory.resolve(GENESIS);
        if (!Files.exists(genesisFile)) {
            genesis.store(genesisFile);
        } else if (!GenesisFile.load(genesisFile).equals(genesis)) {
            throw new ConfigException(genesisFile + " is the genesis file of another cluster", Subject.NONE);
        }
        List<Path> files = new ArrayList<>(List.of(file, genesisFile));
        boolean isClient = token.principal().kind() == PrincipalKind.CLIENT;
        Path kept = isClient ? new ChannelConfig.Tls(file, genesisFile).keptBeside() : registry;
        try (ClusterJoin joining = new ClusterJoin(token, own)) {
            joining.genesis();
            if (token.later().isPresent()) {
                files.addAll(joining.learn(genesis, token.later().get().configuration(), kept));
            }
        }
        if (!isClient) {
            Path ring = KeyRing.file(directory, token.principal());
            if (!Files.exists(ring)) {
                // Over TLS a node shares no keys but those that it agrees on.
                KeyRing.generate(directory, List.of(token.principal()), random);
            }
            files.add(ring);
            return new JoinResult(token.principal(), own.publicKey(), files);
        }
        Path client = directory.resolve(CLIENT);
        new ClientConfig(
                        token.principal(),
                        null,
                        new ChannelConfig.Tls(file.getFileName(), genesisFile.getFileName()),
                        (token.replicas().size() - 1) / 3,
                        token.replicas().stream()
                                .map(JoinToken.Replica::endpoint)
                                .toList())
                .store(client);
        files.add(client);
        return new JoinResult(token.principal(), own.publicKey(), files);
    }

    /**
     * Has the replicas replace the token's key with the own key, which it keeps once they have accepted the token's
     * key.
     */
    private static GenesisFile exchange(JoinToken token, Identity own, Path file, SecureRandom random)
            throws IOException {
        Identity invited = Identity.ofSeed(token.principal(), token.seed(), random);
        try (ClusterJoin joining = new ClusterJoin(token, invited)) {
            GenesisFile genesis;
            try {
                genesis = joining.genesis();
            } catch (NotBelievedException e) {
                throw ofToken(token, e);
            }
            if (!Files.exists(file)) {
                // The new key must be stored before the replicas accept it.
                Files.createDirectories(file.toAbsolutePath().getParent());
                own.store(file);
            }
            joining.rotate(genesis, invited, own, random);
            return genesis;
        }
    }

    /** Explains a refusal of the token's key. */
    private static NotBelievedException ofToken(JoinToken token, NotBelievedException denied) {
        String again = "; ask an operator to invite " + token.principal() + " again";
        Optional<String> what = switch (denied.reason()) {
            case NOT_KNOWN ->
                Optional.of("the token was used before or was withdrawn: the replicas no longer know its key" + again
                        + ", and check the current owner of that name if you did not use it");
            case SERVERS_NOT_KNOWN ->
                Optional.of(
                        "the servers do not have the keys in the token: the replicas may have been replaced" + again);
            case REVOKED, EXPIRED, SERVERS_EXPIRED -> Optional.empty();
        };
        if (what.isEmpty()) {
            return denied;
        }
        NotBelievedException told = new NotBelievedException(denied.reason(), what.get(), Subject.NONE);
        told.addSuppressed(denied);
        return told;
    }

    /** Waits until the replicas know this identity, and answer. */
    private static GenesisFile genesisAs(JoinToken token, Identity identity) {
        try (ClusterJoin joining = new ClusterJoin(token, identity)) {
            return joining.genesis();
        }
    }

    private GenesisFile genesis() {
        Reply.GenesisTold told = null;
        for (int attempt = 1; told == null; attempt++) {
            try {
                told = expect(Reply.GenesisTold.class, letIn(replicas.query(new Query.GetGenesis().encoded())));
            } catch (CompletionException e) {
                if (!(e.getCause() instanceof MetadataUnavailableException) || attempt == TRIES) {
                    throw new UnavailableException(
                            "too few replicas answer: they are unreachable, they were replaced, or the token was "
                                    + "used or withdrawn (then ask an operator to invite "
                                    + token.principal() + " again): " + cause(e),
                            Subject.NONE,
                            e);
                }
            }
        }
        GenesisFile genesis = GenesisFile.of(told.genesis());
        if (!genesis.digest().equals(token.genesis())) {
            throw new ConfigException("the genesis of the replicas differs from that of the token", Subject.NONE);
        }
        return genesis;
    }

    /** Waits no longer than until more than f replicas say that they do not believe the key that is shown here. */
    private Bytes letIn(CompletableFuture<Bytes> asked) {
        while (!asked.isDone()) {
            Optional<NotBelievedException> denied = replicas.denial();
            if (denied.isPresent()) {
                throw denied.get();
            }
            try {
                TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new CancelledException("interrupted while waiting for the replicas", Subject.NONE);
            }
        }
        return asked.join();
    }

    /**
     * Keeps the replicas that followed those of the genesis, and the keys of all, as the starting point of this
     * principal's process.
     *
     * @param now the configuration in the token; only those that lead to it are kept
     */
    private List<Path> learn(GenesisFile genesis, Configuration now, Path kept) throws IOException {
        Configuration first = genesis.genesisKeys().configuration();
        List<Successor> history = replicas.history(first)
                .join()
                .orElseThrow(() -> new UnavailableException(
                        "no replica proves that " + now + " succeeds the known configuration; repeat the command",
                        Subject.NONE));
        KnownPrincipals principals = registry().over(genesis);
        Files.createDirectories(kept.toAbsolutePath().getParent());
        ConfigurationChainFile beside = ConfigurationChainFile.beside(kept);
        if (KnownPrincipals.load(genesis, kept).version() < principals.version()) {
            principals.store(kept);
        }
        beside.write(first, history);
        return List.of(kept, beside.file());
    }

    private RegistryChange registry() {
        Optional<RegistryChange> told = Optional.empty();
        while (told.isEmpty()) {
            told = RegistryChange.ask(this::page);
        }
        return told.get();
    }

    private Reply.PrincipalList page(PrincipalId after) {
        Query query = new Query.ListPrincipals(KnownPrincipals.NO_VERSION, after, Query.PAGE_MAX);
        return expect(Reply.PrincipalList.class, replicas.query(query.encoded()).join());
    }

    private void rotate(GenesisFile genesis, Identity invited, Identity own, SecureRandom random) {
        byte[] nonce = new byte[Submission.OpenSession.NONCE_BYTES];
        random.nextBytes(nonce);
        Reply.SessionOpened opened =
                expect(Reply.SessionOpened.class, submit(new Submission.OpenSession(Bytes.of(nonce), 0)));
        Submission rotation = new Submission.InSession(
                        opened.session(), 1, 1, new Command.RotateKey(token.principal(), List.of(own.publicKey())))
                .signed(genesis.genesisKeys().cluster(), token.principal(), invited::sign);
        expect(Reply.Done.class, submit(rotation));
    }

    private Bytes submit(Submission submission) {
        try {
            return replicas.submit(submission.encoded()).join();
        } catch (CompletionException e) {
            throw new UnavailableException(
                    "the token may have been used; repeat the command: " + cause(e), Subject.NONE, e);
        }
    }

    private static String cause(CompletionException e) {
        Throwable cause = e.getCause();
        return String.valueOf((cause == null ? e : cause).getMessage());
    }

    private static <T extends Reply> T expect(Class<T> type, Bytes encoded) {
        Reply reply = Reply.decode(encoded);
        if (reply instanceof Reply.Failed failed) {
            throw new NotPermittedException(failed.message(), Subject.NONE);
        }
        if (!type.isInstance(reply)) {
            throw new UnavailableException("the reply of the replicas does not match the request", Subject.NONE);
        }
        return type.cast(reply);
    }

    @Override
    public void close() {
        replicas.close();
        transport.close();
    }
}
