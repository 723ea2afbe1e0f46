package io.bulwark.appliance.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.config.ConfigurationChainFile;
import io.bulwark.client.config.GenesisFile;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Handover;
import io.bulwark.protocol.ordering.membership.HandoverProof;
import io.bulwark.protocol.ordering.membership.HandoverProof.Signed;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.ordering.membership.MembershipMessage.Successor;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.identity.Identity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the choice of initial members that are started. */
@NullMarked
class ClusterPlanTest {
    private static final ClusterShape SHAPE = new ClusterShape(4, 4, 20_000, Ordering.BFT, "sync");

    @TempDir
    private Path directory = Path.of("");

    /** The command line or the replica itself has stored the removal after checking it. */
    @Test
    void aReplicaThatWasRemovedIsNotStartedAgain() throws IOException {
        ClusterPlan plan = new ClusterPlan(DataDirectory.create(directory.resolve("data")), SHAPE);
        plan.prepare();
        assertThat(plan.isRemoved(PrincipalId.replica(2))).isFalse();
        assertThat(plan.isRemoved(PrincipalId.node(2))).isFalse();
        Configuration genesis =
                GenesisFile.load(plan.data().genesis()).genesisKeys().configuration();
        PrincipalId coming = PrincipalId.replica(4);
        Bytes key = Identity.generate(coming, new SecureRandom()).publicKey().encoded();
        Configuration next = genesis.replacing(2, new Member(coming, key, "127.0.0.1:20204"));
        Handover handover = new Handover(genesis.digest(), new Numbered(128, Hashes.sha256(Bytes.EMPTY)), next);
        List<Signed> signatures =
                Stream.of(0, 1, 3).map(place -> new Signed(place, Bytes.EMPTY)).toList();
        Path data = plan.data().replica(2);
        Files.createDirectories(data);
        ConfigurationChainFile.beside(RunningNode.kept(data))
                .write(genesis, List.of(new Successor(new HandoverProof(handover, signatures), Bytes.EMPTY)));
        assertThat(plan.isRemoved(PrincipalId.replica(2))).isTrue();
        assertThat(plan.isRemoved(PrincipalId.replica(1))).isFalse();
    }
}
