package io.bulwark.client.replicas;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.config.ChannelConfig;
import io.bulwark.client.config.ConfigurationChainFile;
import io.bulwark.client.config.GenesisFile;
import io.bulwark.client.config.KeyRing;
import io.bulwark.client.config.KnownPrincipals;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.metadata.AuditEntry;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.OperatorAuthorization;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Handover;
import io.bulwark.protocol.ordering.membership.HandoverProof;
import io.bulwark.protocol.ordering.membership.HandoverProof.Signed;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.ordering.membership.MembershipMessage.Successor;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.TlsCredentials;
import io.bulwark.transport.identity.Identity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of a process's knowledge of the replicas (decision 20): the replicas that it trusts, and the content of its
 * file.
 */
@NullMarked
class KnownReplicasTest {
    private static final PrincipalId SELF = PrincipalId.client(0);
    private static final SecureRandom RANDOM = new SecureRandom();

    @TempDir
    private Path directory = Path.of("");

    private final Map<PrincipalId, Identity> identities = new HashMap<>();

    @BeforeEach
    void begin() throws IOException {
        TreeMap<PrincipalId, PrincipalKey> keys = new TreeMap<>();
        for (PrincipalId principal : List.of(SELF, replica(0), replica(1), replica(2), replica(3))) {
            keys.put(principal, identity(principal).publicKey());
        }
        identity(SELF).store(Identity.file(directory, SELF));
        new GenesisFile("0123456789abcdef0123456789abcdef", SELF, keys).store(genesis());
    }

    private static PrincipalId replica(int number) {
        return PrincipalId.replica(number);
    }

    private Identity identity(PrincipalId principal) {
        return identities.computeIfAbsent(principal, each -> Identity.generate(each, RANDOM));
    }

    private Path genesis() {
        return directory.resolve("genesis.properties");
    }

    private Path registry() {
        return directory.resolve("registry");
    }

    private ChannelConfig.Tls files() {
        return new ChannelConfig.Tls(Identity.file(directory, SELF), genesis());
    }

    private TlsCredentials credentials() {
        return (TlsCredentials) files().credentials(SELF, KnownReplicasTest::noRing, 4, registry());
    }

    private static KeyRing noRing() {
        throw new AssertionError("TLS needs no key ring");
    }

    private KnownReplicas known(TlsCredentials credentials) {
        return KnownReplicas.of(files(), credentials, registry()).orElseThrow();
    }

    private Configuration replacing(Configuration now, int place, int number) {
        return now.replacing(
                place,
                new Member(
                        replica(number), identity(replica(number)).publicKey().encoded(), "10.0.0.4:7600"));
    }

    private HandoverProof proof(Configuration ended, Configuration next, int... places) {
        Handover handover = new Handover(ended.digest(), new Numbered(128, Hashes.sha256(Bytes.EMPTY)), next);
        List<Signed> signatures = new ArrayList<>();
        for (int place : places) {
            Identity signer = identity(ended.members().get(place).replica());
            signatures.add(new Signed(place, signer.ownKey().sign(handover.content())));
        }
        return new HandoverProof(handover, signatures);
    }

    /** With the operator's word for it, who replaces one. */
    private Successor said(Configuration ended, Configuration next, int... places) {
        return new Successor(proof(ended, next, places), authorization(ended, next, SELF));
    }

    private Bytes authorization(Configuration ended, Configuration next, PrincipalId by) {
        List<PrincipalId> leaving = new ArrayList<>(ended.replicas());
        leaving.removeAll(next.replicas());
        List<Member> coming = next.members().stream()
                .filter(member -> ended.placeOf(member.replica()) < 0)
                .toList();
        Command.ChangeReplicas change = new Command.ChangeReplicas(next.number(), leaving, coming);
        Bytes signed = AuditEntry.signed(
                GenesisFile.load(genesis()).genesisKeys().cluster(), by, Optional.empty(), 1, 1, change);
        Identity signer = identity(by);
        AuditEntry.Approval approval = new AuditEntry.Approval(signer.publicKey(), signer.sign(signed));
        return OperatorAuthorization.encoded(List.of(), new AuditEntry(1, 1, by, 1, 1, change, Optional.of(approval)));
    }

