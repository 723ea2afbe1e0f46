package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.MetadataFixture.ALICE;
import static io.bulwark.protocol.metadata.MetadataFixture.READER;
import static io.bulwark.protocol.metadata.Samples.KEY;
import static io.bulwark.protocol.metadata.Samples.OTHER_KEY;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.NodeAddress;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Command.ChangeHolder;
import io.bulwark.protocol.metadata.Command.RemoveNode;
import io.bulwark.protocol.metadata.Command.SealEpoch;
import io.bulwark.protocol.metadata.Command.SetNode;
import io.bulwark.protocol.metadata.MetadataFixture.User;
import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Nodes come into the map and leave it. */
@NullMarked
class NodesTest {
    private static final int NEW = 5;
    private static final NodeAddress THERE = new NodeAddress(NEW, "storage-5.example", 7415);

    private final MetadataFixture rig = MetadataFixture.ready();
    private final User alice = rig.user(ALICE, 0);

    private PlacementGroup group() {
        return rig.mainVolume().groups().getFirst();
    }

    private void join() {
        alice.done(new Command.AddPrincipal(PrincipalId.node(NEW), KEY));
    }

    @Test
    void aNodeThatHasJoinedComesIntoTheMapAndMayTakeASlot() {
        alice.refused(MetadataError.NO_SUCH_PRINCIPAL, new SetNode(THERE));
        alice.done(new Command.InvitePrincipal(PrincipalId.node(NEW), OTHER_KEY, rig.nowMillis + 1_000_000));
        alice.refused(MetadataError.NO_SUCH_PRINCIPAL, new SetNode(THERE));
        rig.user(PrincipalId.node(NEW), 0).done(new Command.RotateKey(PrincipalId.node(NEW), List.of(KEY)));
        alice.refused(
                MetadataError.BAD_ARGUMENT,
                new ChangeHolder("main", 0, 1, group().holders().getFirst(), NEW));
        long version = rig.map().version();
        alice.done(new SetNode(THERE));
        assertThat(rig.map().nodes()).hasSize(6).last().isEqualTo(THERE);
        assertThat(rig.map().version()).isEqualTo(version + 1);
        alice.done(new SetNode(THERE));
        assertThat(rig.map().version()).as("nothing has changed").isEqualTo(version + 1);
        alice.done(new ChangeHolder("main", 0, 1, group().holders().getFirst(), NEW));
    }

    @Test
    void aNodeMovesAndKeepsItsSlots() {
        List<Integer> before = group().holders();
        NodeAddress moved = new NodeAddress(2, "10.0.0.7", 7410);
        alice.done(new SetNode(moved));
        assertThat(rig.map().nodes()).hasSize(5).contains(moved);
        assertThat(group().holders()).isEqualTo(before);
    }

    @Test
    void addressesThatNobodyCanHaveAreRefused() {
        join();
        for (String host : List.of(" ", "a b", "-x", "host/../", "h\u0000")) {
            alice.refused(MetadataError.BAD_ARGUMENT, new SetNode(new NodeAddress(NEW, host, 7415)));
        }
    }

    @PlantedBug(
            in = PlacementChanges.class,
            rule = "a node that left has no rights",
            replace = "registry.revoke(new Command.RevokePrincipal(node), by);",
            with = "")
    @Test
    void aNodeLeavesForGoodOnceItHoldsNoSlotAndIsToTakeNone() {
        join();
        alice.done(new SetNode(THERE));
        int old = group().holders().getFirst();
        alice.refused(MetadataError.NODE_IN_USE, new RemoveNode(old));
        alice.done(new ChangeHolder("main", 0, 1, old, NEW));
        alice.refused(MetadataError.NODE_IN_USE, new RemoveNode(NEW));
        alice.done(new Command.AbortChange("main", 0, 1));
        alice.done(new RemoveNode(NEW));
        assertThat(rig.map().nodes()).hasSize(5).doesNotContain(THERE);
        MetadataFixture.assertFailed(rig.ask(PrincipalId.node(NEW), new Query.GetMap()), MetadataError.NOT_AUTHORISED);
        alice.done(new RemoveNode(NEW));
        alice.refused(MetadataError.NO_SUCH_PRINCIPAL, new SetNode(THERE));
        alice.refused(MetadataError.PRINCIPAL_EXISTS, new Command.AddPrincipal(PrincipalId.node(NEW), OTHER_KEY));
        alice.refused(MetadataError.NO_SUCH_PRINCIPAL, new RemoveNode(77));
    }

