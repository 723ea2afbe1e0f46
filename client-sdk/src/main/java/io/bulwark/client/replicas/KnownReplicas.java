package io.bulwark.client.replicas;

import io.bulwark.client.config.ChannelConfig;
import io.bulwark.client.config.ConfigurationChainFile;
import io.bulwark.client.config.GenesisFile;
import io.bulwark.client.config.KnownPrincipals;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.OperatorAuthorization;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.ConfigurationChain;
import io.bulwark.protocol.ordering.membership.ConfigurationStart;
import io.bulwark.protocol.ordering.membership.HandoverProof;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.ordering.membership.MembershipMessage.Successor;
import io.bulwark.protocol.ordering.membership.Succession;
import io.bulwark.transport.Credentials;
import io.bulwark.transport.Destination;
import io.bulwark.transport.HandoverKeys;
import io.bulwark.transport.TlsCredentials;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replicas that this process knows (docs/decisions/0020), from whichever of its parts has learned of them first. A
 * replica that a proof leaves out loses trust immediately, whatever the registry says; one that it names gains trust.
 * Stored in a file. Thread-safe.
 */
public final class KnownReplicas implements Succession {
    private static final Logger LOG = LoggerFactory.getLogger(KnownReplicas.class);

    private final TlsCredentials credentials;
    private final Configuration genesis;
    private final ConfigurationChainFile kept;
    private ConfigurationChain configurationChain;
    private final List<Consumer<Successor>> listeners = new CopyOnWriteArrayList<>();
    private volatile KnownPrincipals principals;
    private volatile ConfigurationStart term;
    private boolean durable = true;

    private KnownReplicas(TlsCredentials credentials, KnownPrincipals principals, ConfigurationChainFile kept) {
        this.credentials = credentials;
        this.principals = principals;
        this.kept = kept;
        genesis = principals.genesis().genesisKeys().configuration();
        configurationChain = kept.read(
                genesis, keys(), new OperatorAuthorization(principals.genesis().genesisKeys()));
        term = configurationChain.term();
    }

    /**
     * Returns the known replicas, if the credentials are those of TLS; without TLS the replicas never change.
     *
     * @param channels the configuration that the credentials were made from
     * @param registry the file with the stored knowledge of the registry; this class's file is beside it
     */
    public static Optional<KnownReplicas> of(ChannelConfig channels, Credentials credentials, Path registry) {
        if (!(channels instanceof ChannelConfig.Tls files) || !(credentials instanceof TlsCredentials tls)) {
            return Optional.empty();
        }
        KnownPrincipals principals = KnownPrincipals.load(GenesisFile.load(files.genesis()), registry);
        return Optional.of(new KnownReplicas(tls, principals, ConfigurationChainFile.beside(registry)));
    }

    /**
     * Returns the keys that sign and check handovers: those of the configuration, or those that the registry has of its
     * members.
     */
    public HandoverKeys keys() {
        return new HandoverKeys(credentials, replica -> principals.keysOf(replica));
    }

    /** The configuration that all began with. */
    public Configuration genesis() {
        return genesis;
    }

    @Override
    public ConfigurationStart term() {
        return term;
    }

    /** All proofs, in order. */
    public synchronized List<HandoverProof> proofs() {
        return configurationChain.proofs();
    }

    /** The same, each with its authorization. */
    public synchronized List<Successor> successors() {
        return configurationChain.successors();
    }

    /** All configurations from the genesis's to the last one, in order. */
    public List<Configuration> history() {
        return Stream.concat(
                        Stream.of(genesis),
                        proofs().stream().map(proof -> proof.handover().next()))
                .toList();
    }

    /**
     * Returns whether a replica was in a configuration, and is not in the last one. Both are read from one snapshot, as
     * another thread may advance meanwhile.
     */
    public boolean hasRemoved(PrincipalId replica) {
        List<Configuration> history = history();
        return history.getLast().placeOf(replica) < 0 && history.stream().anyMatch(each -> each.placeOf(replica) >= 0);
    }

    /**
     * Returns the address of a replica: from the configuration, or for one of the genesis from this process's own
     * configuration.
     */
    public static InetSocketAddress addressOf(Member member, List<InetSocketAddress> told) {
        if (member.address().isEmpty()) {
            return told.get(member.replica().number());
        }
        int colon = member.address().lastIndexOf(':');
        String host = member.address().substring(0, colon);
        return Destination.of(host, Integer.parseInt(member.address().substring(colon + 1)));
    }

    /** Registers a listener that gets each proof after it is accepted, in order, called by the one that brought it. */
    public void onSuccessor(Consumer<Successor> listener) {
        listeners.add(listener);
    }

    public void forget(Consumer<Successor> listener) {
        listeners.remove(listener);
    }

    /** Returns a copy of the known lineage, which its owner then extends independently. */
    public synchronized ConfigurationChain configurationChain() {
        return configurationChain.copy();
    }

    @Override
    public synchronized boolean mayCheck(long nowMillis, PrincipalId from) {
        return configurationChain.mayCheck(nowMillis, from);
    }

    @Override
    public synchronized boolean accept(Successor said) {
        ConfigurationChain next = configurationChain.copy();
        if (!next.accept(said)) {
            return false;
        }
        try {
            write(next.successors());
        } catch (IOException e) {
            LOG.warn(
                    "{} cannot be written, so the configuration of replicas is learned again after each start: {}",
                    kept.file(),
                    e.toString());
        }
        believe(next, said);
        return true;
    }

    /**
     * Accepts a proof for a caller that promises something on it, and has ensured that a mandate is present or not
     * needed. Returns once the proof is durable, also if it was known before.
     *
     * @throws IOException if it cannot be kept
     */
    public synchronized void acceptDurably(Successor said) throws IOException {
        ConfigurationChain next = configurationChain.copy();
        if (next.acceptKnown(said)) {
            write(next.successors());
            believe(next, said);
        } else if (!durable) {
            write(configurationChain.successors());
        }
    }

    /** Advances to what another process has kept. The proofs were checked there, and are checked here. */
    public void learnFrom(ConfigurationChainFile other) {
        for (Successor said : other.kept(genesis)) {
            if (said.proof().number() == term.number()) {
                var unused = accept(said);
            }
        }
    }

    private void write(List<Successor> all) throws IOException {
        durable = false;
        kept.write(genesis, all);
        durable = true;
    }

    private void believe(ConfigurationChain next, Successor said) {
        configurationChain = next;
        term = configurationChain.term();
        LOG.info("{} trusts {}", credentials.self(), term.configuration());
        trust();
        listeners.forEach(listener -> listener.accept(said));
    }

    /** The registry has changed. */
    public synchronized void learned(KnownPrincipals now) {
        principals = now;
        trust();
    }

    private void trust() {
        credentials.trust(principals.trustedKeys(term.configuration()));
    }
}