    @Test
    void whomNoOperatorHasNamedIsNotBelieved() {
        KnownReplicas known = known(credentials());
        Configuration next = replacing(known.genesis(), 2, 4);
        HandoverProof proof = proof(known.genesis(), next, 0, 1, 3);
        assertThat(known.accept(new Successor(proof, Bytes.EMPTY))).isFalse();
        assertThat(known.accept(new Successor(proof, authorization(known.genesis(), next, replica(0)))))
                .isFalse();
        assertThat(known.accept(
                        new Successor(proof, authorization(known.genesis(), replacing(known.genesis(), 1, 4), SELF))))
                .isFalse();
        assertThat(known.term().number()).isZero();
        assertThat(known.accept(said(known.genesis(), next, 0, 1, 3))).isTrue();
    }

    @Test
    void whomAProofNamesIsBelievedAndWhomItLeavesOutIsNot() {
        TlsCredentials credentials = credentials();
        KnownReplicas known = known(credentials);
        List<Successor> heard = new ArrayList<>();
        known.onSuccessor(heard::add);
        Configuration next = replacing(known.genesis(), 2, 4);
        Successor tooFew = said(known.genesis(), next, 0, 1);
        assertThat(known.accept(tooFew)).isFalse();
        assertThat(credentials.trusted().keysOf(replica(2))).hasSize(1);
        Successor proof = said(known.genesis(), next, 0, 1, 3);
        assertThat(known.accept(proof)).isTrue();
        assertThat(known.term().configuration()).isEqualTo(next);
        assertThat(credentials.trusted().keysOf(replica(2))).isEmpty();
        assertThat(credentials.trusted().keysOf(replica(4)))
                .containsExactly(identity(replica(4)).publicKey());
        assertThat(heard).containsExactly(proof);
        assertThat(known.accept(proof)).as("it is known").isFalse();
    }

    /** Its supervisor would end. The proof is made durable first, which takes long enough to look twice. */
    @Test
    void whoComesIsNotTakenForRemovedWhileThatIsLearnt() throws InterruptedException {
        KnownReplicas known = known(credentials());
        AtomicBoolean over = new AtomicBoolean();
        AtomicBoolean taken = new AtomicBoolean();
        Thread looks = Thread.ofPlatform().start(() -> {
            while (!over.get()) {
                taken.compareAndSet(false, known.hasRemoved(replica(4)));
            }
        });
        Configuration next = replacing(known.genesis(), 2, 4);
        assertThat(known.accept(said(known.genesis(), next, 0, 1, 3))).isTrue();
        over.set(true);
        looks.join();
        assertThat(taken).isFalse();
        assertThat(known.hasRemoved(replica(2))).isTrue();
        assertThat(known.hasRemoved(replica(5))).as("it never was one").isFalse();
    }

    @Test
    void whatTheRegistrySaysOfAReplicaThatIsOutChangesNothing() {
        TlsCredentials credentials = credentials();
        KnownReplicas known = known(credentials);
        known.accept(said(known.genesis(), replacing(known.genesis(), 2, 4), 0, 1, 3));
        PrincipalKey other = Identity.generate(replica(1), RANDOM).publicKey();
        known.learned(new KnownPrincipals(
                GenesisFile.load(genesis()),
                1,
                new TreeMap<>(
                        Map.of(replica(2), List.of(identity(replica(2)).publicKey()), replica(1), List.of(other)))));
        assertThat(credentials.trusted().keysOf(replica(2))).isEmpty();
        assertThat(credentials.trusted().keysOf(replica(1)))
                .as("who stays is believed under its key of now")
                .containsExactly(other);
    }

    /** The registry revokes a replica only once others have begun, so that the proof was known here, or still is. */
    @Test
    void whomTheRegistryHasPutOutIsNotBelievedThoughTheProofIsLost() throws IOException {
        TlsCredentials credentials = credentials();
        KnownReplicas known = known(credentials);
        new KnownPrincipals(GenesisFile.load(genesis()), 1, new TreeMap<>(Map.of(replica(2), List.<PrincipalKey>of())))
                .store(registry());
        assertThat(credentials().trusted().keysOf(replica(2))).isEmpty();
        known.learned(KnownPrincipals.load(GenesisFile.load(genesis()), registry()));
        assertThat(known.term().number()).isZero();
        assertThat(credentials.trusted().keysOf(replica(2))).isEmpty();
        assertThat(credentials.trusted().keysOf(replica(1))).hasSize(1);
    }