    @Test
    void aNodeOfTheGenesisThatWasReplacedLeavesToo() {
        alice.done(new Command.DeleteBucket("films"));
        alice.done(new Command.DeleteBucket("diary"));
        alice.done(new Command.DeleteVolume("main"));
        alice.run(new Command.CreateVolume("one", VolumeKind.OBJECT, MetadataFixture.POLICY, 0, 1, 0));
        int volume = rig.map().volumes().getFirst().id();
        alice.done(new ChangeHolder("one", 0, 1, 0, 4));
        for (int node = 1; node < 4; node++) {
            rig.user(PrincipalId.node(node), 0).done(new SealEpoch(volume, 0, 1));
        }
        alice.done(new RemoveNode(0));
        assertThat(rig.map().nodes()).extracting(NodeAddress::node).containsExactly(1, 2, 3, 4);
        assertThat(((Reply.PrincipalList) rig.ask(ALICE, new Query.ListPrincipals(-1, PrincipalId.NOBODY, 10)))
                        .principals())
                .containsExactly(new Reply.PrincipalEntry(PrincipalId.node(0), List.of(), 0));
    }

    private List<Integer> holdersOf(String name, ProtectionPolicy policy) {
        alice.run(new Command.CreateVolume(name, VolumeKind.OBJECT, policy, 0, 0, 0));
        return rig.map().volume(name).orElseThrow().groups().stream()
                .flatMap(group -> group.holders().stream())
                .distinct()
                .sorted()
                .toList();
    }

    @Test
    void newVolumesAreNotPlacedOnSpareNodesUnlessThereAreTooFewOthers() {
        join();
        alice.done(new SetNode(THERE));
        assertThat(holdersOf("two", MetadataFixture.POLICY)).containsExactly(0, 1, 2, 3, 4);
        assertThat(holdersOf("wide", new ProtectionPolicy(1, 4, 6, MetadataFixture.BLOCK)))
                .containsExactly(0, 1, 2, 3, 4, NEW);
        assertThat(holdersOf("three", MetadataFixture.POLICY))
                .as("it serves now")
                .containsExactly(0, 1, 2, 3, 4, NEW);
    }

    @Test
    void whoIsToTakeASlotIsInService() {
        join();
        alice.done(new SetNode(THERE));
        alice.done(new ChangeHolder("main", 0, 1, group().holders().getFirst(), NEW));
        assertThat(holdersOf("two", MetadataFixture.POLICY)).contains(NEW);
    }

    @Test
    void whoIsToLoseASlotIsNoPlaceForNewVolumesUnlessThereAreTooFewOthers() {
        join();
        alice.done(new SetNode(THERE));
        int leaving = group().holders().getFirst();
        alice.done(new ChangeHolder("main", 0, 1, leaving, NEW));
        assertThat(holdersOf("two", MetadataFixture.POLICY)).contains(NEW).doesNotContain(leaving);
        assertThat(holdersOf("wide", new ProtectionPolicy(1, 4, 6, MetadataFixture.BLOCK)))
                .contains(leaving);
    }

    @Test
    void newVolumesAreNotPlacedOnNodesThatWerePutOut() {
        alice.done(new Command.RevokePrincipal(PrincipalId.node(3)));
        assertThat(holdersOf("two", MetadataFixture.POLICY)).containsExactly(0, 1, 2, 4);
        alice.done(new Command.RevokePrincipal(PrincipalId.node(0)));
        alice.refused(
                MetadataError.TOO_FEW_NODES,
                new Command.CreateVolume("three", VolumeKind.OBJECT, MetadataFixture.POLICY, 0, 0, 0));
    }

    @PlantedBug(
            in = Permissions.class,
            rule = "only an operator adds and removes nodes",
            replace = "Grants.require(mayAdminister(by), by, \"change the set of nodes\");",
            with = "{ }")
    @Test
    void onlyOperatorsMayAndItIsInTheAuditLog() {
        join();
        for (PrincipalId principal : List.of(READER, PrincipalId.node(0))) {
            rig.user(principal, 0).refused(MetadataError.NOT_AUTHORISED, new SetNode(THERE));
            rig.user(principal, 0).refused(MetadataError.NOT_AUTHORISED, new RemoveNode(NEW));
        }
        alice.done(new SetNode(THERE));
        alice.done(new RemoveNode(NEW));
        Reply.AuditList log = (Reply.AuditList) rig.ask(ALICE, new Query.ListAudit(0, 100));
        assertThat(log.entries().stream().map(AuditEntry::command)).endsWith(new SetNode(THERE), new RemoveNode(NEW));
    }
}
