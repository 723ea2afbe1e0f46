package io.bulwark.appliance.supervisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bulwark.client.config.ChannelConfig;
import io.bulwark.client.config.ConfigurationChainFile;
import io.bulwark.client.config.GenesisFile;
import io.bulwark.client.config.KeyRing;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.metadata.AuditEntry;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.OperatorAuthorization;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.ordering.OrderingCodec;
import io.bulwark.protocol.ordering.OrderingMessage;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Handover;
import io.bulwark.protocol.ordering.membership.HandoverProof;
import io.bulwark.protocol.ordering.membership.HandoverProof.Signed;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.ordering.membership.MembershipMessage.Successor;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.transport.Peer;
import io.bulwark.transport.Transport;
import io.bulwark.transport.TransportSettings;
import io.bulwark.transport.identity.Identity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Queries of a supervisor to the group, as the replica that it runs. */
@NullMarked
class GroupViewTest {
    private static final List<PrincipalId> REPLICAS =
            IntStream.range(0, 4).mapToObj(PrincipalId::replica).toList();
    private static final Bytes RELEASE = Hashes.sha256(Bytes.of((byte) 1));

    @TempDir
    Path directory = Path.of("");

    private final List<Transport> transports = new ArrayList<>();

    /** Calls that each replica has received before. */
    private final List<Set<Long>> asked = new ArrayList<>();

    @AfterEach
    void close() {
        transports.forEach(Transport::close);
    }

    /** Replicas are seldom all at one place of the order on a busy machine. What a replica asks for is not ordered, nor answered if it is to be. */
    @Test
    void whereTheReplicasAreNotInStepItAsksOn() throws Exception {
        Map<PrincipalId, KeyRing> rings = KeyRing.generate(REPLICAS, new SecureRandom());
        List<InetSocketAddress> addresses = new ArrayList<>();
        for (PrincipalId replica : REPLICAS) {
            asked.add(ConcurrentHashMap.newKeySet());
            addresses.add(listen(replica, Objects.requireNonNull(rings.get(replica))));
        }
        PrincipalId self = REPLICAS.get(2);
        Path keys = KeyRing.file(directory, self);
        Objects.requireNonNull(rings.get(self)).store(keys);
        try (GroupView view = GroupView.open(
                self, keys, new ChannelConfig.InsecureLoopback(), directory.resolve("kept"), addresses)) {
            await().ignoreExceptionsInstanceOf(IOException.class)
                    .untilAsserted(() -> assertThat(view.allowedReleases()).containsExactly(RELEASE.toHex()));
        }
    }

    /** The asker gets no answer: the others refuse anyone who asks as a removed replica. */
    @Test
    void itLearnsFromItsReplicaThatThisWasRemoved() throws Exception {
        SortedMap<PrincipalId, PrincipalKey> keys = new TreeMap<>();
        Map<PrincipalId, Identity> identities = new HashMap<>();
        for (int i = 0; i < 5; i++) {
            PrincipalId replica = PrincipalId.replica(i);
            identities.put(replica, Identity.generate(replica, new SecureRandom()));
        }
        PrincipalId operator = PrincipalId.client(0);
        identities.put(operator, Identity.generate(operator, new SecureRandom()));
        keys.put(operator, of(identities, operator).publicKey());
        REPLICAS.forEach(replica -> keys.put(replica, of(identities, replica).publicKey()));
        PrincipalId self = REPLICAS.get(2);
        of(identities, self).store(Identity.file(directory, self));
        GenesisFile genesis = new GenesisFile("0123456789abcdef0123456789abcdef", operator, keys);
        genesis.store(directory.resolve("genesis.properties"));
        Configuration first = genesis.genesisKeys().configuration();
        PrincipalId fresh = PrincipalId.replica(4);
        Member coming = new Member(fresh, of(identities, fresh).publicKey().encoded(), "127.0.0.1:1");
        Handover handover =
                new Handover(first.digest(), new Numbered(128, Hashes.sha256(Bytes.EMPTY)), first.replacing(2, coming));
        List<Signed> signatures = IntStream.of(0, 1, 3)
                .mapToObj(place -> new Signed(
                        place, of(identities, REPLICAS.get(place)).ownKey().sign(handover.content())))
                .toList();
        Path registry = directory.resolve("registry");
        InetSocketAddress nowhere = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        try (GroupView view = GroupView.open(
                self,
                directory.resolve("none"),
                new ChannelConfig.Tls(Identity.file(directory, self), directory.resolve("genesis.properties")),
                directory.resolve("supervisor.registry"),
                Optional.of(registry),
                List.of(nowhere, nowhere, nowhere, nowhere))) {
            assertThat(view.hasRemoved(2)).isFalse();
            assertThat(view.members()).containsExactly(0, 1, 2, 3);
            ConfigurationChainFile kept = ConfigurationChainFile.beside(registry);
            Signed forged = new Signed(3, signatures.getFirst().signature());
            Bytes authorization = authorization(genesis, of(identities, operator), coming);
            kept.write(
                    first,
                    List.of(new Successor(
                            new HandoverProof(handover, List.of(signatures.get(0), signatures.get(1), forged)),
                            authorization)));
            assertThat(view.hasRemoved(2)).as("which not all have signed").isFalse();
            HandoverProof proof = new HandoverProof(handover, signatures);
            kept.write(first, List.of(new Successor(proof, Bytes.EMPTY)));
            assertThat(view.hasRemoved(2)).as("which no operator has named").isFalse();
            kept.write(first, List.of(new Successor(proof, authorization)));
            assertThat(view.hasRemoved(2)).isTrue();
            assertThat(view.members()).containsExactly(0, 1, 4, 3);
            assertThat(view.hasRemoved(4)).isFalse();
            assertThat(view.hasRemoved(5)).as("who was never in").isFalse();
        }
    }

    private static Bytes authorization(GenesisFile genesis, Identity operator, Member coming) {
        PrincipalId by = operator.principal();
        Command.ChangeReplicas change = new Command.ChangeReplicas(1, List.of(REPLICAS.get(2)), List.of(coming));
        Bytes signed = AuditEntry.signed(genesis.genesisKeys().cluster(), by, Optional.empty(), 1, 1, change);
        AuditEntry.Approval approval = new AuditEntry.Approval(operator.publicKey(), operator.sign(signed));
        return OperatorAuthorization.encoded(List.of(), new AuditEntry(1, 1, by, 1, 1, change, Optional.of(approval)));
    }

    private static Identity of(Map<PrincipalId, Identity> identities, PrincipalId replica) {
        return Objects.requireNonNull(identities.get(replica));
    }

    private InetSocketAddress listen(PrincipalId replica, KeyRing ring) throws IOException {
        Transport transport = Transport.open(
                TransportSettings.defaults(), ring.pairwiseKeys(), new MessageCodecs(new OrderingCodec()));
        transports.add(transport);
        return transport
                .listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        (peer, requestId, message, done) -> {
                            answer(replica.number(), peer, requestId, message);
                            done.run();
                        })
                .boundAddress();
    }

    /** Answers a query; the first answer differs from every other replica's. */
    private void answer(int replica, Peer peer, long requestId, Message message) {
        if (message instanceof OrderingMessage.Query query) {
            long version = asked.get(replica).add(query.call()) ? replica : REPLICAS.size();
            Reply told = new Reply.ReleaseList(version, List.of(RELEASE));
            var _ = peer.send(requestId, new OrderingMessage.Reply(query.call(), 1, told.encoded()));
        }
    }
}