    /** A replica that has exchanged its key signs with the new one, and its earlier signatures still count. */
    @Test
    void signaturesCountUnderTheKeyOfTheConfigurationOrOfTheRegistry() {
        KnownReplicas known = known(credentials());
        Configuration next = replacing(known.genesis(), 2, 4);
        HandoverProof before = proof(known.genesis(), next, 0, 1, 3);
        identities.put(replica(1), Identity.generate(replica(1), RANDOM));
        HandoverProof after = proof(known.genesis(), next, 0, 1, 3);
        assertThat(after.proves(known.genesis(), known.keys())).isFalse();
        known.learned(new KnownPrincipals(
                GenesisFile.load(genesis()),
                1,
                new TreeMap<>(Map.of(replica(1), List.of(identity(replica(1)).publicKey())))));
        assertThat(after.proves(known.genesis(), known.keys())).isTrue();
        assertThat(before.proves(known.genesis(), known.keys())).isTrue();
    }

    @Test
    void itIsKnownAfterARestart() throws IOException {
        KnownReplicas known = known(credentials());
        Configuration next = replacing(known.genesis(), 2, 4);
        known.acceptDurably(said(known.genesis(), next, 0, 1, 3));
        Configuration last = replacing(next, 0, 5);
        known.acceptDurably(said(next, last, 1, 2, 3));
        TlsCredentials credentials = credentials();
        assertThat(credentials.trusted().keysOf(replica(5))).hasSize(1);
        assertThat(credentials.trusted().keysOf(replica(0))).isEmpty();
        assertThat(known(credentials).term()).isEqualTo(known.term());
        assertThat(known(credentials).proofs()).isEqualTo(known.proofs());
    }

    @Test
    void whatAnotherProcessHasKeptIsChecked() throws IOException {
        KnownReplicas known = known(credentials());
        Configuration next = replacing(known.genesis(), 2, 4);
        Configuration last = replacing(next, 0, 5);
        Successor first = said(known.genesis(), next, 0, 1, 3);
        ConfigurationChainFile other = ConfigurationChainFile.beside(directory.resolve("other"));
        other.write(
                known.genesis(),
                List.of(
                        first,
                        new Successor(
                                new HandoverProof(
                                        proof(next, last, 1, 2, 3).handover(),
                                        first.proof().signatures()),
                                authorization(next, last, SELF))));
        known.learnFrom(other);
        assertThat(known.term().number()).isEqualTo(1);
        other.write(known.genesis(), List.of(first, new Successor(proof(next, last, 1, 2, 3), Bytes.EMPTY)));
        known.learnFrom(other);
        assertThat(known.term().number()).as("nobody's word").isEqualTo(1);
        other.write(known.genesis(), List.of(first, said(next, last, 1, 2, 3)));
        known.learnFrom(other);
        assertThat(known.term().configuration()).isEqualTo(last);
        assertThat(known(credentials()).successors()).as("and is kept").containsExactlyElementsOf(known.successors());
    }

    /** Commands of one client run at once, with one file; who was removed must not come back with the one that knows less. */
    @Test
    void whatIsKeptIsNeverLess() throws IOException {
        KnownReplicas more = known(credentials());
        KnownReplicas less = known(credentials());
        Configuration next = replacing(more.genesis(), 2, 4);
        Successor first = said(more.genesis(), next, 0, 1, 3);
        more.acceptDurably(first);
        more.acceptDurably(said(next, replacing(next, 0, 5), 1, 2, 3));
        less.acceptDurably(first);
        assertThat(less.term().number()).isEqualTo(1);
        assertThat(known(credentials()).term()).isEqualTo(more.term());
    }

    @Test
    void aFileThatIsDamagedOrOfAnotherGenesisSaysNothing() throws IOException {
        KnownReplicas known = known(credentials());
        known.acceptDurably(said(known.genesis(), replacing(known.genesis(), 2, 4), 0, 1, 3));
        Path file = ConfigurationChainFile.beside(registry()).file();
        byte[] right = Files.readAllBytes(file);
        for (int at : new int[] {0, 40, right.length - 1}) {
            byte[] wrong = right.clone();
            wrong[at] ^= 1;
            Files.write(file, wrong);
            assertThat(known(credentials()).term().number()).isZero();
        }
        Files.write(file, new byte[0]);
        assertThat(known(credentials()).term().number()).isZero();
        new ConfigurationChainFile(file).write(Configuration.fixed(1), List.of());
        assertThat(known(credentials()).term().number()).isZero();
    }

    @Test
    void withoutIdentitiesReplicasStay() {
        assertThat(KnownReplicas.of(new ChannelConfig.InsecureLoopback(), credentials(), registry()))
                .isEmpty();
    }
}
